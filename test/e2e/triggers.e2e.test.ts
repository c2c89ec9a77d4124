import { createPool, type DatabasePool, migrate } from '@factmill/database';
import {
  createScriptedModel,
  createTestDatabase,
  type OwnRedis,
  type ScriptedModel,
  startRedis,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const QUIET_GAP_S = 3;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let testDatabase: TestDatabase;
let database: DatabasePool;
let redisDir: string;
let redis: OwnRedis;
let model: ScriptedModel;
let env: Record<string, string>;
const services = new Set<ServiceProcess>();

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  const { connectionString, serviceUrl } = testDatabase;
  database = createPool({ connectionString, max: 2, applicationName: 'triggers', logger: quiet });
  redisDir = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
  redis = await startRedis({ dir: redisDir });
  model = await createScriptedModel();
  env = {
    DATABASE_URL: serviceUrl,
    REDIS_URL: redis.url,
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
  };
});
afterAll(async () => {
  await Promise.all([...services].map((service) => service.kill()));
  await model.close();
  await redis.stop();
  await rm(redisDir, { recursive: true });
  await database.close();
  await testDatabase.drop();
});

async function start(name: 'gateway' | 'extractor'): Promise<ServiceProcess> {
  const service = await startService(name, env);
  services.add(service);
  return service;
}

async function send(url: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, unknown>;
}

test('a quiet gap outlives the extractor and the queue, and ends in one extraction when it is over', async () => {
  const [gateway, extractor] = await Promise.all([start('gateway'), start('extractor')]);
  const conversations = `${gateway.url}/v1/conversations`;
  await send(conversations, {
    id: 'garden',
    user_id: 'maya',
    policy: { min_turns: 1, quiet_gap_s: QUIET_GAP_S, idle_timeout_s: 0, daily_flush: false },
  });
  const post = (content: string) =>
    send(`${conversations}/garden/messages`, { messages: [{ role: 'user', content }] });
  expect((await post('I live in Lisbon.'))['extraction']).toBeNull();
  expect((await post('I like figs.'))['extraction']).toBeNull();

  await extractor.kill('SIGKILL');
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  await Promise.all([start('extractor'), start('extractor')]);

  const row = await waitFor(
    () =>
      database.maybeOne<{ waitedMs: number; trigger: string; range: string; count: number }>(
        `select (extract(epoch from e.accepted_at - c.last_active_at) * 1000)::integer as "waitedMs",
           trigger, from_seq || '-' || to_seq as range, count(*) over ()::integer as count
         from extractions e join conversations c on c.tenant_id = e.tenant_id and c.id = e.conversation_id
         where e.state = 'done'`,
      ),
    { describe: 'the extraction to be done', timeoutMs: 20_000 },
  );
  expect(row).toMatchObject({ trigger: 'quiet_gap', range: '1-2', count: 1 });
  expect(row.waitedMs).toBeGreaterThanOrEqual(QUIET_GAP_S * 1_000);
  const { rows } = await database.query('select key, value from memories where is_current order by key');
  expect(rows).toMatchObject([{ value: 'Lisbon' }, {}]);
});
