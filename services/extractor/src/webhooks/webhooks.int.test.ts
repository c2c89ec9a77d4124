import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  claimDueWebhook,
  createPool,
  DEFAULT_TENANT_ID as TENANT,
  findWebhook,
  insertMemories,
  insertWebhook,
  listDeliveries,
  migrate,
  nextWebhookDelivery,
  replayEvents,
  requestTestDelivery,
  rotateWebhookSecret,
  updateWebhook,
} from '@factmill/database';
import { createLogger } from '@factmill/telemetry';
import { newMemory, waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createDeliverWebhooks } from './deliver-webhooks.ts';
import { postWebhook } from './post-webhook.ts';
import { lookUpName, resolveTarget } from './resolve-target.ts';

const { database, beforeClose } = await openTestDatabase(
  { createPool, migrate },
  { truncate: ['webhooks', 'events'] },
);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const never = new AbortController().signal;

type Received = Readonly<{ headers: IncomingHttpHeaders; body: string }>;
const received: Received[] = [];
/** What the receiver answers. */
let answer: (response: ServerResponse) => void;
const ok = (response: ServerResponse) => response.writeHead(204).end();
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end('ignored');

const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.once('end', () => {
    received.push({ headers: request.headers, body });
    answer(response);
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
beforeClose(() => {
  receiver.closeAllConnections();
  receiver.close();
});
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

beforeEach(() => {
  received.length = 0;
  answer = ok;
});

const post = (delivery: Parameters<typeof postWebhook>[0], signal = never, timeoutMs = 60_000) =>
  postWebhook(delivery, {
    privateNetworks: true,
    timeoutMs,
    userAgent: 'test',
    lookUp: lookUpName,
    now: Date.now,
    signal,
  });
const deliverOnce = createDeliverWebhooks({
  database,
  post,
  leaseMs: 30_000,
  // Failures are due again at once; the test says when time has passed.
  policy: { kind: 'fixed', intervalMs: 0 },
  disableAfterHours: 24,
  logger: createLogger({ service: 'test', level: 'silent' }),
  random: () => 0,
  now: Date.now,
});
/** Rounds of a worker. */
async function deliver(rounds = 20): Promise<void> {
  while (rounds > 0 && (await deliverOnce(never))) rounds -= 1;
}

async function hook(
  types: readonly string[] | null = null,
  payload: 'thin' | 'full' = 'thin',
): Promise<{ tenantId: string; id: string }> {
  const of = { tenantId: TENANT, id: randomUUID() };
  await insertWebhook(database, { ...of, url, types, payload, secret: SECRET, enabled: true });
  return of;
}

/** Resolves when no transaction, of any database of the server, holds back what has been committed. */
const settled = () =>
  waitFor(
    async () => {
      const { held } = await database.one<{ held: boolean }>(
        'select exists (select from events where watermark >= event_horizon()) as held',
      );
      return !held;
    },
    { timeoutMs: 60_000, describe: 'other transactions to end' },
  );

/** Writes events as transactions do. */
async function happen(count: number, type = 'memory.created'): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await database.query(
      `insert into events (tenant_id, watermark, type, user_id, data)
       values ($1::uuid, event_watermark(), $2::text, 'maya', jsonb_build_object('n', $3::integer))`,
      [TENANT, type, n],
    );
  }
  await settled();
}

const idsOf = (messages: readonly Received[]) => messages.map(({ headers }) => headers['webhook-id']);
const numbersOf = (messages: readonly Received[]) =>
  messages.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
const verified = ({ headers, body }: Received, secret = SECRET) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('an endpoint', () => {
  test('that is down for a while, with a worker killed in between, gets every event in order', async () => {
    const of = await hook();
    await happen(5);
    answer = status(503);
    await deliver(3);
    expect(new Set(numbersOf(received))).toEqual(new Set([0]));
    expect(await findWebhook(database, of)).toMatchObject({ failures: 3, disabledAt: null });

    received.length = 0;
    answer = ok;
    // A worker sends the first one and is killed before it can say so.
    const claim = (await claimDueWebhook(database, 30_000))!;
    await post((await nextWebhookDelivery(database, claim, 30_000))!);
    await deliver();
    expect(numbersOf(received)).toEqual([0]);
    await database.query(`update webhooks set lease_until = now()`);
    await happen(3);
    await deliver();
    // What the killed one sent comes again, under the same id.
    expect(numbersOf(received)).toEqual([0, 0, 1, 2, 3, 4, 0, 1, 2]);
    expect(idsOf(received)[0]).toBe(idsOf(received)[1]);
    expect(new Set(idsOf(received)).size).toBe(8);
    expect(await findWebhook(database, of)).toMatchObject({ failures: 0, failingSince: null });
    // The worker that was taken for dead can write nothing any more.
    expect(await nextWebhookDelivery(database, claim, 30_000)).toBeNull();
  });

  test('can verify what it gets, with either secret while it is rotated', async () => {
    const of = await hook();
    const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await happen(1);
    await deliver();
    await rotateWebhookSecret(database, of, next, 24);
    await happen(1);
    await deliver();
    const [first, second] = received as [Received, Received];
    // Ids and counts, unless it asks for more.
    expect(verified(first)).toEqual({
      id: first.headers['webhook-id'],
      type: 'memory.created',
      timestamp: expect.stringMatching(/Z$/),
      data: { user_id: 'maya', n: 0 },
    });
    expect(() => verified(first, next)).toThrow('No matching signature');
    expect([verified(second), verified(second, next)]).toHaveLength(2);
    expect(() => verified({ ...second, body: `${second.body} ` })).toThrow('No matching signature');
  });

  test('gets the memory too, if it wants it, as it is when it is sent', async () => {
    await hook(['memory.created', 'memory.deleted'], 'full');
    const memories = ['The cat is called Miso.', 'The dog is called Rex.'].map((content) =>
      newMemory(TENANT, 'maya', content),
    );
    await insertMemories(database, memories, { actor: 'test', extractionId: null });
    const [kept, gone] = memories.map(({ id }) => id);
    await database.query('delete from memories where id = $1::uuid', [gone]);
    await settled();
    await deliver();
    type Body = { type: string; data: { memory_id: string; memory?: object } };
    const bodies = received.map((message) => verified(message) as Body);
    expect(bodies.map(({ data }) => [data.memory_id, data.memory]).sort()).toEqual(
      [
        [kept, expect.objectContaining({ id: kept, user_id: 'maya', content: 'The cat is called Miso.' })],
        [gone, undefined],
      ].sort(),
    );
    expect(received.map(({ body }) => body).join()).not.toContain('Rex');
  });

  test('gets the types that it wants, and passes the rest by', async () => {
    await hook(['user.erased']);
    await happen(3);
    await happen(1, 'user.erased');
    await deliver();
    expect(received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['user.erased']);
    expect(await deliverOnce(never)).toBe(false);
  });

  test.each([
    ['410 disables it', status(410), 'gone', 0],
    ['failing for a day disables it', status(500), 'failing', 25],
    ['failing for less does not', status(500), null, 23],
    ['a redirect is not followed', status(302, { location: url }), null, 0],
  ])('%s', async (_name, code, reason, hours) => {
    const of = await hook();
    await happen(2);
    answer = code;
    const ago = `update webhooks set failing_since = now() - $1::integer * interval '1 hour' where $1::integer > 0`;
    await database.query(ago, [hours]);
    await deliver(1);
    expect(received).toHaveLength(1);
    expect(await findWebhook(database, of)).toMatchObject({ disabledReason: reason });
    if (reason !== null) {
      await deliver();
      expect(received).toHaveLength(1);
    }
    // Enabled again, it gets what it has missed.
    answer = ok;
    await updateWebhook(database, of, { enabled: true });
    await deliver();
    expect(numbersOf(received)).toEqual([0, 0, 1]);
  });

  test('says with Retry-After when it wants the next one', async () => {
    const of = await hook();
    await happen(1);
    answer = status(429, { 'retry-after': '120' });
    await deliver();
    expect(received).toHaveLength(1);
    const { nextAttemptAt } = (await findWebhook(database, of))!;
    expect(nextAttemptAt.getTime() - Date.now()).toBeGreaterThan(60_000);
    // A test does not wait, and says how it went.
    const id = randomUUID();
    answer = ok;
    await requestTestDelivery(database, of, id);
    await deliver();
    expect(idsOf(received).slice(1)).toEqual([id, idsOf(received)[0]]);
    const log = { tenantId: TENANT, webhookId: of.id, state: null, before: null, limit: 10 };
    expect(await listDeliveries(database, log)).toMatchObject([
      { id, eventId: null, state: 'delivered', status: 204, attempts: 1 },
      { state: 'delivered', status: 204, attempts: 2 },
    ]);
  });

  test('gets a range again, in order and under the same ids; what is gone is marked so', async () => {
    const of = await hook();
    await happen(4);
    await deliver();
    const [first, second] = idsOf(received) as [string, string];
    received.length = 0;
    await replayEvents(database, of, { after: first, until: null, only: null });
    const [watermark, number] = second.split('-');
    await database.query(`delete from events where watermark = $1::bigint and number = $2::bigint`, [
      watermark,
      number,
    ]);
    await deliver();
    expect(numbersOf(received)).toEqual([2, 3]);
    const log = { tenantId: TENANT, webhookId: of.id, state: 'failed', before: null, limit: 10 } as const;
    expect(await listDeliveries(database, log)).toMatchObject([{ eventId: second, error: 'event_gone' }]);
  });
});

test('an endpoint that does not answer in time has not answered', async () => {
  const of = await hook();
  await happen(1);
  answer = () => undefined;
  const delivery = (await nextWebhookDelivery(database, (await claimDueWebhook(database, 30_000))!, 30_000))!;
  expect(await post(delivery, never, 50)).toMatchObject({ status: null, error: 'timeout' });
  receiver.closeAllConnections();
  answer = (response) => response.destroy();
  expect(await post(delivery)).toMatchObject({ status: null, error: 'no_answer' });
  expect(of.id).toBeDefined();
});

describe('what an address leads to', () => {
  const lookUp =
    (...addresses: string[]) =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

  test.each([
    ['https://hooks.example.com', ['93.184.216.34', '2606:2800:220:1::1'], 'allowed'],
    ['https://hooks.example.com', ['93.184.216.34', '10.0.0.1'], 'address_refused'],
    ['https://hooks.example.com', ['169.254.169.254'], 'address_refused'],
    ['https://hooks.example.com', ['100.64.0.1'], 'address_refused'],
    ['https://hooks.example.com', ['::ffff:127.0.0.1'], 'address_refused'],
    ['https://hooks.example.com', ['64:ff9b::7f00:1'], 'address_refused'],
    ['https://hooks.example.com', ['fd00::1'], 'address_refused'],
    ['https://hooks.example.com', ['0.0.0.0'], 'address_refused'],
    ['https://hooks.example.com', [], 'name_not_found'],
    ['https://0x7f.1/', [], 'address_refused'],
    ['https://[::1]/', [], 'address_refused'],
    ['http://hooks.example.com', ['93.184.216.34'], 'http_refused'],
  ])('%s at %j is %s', async (address, found, expected) => {
    const target = await resolveTarget(new URL(address), false, lookUp(...found));
    expect('refused' in target ? target.refused : 'allowed').toBe(expected);
  });

  test('is connected to as it was found, and not looked up again', async () => {
    const { port } = receiver.address() as AddressInfo;
    const delivery = {
      id: randomUUID(),
      url: `http://hooks.invalid:${port}/`,
      payload: 'thin' as const,
      secrets: [SECRET],
      failures: 0,
      event: {
        id: '1-1',
        type: 'memory.created',
        timestamp: '2026-11-23T10:00:00Z',
        user_id: null,
        data: {},
      },
    };
    const options = { timeoutMs: 60_000, userAgent: 'test', now: Date.now, signal: never };
    const posted = { ...options, privateNetworks: true, lookUp: lookUp('127.0.0.1') };
    expect(await postWebhook(delivery, posted)).toMatchObject({ status: 204 });
    expect(received[0]?.headers.host).toBe(`hooks.invalid:${port}`);
  });
});
