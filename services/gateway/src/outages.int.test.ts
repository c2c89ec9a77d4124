import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@factmill/database';
import {
  freePort,
  type OwnPostgres,
  type OwnRedis,
  startPostgres,
  startRedis,
  waitFor,
  patiently,
} from '@factmill/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerJson, startUpstream, type UpstreamUnderTest } from './chat/upstream.fixture.ts';
import { type GatewayUnderTest, said, startGateway } from './gateway.fixture.ts';

const extract = (gateway: GatewayUnderTest, user: string, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/v1/extractions', {
    body: { user_id: user, messages: [said('I live in Utrecht.')] },
    headers,
  });

const median = (values: readonly number[]) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

describe('with Redis away', () => {
  let dir: string;
  let redis: OwnRedis;
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
    redis = await startRedis({ dir });
    gateway = await startGateway({ REDIS_URL: redis.url, QUEUE_LIMIT: '100' });
  });
  afterAll(async () => {
    await gateway.close();
    await redis.kill();
    await rm(dir, { recursive: true, force: true });
  });

  test('requests are accepted all the same, fast, and wait in the ledger', async () => {
    expect((await extract(gateway, 'before')).status).toBe(202);
    await redis.kill();
    const ids: string[] = [];
    const durations: number[] = [];
    for (let index = 0; index < 15; index += 1) {
      const startedAt = performance.now();
      const answer = await extract(gateway, 'during');
      durations.push(performance.now() - startedAt);
      expect(answer.status).toBe(202);
      ids.push(answer.body.id);
    }
    expect(median(durations)).toBeLessThan(patiently(250));
    const { rows } = await gateway.database.query<{ id: string }>(
      `select id from extractions where user_id = 'during' and state = 'pending' order by accepted_no`,
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const memory = await gateway.call('POST', '/v1/memories', {
      body: { user_id: 'during', content: 'by hand' },
    });
    expect(memory.status).toBe(201);
    expect((await gateway.call('GET', '/readyz')).status).toBe(200);

    await redis.start();
    await waitFor(() => gateway.queues.ping().then(() => true), { describe: 'the queue to be back' });
    const jobs = ids.map((id) => `${id}_0`);
    expect((await gateway.queues.missing('extract', jobs)).toSorted()).toEqual(jobs.toSorted());
    expect((await extract(gateway, 'after')).status).toBe(202);
    expect((await gateway.queues.counts()).extraction.waiting).toBeGreaterThan(0);
  });

  test('a Redis that hangs delays no request for long', async () => {
    const frozen = await startRedis({ dir: await mkdtemp(join(dir, 'frozen-')) });
    const own = await startGateway({ REDIS_URL: frozen.url });
    try {
      await extract(own, 'warm');
      await frozen.freeze();
      const durations: number[] = [];
      for (let index = 0; index < 5; index += 1) {
        const startedAt = performance.now();
        expect((await extract(own, 'frozen')).status).toBe(202);
        durations.push(performance.now() - startedAt);
      }
      expect(median(durations)).toBeLessThan(patiently(250));
    } finally {
      await frozen.kill();
      await own.close();
    }
  });
});

describe('with the database away', () => {
  let dir: string;
  let postgres: OwnPostgres;
  let upstream: UpstreamUnderTest;
  let gateway: GatewayUnderTest;
  let lateByMs = 0;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'factmill-postgres-'));
    postgres = await startPostgres({ dir });
    upstream = await startUpstream();
    await migrate(postgres.connectionString, { logger: { info: () => undefined, warn: () => undefined } });
    gateway = await startGateway(
      { DATABASE_URL: postgres.connectionString, CHAT_BASE_URL: upstream.url, CHAT_MEMORY: 'true' },
      () => new Date(Date.now() + lateByMs),
    );
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
    await postgres.kill();
    await rm(dir, { recursive: true, force: true });
  });

  test('every write is a 503 that says when to try again, nothing is stored, and it heals by itself', async () => {
    const key = { 'idempotency-key': 'through-the-outage' };
    expect((await extract(gateway, 'before')).status).toBe(202);
    expect((await gateway.call('GET', '/readyz')).status).toBe(200);
    await postgres.stop('immediate');
    for (const answer of [
      await extract(gateway, 'during', key),
      await gateway.call('POST', '/v1/conversations/c/messages', {
        body: { user_id: 'during', messages: [said('a')] },
      }),
      await gateway.call('POST', '/v1/conversations', { body: { user_id: 'during' } }),
      await gateway.call('POST', '/v1/memories', { body: { user_id: 'during', content: 'x' } }),
      await gateway.call('GET', '/v1/memories?user_id=during'),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable', errors: [] } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres:/);
    }
    await waitFor(async () => (await gateway.call('GET', '/readyz')).status === 503, {
      describe: 'readiness to fall',
    });
    expect((await gateway.call('GET', '/readyz')).body).toEqual({ ready: false, missing: ['database'] });
    expect(await gateway.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'degraded' } });
    expect((await gateway.call('GET', '/healthz')).status).toBe(200);
    expect((await gateway.queues.counts()).extraction.waiting).toBe(1);

    await postgres.start();
    const users = await gateway.database.query<{ user_id: string }>(
      'select distinct user_id from conversations',
    );
    expect(users.rows).toEqual([{ user_id: 'before' }]);
    expect((await extract(gateway, 'during', key)).status).toBe(202);
    await waitFor(async () => (await gateway.call('GET', '/readyz')).status === 200, {
      describe: 'readiness to rise',
    });
  });

  test('a chat continues, with a key that was looked up some minutes ago', async () => {
    const key = await gateway.makeKey({ userId: 'chatting' });
    const chat = (text: string) =>
      gateway.call('POST', '/v1/chat/completions', {
        key,
        body: { model: 'm', messages: [said(text)] },
      });
    expect((await chat('before')).status).toBe(200);
    await postgres.stop('immediate');
    lateByMs = 5 * 60_000;
    expect((await chat('during')).status).toBe(200);
    const list = await gateway.call('GET', '/v1/memories', { key });
    expect(list).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    lateByMs = 10 * 60_000;
    expect(await chat('too late')).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });

    await postgres.start();
    await waitFor(
      async () => {
        const { rows } = await gateway.database.query<{ content: string }>(
          `select content from messages where content = 'during'`,
        );
        return rows.length === 1;
      },
      { describe: 'what was said during the outage to be stored' },
    );
    expect((await chat('after')).status).toBe(200);
  });
});

describe('retrieval', () => {
  test('is asked with the caller’s key and trace, and its answer is passed on', async () => {
    const retrieval = await startUpstream();
    retrieval.answerWith((_request, response) => {
      response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '7' });
      response.end('{"code":"database_unavailable"}');
    });
    const gateway = await startGateway({ RETRIEVAL_URL: retrieval.origin });
    try {
      const key = await gateway.makeKey({ userId: 'ada' });
      const answer = await gateway.call('POST', '/v1/memories/search', {
        key,
        body: { query: 'where?' },
        headers: { 'x-request-id': '00000000a1' },
      });
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('7');
      expect(retrieval.received).toHaveLength(1);
      const [asked] = retrieval.received;
      expect(asked?.path).toBe('/v1/memories/search');
      expect(asked?.body.toString()).toBe('{"query":"where?"}');
      expect(asked?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-request-id': '00000000a1' });
    } finally {
      await gateway.close();
      await retrieval.close();
    }
  });

  test('of several processes the same one is asked for a user, by every way, until it is away', async () => {
    const processes = [await startUpstream(), await startUpstream()] as const;
    const found = { results: [], mode: 'fused', user_id: 'ada' };
    for (const { answerWith } of processes) answerWith((_request, response) => answerJson(response, found));
    const gateway = await startGateway({ RETRIEVAL_URL: processes.map(({ origin }) => origin).join(',') });
    try {
      const body = { user_id: 'ada', query: 'where?' };
      const ask = (path: string, more = {}) => gateway.call('POST', path, { body: { ...body, ...more } });
      expect((await ask('/v1/memories/search')).status).toBe(200);
      expect((await ask('/v1/context')).status).toBe(200);
      expect((await ask('/v1/tools/memory', { action: 'search' })).status).toBe(200);
      const [home, other] = processes.toSorted((a, b) => b.received.length - a.received.length);
      expect([home?.received.length, other?.received.length]).toEqual([3, 0]);
      await home?.close();
      expect((await ask('/v1/memories/search')).status).toBe(200);
      expect(other?.received).toHaveLength(1);
    } finally {
      await gateway.close();
      for (const { close } of processes) await close();
    }
  });

  test('that does not answer is a 503, and the rest works', async () => {
    const gateway = await startGateway({ RETRIEVAL_URL: `http://127.0.0.1:${await freePort()}` });
    try {
      const answer = await gateway.call('POST', '/v1/memories/search', {
        body: { user_id: 'ada', query: 'where?' },
      });
      expect(answer).toMatchObject({ status: 503, body: { code: 'retrieval_unavailable' } });
      expect((await extract(gateway, 'ada')).status).toBe(202);
    } finally {
      await gateway.close();
    }
  });
});
