import {
  compressionDetailsSchema,
  listSchema,
  compressionSchema,
  startedCompressionSchema,
} from '@factmill/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.call('POST', '/v1/memories', { body: { user_id: 'maya', content: 'The user sails.' } });
});
afterAll(async () => {
  await gateway.close();
});

async function start(body: object, key?: string) {
  const answer = await gateway.call('POST', '/v1/compressions', key === undefined ? { body } : { body, key });
  expect(answer.status).toBe(202);
  return startedCompressionSchema.parse(answer.body);
}

async function list(query: string) {
  const { body } = await gateway.call('GET', `/v1/compressions${query}`);
  return listSchema(compressionSchema).parse(body);
}

const DAY = { kind: 'daily', date: '2026-05-10' };

test('a period is compressed once; a dry run each time', async () => {
  const { outcome, compression } = await start({ user_id: 'maya', ...DAY });
  expect([outcome, compression]).toEqual([
    'started',
    expect.objectContaining({
      user_id: 'maya',
      kind: 'daily',
      last_day: '2026-05-10',
      dry_run: false,
    }),
  ]);
  const again = await start({ user_id: 'maya', ...DAY });
  expect(again).toEqual({ outcome: 'known', compression, user_id: 'maya' });
  const [dry, dryAgain] = [
    await start({ user_id: 'maya', ...DAY, dry_run: true }),
    await start({ user_id: 'maya', ...DAY, dry_run: true }),
  ];
  expect(dry.compression?.id).not.toBe(dryAgain.compression?.id);
  const waiting = await gateway.queues.counts();
  expect(waiting.compression.waiting).toBe(3);

  const page = await list('?user_id=maya&limit=2');
  expect(page.data.map(({ id }) => id)).toEqual([dryAgain.compression?.id, dry.compression?.id]);
  const next = await list(`?user_id=maya&limit=2&cursor=${page.next_cursor}`);
  expect([next.data.map(({ id }) => id), next.next_cursor]).toEqual([[compression?.id], null]);
});

test('one that failed goes on; its decisions come with the texts that they name', async () => {
  const { compression } = await start({ user_id: 'maya', kind: 'weekly', date: '2026-05-10' });
  const id = compression?.id ?? '';
  await gateway.database.query(
    `update compression_runs set state = 'failed', error_class = 'bad_reply', error_message = 'No JSON.',
       finished_at = now() where id = $1::uuid`,
    [id],
  );
  const failed = compressionDetailsSchema.parse((await gateway.call('GET', `/v1/compressions/${id}`)).body);
  expect(failed).toMatchObject({ state: 'failed', error: { class: 'bad_reply', message: 'No JSON.' } });
  expect((await start({ user_id: 'maya', kind: 'weekly', date: '2026-05-10' })).outcome).toBe('restarted');
  const { rows } = await gateway.database.query<{ id: string }>(
    `select id from memories where user_id = 'maya'`,
  );
  const decisions = [{ op: 'archive', id: rows[0]?.id, reason: 'faded' }];
  await gateway.database.query(`update compression_runs set decisions = $2::jsonb where id = $1::uuid`, [
    id,
    JSON.stringify(decisions),
  ]);
  const decided = compressionDetailsSchema.parse((await gateway.call('GET', `/v1/compressions/${id}`)).body);
  expect(decided).toMatchObject({ state: 'pending', decisions });
  expect(decided.contents).toEqual({ [rows[0]?.id ?? '']: 'The user sails.' });
});

test('a user without memories, and nobody, leave nothing in the ledger', async () => {
  expect(await start({ user_id: 'nobody-here', ...DAY })).toEqual({
    outcome: 'nothing',
    compression: null,
    user_id: 'nobody-here',
  });
  const unknown = await gateway.call('POST', '/v1/compressions', { body: { user_id: 'unknown', ...DAY } });
  expect(unknown.body).toMatchObject({ outcome: 'nothing', skipped: { reason: 'unknown_user' } });
  expect((await list('?all_users=true')).data.every(({ user_id: user }) => user === 'maya')).toBe(true);
});

test.each([
  [{ kind: 'hourly' }, ['kind']],
  [{ kind: 'daily', date: '2026-02-30' }, ['date']],
  [{ kind: 'daily', when: 'now' }, ['when']],
])('%j is refused', async (body, fields) => {
  const answer = await gateway.call('POST', '/v1/compressions', { body });
  expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
});

test('a run of another tenant is not there', async () => {
  const key = await gateway.makeKey({ tenant: 'theirs', permissions: ['admin'] });
  const [mine] = (await list('?user_id=maya')).data;
  expect((await gateway.call('GET', `/v1/compressions/${mine?.id}`, { key })).status).toBe(404);
  expect((await gateway.call('GET', '/v1/compressions?user_id=maya', { key })).body.data).toEqual([]);
  expect((await start({ user_id: 'maya', ...DAY }, key)).outcome).toBe('nothing');
});
