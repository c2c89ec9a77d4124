import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { type Answer, type GatewayUnderTest, openTestPool, said, startGateway } from './gateway.fixture.ts';

const USER = 'ines';

let gateway: GatewayUnderTest;
/** Connections of its own, on which locks are held. */
let observer: DatabasePool;
beforeAll(async () => {
  gateway = await startGateway({ STATEMENT_TIMEOUT_LIST_MS: '200', STATEMENT_TIMEOUT_ACCEPT_MS: '300' });
  observer = openTestPool(gateway.config.storage.ownerUrl ?? '');
});
afterAll(async () => {
  await observer.close();
  await gateway.close();
});

/** Statements of the gateway that wait for a lock; not asked in a transaction, which would see the same each time. */
async function waiting(): Promise<number> {
  const { n } = await observer.one<{ n: number }>(
    `select count(*) as n from pg_stat_activity
     where datname = current_database() and application_name = 'factmill-gateway' and wait_event_type = 'Lock'`,
  );
  return n;
}

function expectTooLong(answer: Answer): void {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'database_unavailable', detail: expect.stringContaining('took too long') },
  });
}

const batch = () =>
  gateway.call('POST', '/v1/memories/batch', {
    body: { user_id: USER, memories: [{ content: 'Likes figs' }, { content: 'Grows figs' }] },
  });
const list = () => gateway.call('GET', `/v1/memories?user_id=${USER}`);

test('a list and statistics that take too long are ended; a batch that waits as long is not', async () => {
  const batched = await observer.transaction(async (tx) => {
    await tx.query('lock table memories');
    const running = batch();
    await waitFor(async () => (await waiting()) === 1, { describe: 'the batch to wait for the lock' });
    expectTooLong(await list());
    expectTooLong(await gateway.call('GET', `/v1/stats?user_id=${USER}`));
    await waitFor(async () => (await waiting()) === 1, { describe: 'what was ended to be gone' });
    return { running };
  });
  expect((await batched.running).status).toBe(201);
  expect((await list()).body.data).toHaveLength(2);
});

test('messages whose storing took too long are not stored; sent again they are, once', async () => {
  const send = () =>
    gateway.call('POST', '/v1/extractions', {
      body: { user_id: USER, conversation_id: 'figs', messages: [said('I planted a fig.', { id: 'm1' })] },
      headers: { 'idempotency-key': 'figs-1' },
    });
  await observer.transaction(async (tx) => {
    await tx.query('lock table messages');
    expectTooLong(await send());
    await waitFor(async () => (await waiting()) === 0, { describe: 'what was ended to be gone' });
    expect((await list()).status).toBe(200);
  });
  const count = `select (select count(*) from messages) as messages, (select count(*) from extractions) as extractions`;
  expect(await observer.one(count)).toEqual({ messages: 0, extractions: 0 });
  const first = await send();
  expect(first.status).toBe(202);
  expect((await send()).body).toEqual(first.body);
  expect(await observer.one(count)).toEqual({ messages: 1, extractions: 1 });
});

test('a memory saved by itself has the time of what a request stores, a document that of a batch', async () => {
  const put = await observer.transaction(async (tx) => {
    await tx.query('lock table memories, documents');
    const running = gateway.call('POST', '/v1/documents', {
      body: { user_id: USER, content: 'Figs like the sun.' },
    });
    await waitFor(async () => (await waiting()) === 1, { describe: 'the document to wait for the lock' });
    expectTooLong(
      await gateway.call('POST', '/v1/memories', { body: { user_id: USER, content: 'Sells figs' } }),
    );
    await waitFor(async () => (await waiting()) === 1, { describe: 'what was ended to be gone' });
    return { running };
  });
  expect((await put.running).status).toBe(201);
});
