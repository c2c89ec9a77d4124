import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '@factmill/client';
import { createPool, type DatabasePool, migrate } from '@factmill/database';
import {
  createEmptyDatabase,
  createRedisNamespace,
  createScriptedModel,
  createTestDatabase,
  type RedisNamespace,
  type ScriptedModel,
  startRedis,
  type TestDatabase,
  waitFor,
  patiently,
} from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd, type ServiceProcess, startService } from '../support/service-process.ts';

const ADMIN_KEY = 'an-admin-key-that-is-long-enough';
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let testDatabase: TestDatabase;
let database: DatabasePool;
let redis: RedisNamespace;
let model: ScriptedModel;
let env: Record<string, string>;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  const { connectionString, serviceUrl } = testDatabase;
  database = createPool({ connectionString, max: 2, applicationName: 'e2e', logger: quiet });
  redis = createRedisNamespace();
  model = await createScriptedModel();
  env = {
    DATABASE_URL: serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_BASE_URL: model.url,
    EMBEDDING_MODEL: 'scripted-embedding',
    PRESET: 'facts-and-context',
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
  };
});
afterAll(async () => {
  await model.close();
  await database.close();
  await redis.cleanup();
  await testDatabase.drop();
});

async function statusOf(url: string, key: string | null, body?: unknown): Promise<number> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
}

async function stopped(service: ServiceProcess): Promise<{ code: number | null; tookMs: number }> {
  const startedAt = performance.now();
  await service.kill('SIGTERM');
  const { code } = await service.exit;
  return { code, tookMs: performance.now() - startedAt };
}

describe('the whole system', () => {
  let gateway: ServiceProcess;
  let retrieval: ServiceProcess;
  let extractors: ServiceProcess[];
  let client: Client;
  let key: string;

  beforeAll(async () => {
    retrieval = await startService('retrieval', env);
    [gateway, ...extractors] = await Promise.all([
      startService('gateway', { ...env, RETRIEVAL_URL: retrieval.url }),
      startService('extractor', env),
      startService('extractor', env),
    ]);
    const admin = createClient({ baseUrl: gateway.url, apiKey: ADMIN_KEY });
    ({ key } = await admin.apiKeys.create({ name: 'app', permissions: ['memory.read', 'memory.write'] }));
    client = createClient({ baseUrl: gateway.url, apiKey: key, userId: 'maya' });
  });
  afterAll(async () => {
    await Promise.all([gateway, retrieval, ...extractors].map((service) => service.kill()));
  });

  test('nobody gets in without a key, at either door', async () => {
    for (const url of [
      `${gateway.url}/v1/memories`,
      `${gateway.url}/v1/memories/search`,
      `${retrieval.url}/v1/memories/search`,
    ]) {
      const body = url.endsWith('search') ? { query: 'home', user_id: 'maya' } : undefined;
      expect(await statusOf(url, null, body)).toBe(401);
      expect(await statusOf(url, 'fm_abc_def', body)).toBe(401);
    }
  });

  test('a conversation goes in, its memories come out and are found', async () => {
    const accepted = await client.conversations.post('first', {
      extract: 'now',
      messages: [
        { id: 'm1', role: 'user', content: 'I live in Lisbon. My dog is called Bruno.' },
        { id: 'm2', role: 'assistant', content: 'Nice to meet you both.' },
      ],
    });
    expect(accepted.extraction?.state).toBe('pending');
    const id = accepted.extraction?.id ?? '';
    const done = await client.extractions.waitFor(id, { timeoutMs: 10_000 });
    expect(done).toMatchObject({
      state: 'done',
      attempts: 1,
      counts: { added: 2 },
      usage: { model_calls: 1 },
    });

    for (const door of [gateway, retrieval]) {
      const there = createClient({ baseUrl: door.url, apiKey: key, userId: 'maya' });
      const { results } = await there.memories.search({ query: 'live in Lisbon' });
      expect(results.find(({ memory }) => memory.key === 'home')?.memory).toMatchObject({
        value: 'Lisbon',
        provenance: { extraction_id: id, message_ids: ['m1'] },
      });
    }
    const others = await client.memories.search({ user_id: 'noah', query: 'live in Lisbon' });
    expect(others.results).toEqual([]);
  });

  test('two extractors share the work, and each thing is stored once', async () => {
    model.setReply(({ endpoint }) => (endpoint === 'chat' ? { delayMs: 20 } : undefined));
    const count = 60;
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        client.extractions.create({
          user_id: 'shared',
          messages: [{ role: 'user', content: `My code word number ${n} is zebra${n}.` }],
        }),
      ),
    );
    await waitFor(
      async () => {
        const { rowCount } = await database.query(
          `select 1 from extractions where user_id = 'shared' and state = 'done'`,
        );
        return rowCount === count;
      },
      { timeoutMs: 30_000, describe: 'all to be done' },
    );
    const { rows } = await database.query<{ total: number; distinct: number; workers: number }>(
      `select count(*)::integer as total, count(distinct key)::integer as distinct,
         (select count(distinct claimed_by)::integer from extractions where user_id = 'shared') as workers
       from memories where user_id = 'shared'`,
    );
    expect(rows).toEqual([{ total: count, distinct: count, workers: 2 }]);
    model.setReply(() => undefined);
  });

  test('extractors give way to the services that somebody waits for', () => {
    const own = getPriority();
    expect([gateway, retrieval].map(({ pid }) => getPriority(pid))).toEqual([own, own]);
    for (const { pid } of extractors) expect(getPriority(pid)).toBe(Math.max(own, 10));
  });

  test('idle services end in order within two seconds', async () => {
    const services = [gateway, retrieval, ...extractors];
    for (const { code, tookMs } of await Promise.all(services.map(stopped))) {
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(patiently(2_000));
    }
  });
});

describe('an extractor that is told to stop while its model thinks', () => {
  const said = 'I work as a nurse.';

  async function acceptAndCall(extractorEnv: Record<string, string>, delayMs: number) {
    const before = model.callCount;
    model.setReply(({ endpoint }) => (endpoint === 'chat' ? { delayMs } : undefined));
    const userId = randomUUID();
    const gateway = await startService('gateway', { ...env, AUTH: 'none' });
    const extractor = await startService('extractor', { ...env, ...extractorEnv });
    const accepted = await createClient({ baseUrl: gateway.url, userId }).extractions.create({
      messages: [{ role: 'user', content: said }],
    });
    await gateway.kill('SIGTERM');
    await waitFor(() => model.callCount > before, { describe: 'the model to be asked' });
    return { extractor, id: accepted.id ?? '' };
  }

  const ledger = (id: string) =>
    database.one<{ state: string; attempts: number; calls: number }>(
      `select state, attempts, model_calls as calls from extractions where id = $1::uuid`,
      [id],
    );

  test('within the grace, it finishes first', async () => {
    const { extractor, id } = await acceptAndCall({ SHUTDOWN_GRACE_MS: '5000' }, 800);
    const { code, tookMs } = await stopped(extractor);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(patiently(2_000 + 800));
    expect(await ledger(id)).toEqual({ state: 'done', attempts: 1, calls: 1 });
  });

  test('beyond the grace, it hands the work back at once, and the next one does it', async () => {
    const { extractor, id } = await acceptAndCall({ SHUTDOWN_GRACE_MS: '300' }, 60_000);
    const { code, tookMs } = await stopped(extractor);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(patiently(2_000 + 300));
    expect(await ledger(id)).toEqual({ state: 'pending', attempts: 0, calls: 0 });
    model.setReply(() => undefined);
    const next = await startService('extractor', env);
    await waitFor(async () => (await ledger(id)).state === 'done', { describe: 'the next one to do it' });
    expect((await stopped(next)).code).toBe(0);
  });
});

describe('a start that cannot work ends with exit code 1 and one clear sentence', () => {
  const oneLine = (output: string) => output.trim().split('\n');

  test('Redis that may throw jobs away', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
    const own = await startRedis({ dir, args: ['--maxmemory-policy', 'allkeys-lru'] });
    const { code, output } = await runToEnd('extractor', { ...env, REDIS_URL: own.url, EXTRACTOR_PORT: '0' });
    await own.stop();
    await rm(dir, { recursive: true });
    expect(code).toBe(1);
    expect(oneLine(output)).toHaveLength(1);
    expect(output).toContain('noeviction');
  });

  test.each(['gateway', 'extractor', 'retrieval'] as const)(
    '%s on a database without the schema',
    async (service) => {
      const empty = await createEmptyDatabase();
      const { code, output } = await runToEnd(service, { ...env, DATABASE_URL: empty.connectionString });
      await empty.drop();
      expect(code).toBe(1);
      expect(oneLine(output)).toHaveLength(1);
      expect(output).toMatch(/migrate/);
    },
  );

  test.each(['gateway', 'extractor', 'retrieval', 'standalone'] as const)(
    '%s with API keys as a user whom no policy holds',
    async (service) => {
      const { code, output } = await runToEnd(service, {
        ...env,
        DATABASE_URL: testDatabase.connectionString,
        GATEWAY_PORT: '0',
        RETRIEVAL_PORT: '0',
        EXTRACTOR_PORT: '0',
      });
      expect(code).toBe(1);
      expect(oneLine(output)).toHaveLength(1);
      expect(output).toMatch(/The user of DATABASE_URL is a superuser.*run the migrate command/);
    },
  );

  test.each(['gateway', 'extractor', 'retrieval'] as const)('%s on a port that is taken', async (service) => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const name = `${service.toUpperCase()}_PORT`;
    const { code, output } = await runToEnd(service, { ...env, [name]: String(port) });
    await new Promise((resolve) => blocker.close(resolve));
    expect(code).toBe(1);
    expect(oneLine(output)).toHaveLength(1);
    expect(output).toContain(`${port}`);
    expect(output).toContain(name);
  });

  test.each(['gateway', 'extractor', 'retrieval'] as const)(
    '%s with a bad configuration',
    async (service) => {
      const { code, output } = await runToEnd(service, {
        ...env,
        GATEWAY_PORT: 'seventy-thousand',
        LLM_TEMPERATURE: 'Xylophone',
        REDIS_URL: 'postgres://Xylophone@example.test',
      });
      expect(code).toBe(1);
      expect(oneLine(output)).toHaveLength(1);
      for (const name of ['GATEWAY_PORT', 'LLM_TEMPERATURE', 'REDIS_URL']) expect(output).toContain(name);
      expect(output).not.toMatch(/seventy|Xylophone/);
    },
  );

  test('a database that is not there', async () => {
    const { code, output } = await runToEnd('extractor', {
      ...env,
      DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/x',
    });
    expect(code).toBe(1);
    expect(oneLine(output)).toHaveLength(1);
    expect(output).not.toContain('hush');
  });
});
