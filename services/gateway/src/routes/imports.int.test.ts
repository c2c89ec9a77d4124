import { importedSchema } from '@factmill/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

const items = [
  { id: '1', content: 'Maya is a nurse.', tier: 1 },
  { id: '2', content: 'Maya sold the boat.', tier: 3, kind: 'event', stated_at: '2026-05-10T12:00:00Z' },
];

const send = (body: object, key?: string) =>
  gateway.call('POST', '/v1/memories/import', key === undefined ? { body } : { body, key });

async function statuses(body: object, key?: string): Promise<string[]> {
  const answer = await send(body, key);
  expect(answer.status).toBe(200);
  return importedSchema.parse(answer.body).results.map(({ status }) => status);
}

test('each item is imported once, for this user and from this source', async () => {
  const body = { user_id: 'maya', source: 'elsewhere', items };
  expect(await statuses({ ...body, dry_run: true })).toEqual(['created', 'created']);
  expect(await statuses(body)).toEqual(['created', 'created']);
  expect(await statuses(body)).toEqual(['known', 'known']);
  expect(await statuses({ ...body, user_id: 'noah' })).toEqual(['created', 'created']);
  expect(await statuses(body, await gateway.makeKey({ tenant: 'theirs' }))).toEqual(['created', 'created']);
  const { body: listed } = await gateway.call('GET', '/v1/memories?user_id=maya&sort_by=created_at');
  expect(listed.data).toHaveLength(2);
  for (const memory of listed.data) {
    expect(memory).toMatchObject({ source: 'elsewhere', metadata: { imported_from: 'elsewhere' } });
    const { body: history } = await gateway.call('GET', `/v1/memories/${memory.id}/history`);
    expect(history.data).toMatchObject([{ operation: 'ADD', actor: 'api' }]);
  }
  // Their vectors follow.
  const waiting = await gateway.queues.counts();
  expect(waiting.maintenance.waiting).toBe(3);
});

test.each([
  [{ source: 'x', items: [] }, ['items']],
  [{ items }, ['source']],
  [{ source: 'x', items: [{ content: 'No id.' }] }, ['items.0.id']],
  [{ source: 'x', items: [{ id: '1', content: 'x', colour: 'blue' }] }, ['items.0.colour']],
])('%j is refused', async (body, fields) => {
  const answer = await send({ user_id: 'maya', ...body });
  expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
});

test('needs memory.write; for nobody nothing is stored', async () => {
  const reader = await gateway.makeKey({ permissions: ['memory.read'] });
  expect((await send({ source: 'x', items }, reader)).status).toBe(403);
  expect((await send({ user_id: 'unknown', source: 'x', items })).body).toMatchObject({
    results: [],
    skipped: { reason: 'unknown_user' },
  });
});
