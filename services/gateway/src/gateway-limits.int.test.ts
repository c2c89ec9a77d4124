import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Permission } from '@factmill/contracts';
import { startRedis, waitFor } from '@factmill/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startUpstream } from './chat/upstream.fixture.ts';
import {
  type Answer,
  type GatewayUnderTest,
  openTestPool,
  said,
  send,
  startGateway,
} from './gateway.fixture.ts';

const LIST = '/v1/memories?user_id=maya';

/** One after the other; the codes of the answers. */
async function ask(count: number, one: (turn: number) => Promise<Answer>): Promise<number[]> {
  const codes: number[] = [];
  for (let turn = 0; turn < count; turn += 1) codes.push((await one(turn)).status);
  return codes;
}

const allowedOf = (codes: readonly number[]) => codes.filter((code) => code === 200).length;

describe('rates', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway({
      RATE_LIMIT_KEY: '1',
      RATE_LIMIT_TENANT: '1000',
      RATE_LIMIT_BURST_S: '30',
    });
  });
  afterAll(() => gateway.close());

  /** The burst, and one for each second that has begun meanwhile. */
  const mostAllowed = (startedAt: number) => 31 + Math.ceil((performance.now() - startedAt) / 1_000);

  test('a key over its rate is refused with what a client needs to come back; others go on', async () => {
    const key = await gateway.makeKey({ tenant: 'flood' });
    const other = await gateway.makeKey({ tenant: 'flood' });
    const startedAt = performance.now();
    const codes = await ask(60, () => gateway.call('GET', LIST, { key }));
    expect(codes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(allowedOf(codes)).toBeLessThanOrEqual(mostAllowed(startedAt));
    const first = await gateway.call('GET', LIST, { key: other });
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=1;w=1, "tenant";q=1000;w=1');
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d, "tenant";r=\d+;t=\d$/);

    const refused = await waitFor(
      async () => {
        const answer = await gateway.call('GET', LIST, { key });
        return answer.status === 429 ? answer : undefined;
      },
      { describe: 'the key to be over its rate' },
    );
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(refused.body).toMatchObject({
      type: 'urn:factmill:problem:rate_limited',
      title: 'Too many requests',
      status: 429,
      code: 'rate_limited',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('chats are limited as OpenAI’s clients expect it', async () => {
    const key = await gateway.makeKey({ permissions: ['memory.read', 'memory.write', 'admin'] });
    const body = { model: 'm', messages: [said('hello')] };
    const refused = await waitFor(
      async () => {
        const answer = await gateway.call('POST', '/v1/chat/completions', { key, body });
        return answer.status === 429 ? answer : undefined;
      },
      { describe: 'the key to be over its rate', intervalMs: 1 },
    );
    expect(refused.body).toMatchObject({ code: 'rate_limited', error: { type: 'rate_limit_error' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('two gateways share the rate of a key', async () => {
    const second = await gateway.another();
    const key = await gateway.makeKey({ tenant: 'shared' });
    const urls = [gateway.url, second.url];
    const startedAt = performance.now();
    const codes = await ask(80, (turn) => send(urls[turn % 2] ?? '', 'GET', LIST, { key }));
    expect(allowedOf(codes)).toBeGreaterThanOrEqual(30);
    expect(allowedOf(codes)).toBeLessThanOrEqual(mostAllowed(startedAt));
  });

  test('a request that is refused does not have its body read', async () => {
    const key = await gateway.makeKey({ tenant: 'bodies' });
    await ask(60, () => gateway.call('GET', LIST, { key }));
    const refused = await waitFor(
      async () => {
        const answer = await gateway.call('POST', '/v1/memories', { key, raw: '{"no json' });
        return answer.status === 429 ? answer : undefined;
      },
      { describe: 'a refusal' },
    );
    expect(refused.body).toMatchObject({ code: 'rate_limited' });
  });
});

test('all keys of a tenant share its rate, and 0 sets no limit', async () => {
  const gateway = await startGateway({
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_TENANT: '1',
    RATE_LIMIT_BURST_S: '20',
  });
  try {
    const keys = await Promise.all([1, 2].map(() => gateway.makeKey({ tenant: 'several' })));
    const codes = await ask(60, (turn) => gateway.call('GET', LIST, { key: keys[turn % 2] ?? null }));
    expect(codes).toContain(429);
    const other = await gateway.makeKey({ tenant: 'another' });
    expect((await gateway.call('GET', LIST, { key: other })).status).toBe(200);
  } finally {
    await gateway.close();
  }
});

test('without Redis each gateway continues with counts of its own', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'factmill-limits-'));
  const redis = await startRedis({ dir });
  const gateway = await startGateway({
    REDIS_URL: redis.url,
    RATE_LIMIT_KEY: '1',
    RATE_LIMIT_BURST_S: '10',
  });
  try {
    const key = await gateway.makeKey({ tenant: 'outage' });
    expect((await gateway.call('GET', LIST, { key })).status).toBe(200);
    await redis.freeze();
    expect((await gateway.call('GET', LIST, { key })).status).toBe(200);
    await redis.kill();
    const codes = await ask(40, () => gateway.call('GET', LIST, { key }));
    expect(codes[0]).toBe(200);
    expect(codes).toContain(429);
    expect(codes.every((code) => code === 200 || code === 429)).toBe(true);
  } finally {
    await gateway.close();
    await redis.kill();
    await rm(dir, { recursive: true });
  }
});

describe('failed authentication', () => {
  test('is limited for each address, and never for a key that is good', async () => {
    const gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: '3' });
    try {
      const key = await gateway.makeKey({});
      const wrong = (turn: number, headers = {}) =>
        gateway.call('GET', LIST, { key: `wrong-${turn}`, headers });
      expect(await ask(3, wrong)).toEqual([401, 401, 401]);
      const refused = await wrong(4);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ code: 'rate_limited' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      // Strangers do not choose whose failures theirs are.
      expect((await wrong(5, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(429);
      expect((await gateway.call('GET', LIST, { key })).status).toBe(200);
      expect((await gateway.call('GET', LIST, { key: null })).status).toBe(401);
    } finally {
      await gateway.close();
    }
  });

  test('behind a proxy that is trusted, the address is the caller’s', async () => {
    const gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: '3', TRUST_PROXY: 'loopback' });
    try {
      const from = (address: string) =>
        gateway.call('GET', LIST, { key: 'wrong', headers: { 'x-forwarded-for': address } });
      await ask(5, () => from('203.0.113.1'));
      expect((await from('203.0.113.1')).status).toBe(429);
      expect((await from('203.0.113.2')).status).toBe(401);
    } finally {
      await gateway.close();
    }
  });
});

test('a tenant whose work hangs holds up neither another one nor accepting', async () => {
  const gateway = await startGateway({ DATABASE_POOL_MAX: '8' });
  const blocker = openTestPool(gateway.config.storage.ownerUrl ?? '');
  try {
    const flooding = await gateway.makeKey({ tenant: 'flooding' });
    const quiet = await gateway.makeKey({ tenant: 'quiet' });
    const both = { key: quiet };
    expect((await gateway.call('GET', LIST, both)).status).toBe(200);
    let stuck: Promise<Answer>[] = [];
    let answered = 0;
    await blocker.transaction(async (tx) => {
      await tx.query('lock table documents in access exclusive mode');
      stuck = Array.from({ length: 40 }, async () => {
        const answer = await gateway.call('GET', '/v1/documents?user_id=maya', { key: flooding });
        answered += 1;
        return answer;
      });
      // The flood has its share of the connections, all of which hang.
      await waitFor(
        async () => {
          const { rows } = await blocker.query<{ waiting: number }>(
            `select count(*)::integer as waiting from pg_stat_activity
             where wait_event_type = 'Lock' and datname = current_database()`,
          );
          return rows[0]?.waiting === 2;
        },
        { describe: 'the share of the flood to hang' },
      );
      expect(await ask(20, () => gateway.call('GET', LIST, both))).toEqual(
        Array.from({ length: 20 }, () => 200),
      );
      for (const key of [quiet, flooding]) {
        const body = { user_id: 'maya', messages: [said('I live in Vienna.')] };
        expect((await gateway.call('POST', '/v1/extractions', { key, body })).status).toBe(202);
      }
      expect(answered).toBe(0);
    });
    expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual(stuck.map(() => 200));
  } finally {
    await blocker.close();
    await gateway.close();
  }
});

test('a tenant that floods with chats does not hold up the chat of another one', async () => {
  const upstream = await startUpstream();
  const gateway = await startGateway({
    CHAT_BASE_URL: `${upstream.url}/v1`,
    CHAT_API_KEY: 'of-the-upstream',
  });
  try {
    const permissions: Permission[] = ['admin'];
    const flooding = await gateway.makeKey({ tenant: 'flooding', permissions });
    const quiet = await gateway.makeKey({ tenant: 'quiet', permissions });
    const chat = (key: string) =>
      gateway.call('POST', '/v1/chat/completions', { key, body: { model: 'm', messages: [said('hello')] } });
    expect((await chat(quiet)).status).toBe(200);
    let answered = 0;
    const flood = Array.from({ length: 100 }, async () => {
      const answer = await chat(flooding);
      answered += 1;
      return answer.status;
    });
    await waitFor(() => answered > 0, { describe: 'the flood to begin', intervalMs: 1 });
    expect((await chat(quiet)).status).toBe(200);
    expect(answered).toBeLessThan(100);
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
  } finally {
    await gateway.close();
    await upstream.close();
  }
});
