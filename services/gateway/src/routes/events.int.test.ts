import { eventSchema } from '@factmill/contracts';
import { DEFAULT_TENANT_ID, MAX_WEBHOOKS } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Response as ExpressResponse } from 'express';
import { PassThrough } from 'node:stream';
import { sendEventStream } from '../events/event-stream.ts';
import { ADMIN_KEY, fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const save = async (user: string, content: string): Promise<string> => {
  const { status, body } = await gateway.call('POST', '/v1/memories', { body: { content, user_id: user } });
  expect(status).toBe(201);
  return String(body.id);
};
/** Resolves when no transaction, of any database of the server, holds back what has been committed. */
const settled = () =>
  waitFor(
    async () => {
      const { held } = await gateway.database.one<{ held: boolean }>(
        'select exists (select from events where watermark >= event_horizon()) as held',
      );
      return !held;
    },
    { timeoutMs: 60_000, describe: 'other transactions to end' },
  );

const list = async (query: string, key?: string) => {
  await settled();
  return gateway.call('GET', `/v1/events?${query}`, key === undefined ? {} : { key });
};
/** The place from which a test reads what it does itself. */
const now = async (): Promise<string> => String((await list('after=now')).body.next_cursor);
const memoriesOf = (events: readonly { data: { memory_id?: string } }[]) =>
  events.map(({ data }) => data.memory_id);

type Streamed = Readonly<{ id: string; data: { id: string; data: { memory_id: string } } }>;

/** Reads a stream until it has so many events, and leaves. */
async function readStream(
  query: string,
  most: number,
  more: { lastEventId?: string; signal?: AbortSignal } = {},
): Promise<Streamed[]> {
  const response = await fetch(`${gateway.url}/v1/events?${query}`, {
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      accept: 'text/event-stream',
      ...(more.lastEventId === undefined ? {} : { 'last-event-id': more.lastEventId }),
    },
    signal: more.signal ?? null,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: Streamed[] = [];
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(frame) ?? [];
      if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) });
    }
    if (events.length >= most) break;
  }
  return events;
}

describe('GET /v1/events', () => {
  test('lists what happened, page after page, as the contract says', async () => {
    const after = await now();
    const ids = [await save('maya', 'secret one'), await save('noah', 'secret two')];
    await gateway.call('DELETE', `/v1/memories/${ids[0]}?user_id=maya`);
    const first = await list(`all_users=true&after=${after}&limit=2`);
    const rest = await list(`after=${first.body.next_cursor}`);
    const events = [...first.body.data, ...rest.body.data];
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
    expect(memoriesOf(events)).toEqual([...ids, ids[0]]);
    expect(events.map(({ type }) => type)).toEqual(['memory.created', 'memory.created', 'memory.deleted']);
    expect(JSON.stringify(events)).not.toContain('secret');
    const { body } = await list(`after=${after}&types=memory.deleted,user.erased&user_id=maya`);
    expect(memoriesOf(body.data)).toEqual([ids[0]]);
    expect((await list(`after=${rest.body.next_cursor}`)).body.data).toEqual([]);
  });

  test('a list waits for the next event', async () => {
    const after = await now();
    const wait = async () => {
      for (;;) {
        const { body } = await gateway.call('GET', `/v1/events?after=${after}&wait=30`);
        if (body.data.length > 0) return memoriesOf(body.data);
      }
    };
    const [found, id] = await Promise.all([wait(), save('maya', 'waited for')]);
    expect(found).toEqual([id]);
  });

  test('shows a key no more than its user and its tenant', async () => {
    const after = await now();
    await save('noah', 'of noah');
    const id = await save('maya', 'of maya');
    const locked = await gateway.makeKey({ permissions: ['memory.read'], userId: 'maya', userLocked: true });
    const plain = await gateway.makeKey({ permissions: ['memory.read'] });
    const other = await gateway.makeKey({ tenant: 'other', permissions: ['admin'] });
    expect(memoriesOf((await list(`after=${after}`, locked)).body.data)).toEqual([id]);
    expect((await list(`after=${after}&user_id=noah`, locked)).body.code).toBe('user_locked');
    expect((await list(`after=${after}`, plain)).status).toBe(403);
    expect(memoriesOf((await list(`after=${after}&user_id=maya`, plain)).body.data)).toEqual([id]);
    expect((await list(`after=${after}`, other)).body.data).toEqual([]);
  });

  test.each([
    ['after=1', 'after'],
    ['after=99999999999999999999-1', 'after'],
    ['types=memory.read', 'types.0'],
    ['wait=31', 'wait'],
    ['since=1', 'since'],
  ])('refuses %s', async (query, field) => {
    const answer = await list(query);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });
});

describe('the stream', () => {
  test('a reader that connects again and again during load misses nothing and gets nothing twice', async () => {
    const saved: string[] = [];
    let last = await now();
    const write = async (user: string) => {
      for (let round = 0; round < 25; round += 1) saved.push(await save(user, `${user} ${round}`));
    };
    const writing = Promise.all(['ada', 'ben', 'cleo', 'dan'].map(write));
    const read: Streamed[] = [];
    while (read.length < 100) {
      const wanted = Math.min(1 + (read.length % 3), 100 - read.length);
      const events = await readStream('after=now', wanted, { lastEventId: last });
      read.push(...events);
      last = events.at(-1)?.id ?? last;
    }
    await writing;
    expect(memoriesOf(read.map(({ data }) => data))).toHaveLength(saved.length);
    expect(new Set(memoriesOf(read.map(({ data }) => data)))).toEqual(new Set(saved));
    expect(read.every(({ id, data }) => id === data.id)).toBe(true);
  });

  test('says when it is alive, waits for a slow reader, and ends when the gateway stops', async () => {
    const sink = new PassThrough({ highWaterMark: 1 });
    const ended = new AbortController();
    const stream = sendEventStream({
      response: Object.assign(sink, { writeHead: () => sink }) as unknown as ExpressResponse,
      ended: ended.signal,
      after: '0-0',
      read: (after) => Promise.resolve({ events: [], next: after }),
      pollMs: 1,
      heartbeatMs: 1,
    });
    let text = '';
    sink.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await waitFor(() => text.includes(': heartbeat\n\n: heartbeat'), { describe: 'two heartbeats' });
    ended.abort();
    await stream;
    expect(sink.writableEnded).toBe(true);
  });

  test('a wrong Last-Event-ID is refused; a stopping gateway does not wait for its readers', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' };
    const answer = await gateway.call('GET', '/v1/events', { headers });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['Last-Event-ID']]);
    const another = await gateway.another();
    const open = await fetch(`${another.url}/v1/events?after=now`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, accept: 'text/event-stream' },
    });
    await another.close();
    expect(await open.text()).toContain('retry:');
  });
});

describe('/v1/webhooks', () => {
  const url = 'https://hooks.example.com/factmill';
  const call = (method: string, path: string, body?: unknown) =>
    gateway.call(method, `/v1/webhooks${path}`, body === undefined ? {} : { body });

  test('are created with a secret that is shown once, changed, rotated and deleted', async () => {
    const created = await call('POST', '', { url, types: ['memory.created'] });
    expect([created.status, created.body.secret]).toEqual([
      201,
      expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    ]);
    const { id } = created.body;
    const shown = (await call('GET', `/${id}`)).body;
    expect(shown).toMatchObject({ url, types: ['memory.created'], payload: 'thin', enabled: true });
    expect(JSON.stringify([shown, (await call('GET', '')).body])).not.toContain('whsec_');
    const off = await call('PATCH', `/${id}`, { enabled: false, types: null, payload: 'full' });
    expect(off.body).toMatchObject({
      enabled: false,
      disabled_reason: 'request',
      types: null,
      payload: 'full',
    });
    expect((await call('PATCH', `/${id}`, { payload: 'whole' })).status).toBe(400);
    expect((await call('POST', `/${id}/test`)).body.code).toBe('state_conflict');
    await call('PATCH', `/${id}`, { enabled: true });
    const tested = await call('POST', `/${id}/test`);
    expect((await call('GET', `/${id}/deliveries`)).body.data).toMatchObject([
      { id: tested.body.delivery_id, event_id: null, type: 'webhook.test', state: 'pending' },
    ]);
    const rotated = await call('POST', `/${id}/rotate-secret`);
    expect(rotated.body.secret).not.toBe(created.body.secret);
    expect(rotated.body.previous_secret_until).not.toBeNull();
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('GET', `/${id}/deliveries`)).status).toBe(404);
    const audit = (await gateway.call('GET', '/v1/audit?limit=200')).body.data.reverse();
    const ofThis = audit.filter((record: { target_id: string }) => record.target_id === id);
    expect(ofThis.map(({ action, fields }: Record<string, unknown>) => [action, fields])).toEqual([
      ['webhook.created', []],
      ['webhook.changed', ['types', 'payload', 'enabled']],
      ['webhook.changed', ['enabled']],
      ['webhook.changed', ['secret']],
      ['webhook.deleted', []],
    ]);
  });

  test('send again what they have had: one event, or a range', async () => {
    const after = await now();
    await save('maya', 'replayed one');
    await save('maya', 'replayed two');
    const { data } = (await list(`after=${after}`)).body;
    const { id } = (await call('POST', '', { url, enabled: false })).body;
    const replay = async (body: unknown) => (await call('POST', `/${id}/replay`, body)).body;
    expect(await replay({ event_id: data[1].id })).toEqual({ replayed: 1, next_after: null });
    expect(await replay({ after })).toEqual({ replayed: 2, next_after: null });
    expect(await replay({ after, until: data[0].id })).toEqual({ replayed: 1, next_after: null });
    expect((await replay({ event_id: '1-1' })).code).toBe('not_found');
    const log = (await call('GET', `/${id}/deliveries?limit=1`)).body;
    const rest = (await call('GET', `/${id}/deliveries?limit=1&cursor=${log.next_cursor}`)).body;
    expect([...log.data, ...rest.data].map((delivery) => delivery.event_id).sort()).toEqual([
      data[0].id,
      data[1].id,
    ]);
    expect(rest.next_cursor).toBeNull();
  });

  test.each([
    [{ url: 'http://hooks.example.com' }, 'url'],
    [{ url: 'https://127.0.0.1/x' }, 'url'],
    [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'https://2130706433/' }, 'url'],
    [{ url: 'https://localhost:8443' }, 'url'],
    [{ url: 'https://user:pass@hooks.example.com' }, 'url'],
    [{ url: 'ftp://hooks.example.com' }, 'url'],
    [{ url, types: [] }, 'types'],
    [{ url, types: ['memory.read'] }, 'types.0'],
    [{ url, secret: 'own' }, 'secret'],
  ])('refuse %j', async (body, field) => {
    const answer = await call('POST', '', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  test('are bounded for each tenant', async () => {
    await gateway.database.query(
      `insert into webhooks (tenant_id, id, url, secret, watermark, number)
       select $1::uuid, new_uuid_v7(), 'https://hooks.invalid', 's', 0, 0 from generate_series(1, $2::integer)`,
      [DEFAULT_TENANT_ID, MAX_WEBHOOKS],
    );
    expect((await call('POST', '', { url })).body.code).toBe('state_conflict');
  });
});
