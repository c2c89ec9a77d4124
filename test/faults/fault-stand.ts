import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type DatabasePool, migrate } from '@factmill/database';
import {
  type ModelScript,
  type OwnPostgres,
  type OwnRedis,
  type RunningProcess,
  startPostgres,
  startProcess,
  startRedis,
  testPartitions,
  waitFor,
} from '@factmill/testkit';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** Extractions at a time per extractor: the most that one kill can tear away between a model's call and its pin. */
export const CONCURRENCY = 2;
const MODEL_DELAY_MS = 100;
const SERVICE_USER = 'factmill_service';
const MODEL_ENTRY = fileURLToPath(
  new URL('../../packages/testkit/src/scripted-model/main.ts', import.meta.url),
);
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export type FaultStand = Readonly<{
  postgres: OwnPostgres;
  redis: OwnRedis;
  database: DatabasePool;
  gatewayUrl: string;
  startExtractor: () => Promise<ServiceProcess>;
  startRetrieval: () => Promise<ServiceProcess>;
  /** What all services have logged, those that are gone too. */
  logs: () => string;
  /**
   * Has the extractions `from` … `to - 1` accepted; each says one thing that nobody else says. What is not answered,
   * or with 5xx, is sent again with the same Idempotency-Key and message id, as a client does.
   */
  accept: (from: number, to: number) => Promise<void>;
  countDone: (from: number, to: number) => Promise<number>;
  untilDone: (from: number, to: number, count: number, timeoutMs?: number) => Promise<void>;
  /** States, memories and duplicates of a range, for comparing with `expectedOutcome`. */
  outcome: (from: number, to: number) => Promise<Outcome>;
  modelCalls: () => Promise<number>;
  resetModelCalls: () => Promise<void>;
  /** When each call to the model came since the last reset, milliseconds since the epoch. */
  modelCallTimes: () => Promise<number[]>;
  scriptModel: (script: ModelScript) => Promise<void>;
  /** The model's process is gone; connections to it are refused. */
  stopModel: () => Promise<void>;
  /** It is there again, at the same address, and follows a script from the first call on. */
  startModel: (script: ModelScript) => Promise<void>;
  /** Has the model take its time from the next call on, or answer as quickly as usual again. */
  slowModel: (delayMs: number | 'as usual') => Promise<void>;
  close: () => Promise<void>;
}>;

export type Outcome = Readonly<{ done: number; notDone: string[]; memories: number; wrong: string[] }>;

/** Every extraction done, and exactly its memory there. */
export function expectedOutcome(from: number, to: number): Outcome {
  return { done: to - from, notDone: [], memories: to - from, wrong: [] };
}

/**
 * A system of its own: Redis, Postgres, the scripted model and a gateway as processes; extractors come later. `settings`
 * are environment variables of gateway and extractors.
 */
export async function openFaultStand(settings: Readonly<Record<string, string>> = {}): Promise<FaultStand> {
  // Two folders, because the account that Postgres runs as may not look into one of ours.
  const [redisDir, postgresDir] = await Promise.all([
    mkdtemp(join(tmpdir(), 'factmill-redis-')),
    mkdtemp(join(tmpdir(), 'factmill-postgres-')),
  ]);
  const startModelProcess = (env: Readonly<Record<string, string>>): Promise<RunningProcess> =>
    startProcess({ entry: MODEL_ENTRY, env, readyWhen: /listening on (\S+)\/v1/ });
  const [redis, postgres, firstModel] = await Promise.all([
    startRedis({ dir: redisDir }),
    startPostgres({ dir: postgresDir, userWithPassword: SERVICE_USER }),
    startModelProcess({ DELAY_MS: String(MODEL_DELAY_MS) }),
  ]);
  let model = firstModel;
  const serviceUrl = new URL(postgres.connectionString);
  [serviceUrl.username, serviceUrl.password] = [SERVICE_USER, 'pass/word'];
  const services = { url: serviceUrl.href, hasQueue: false };
  await migrate(postgres.connectionString, { logger: quiet, services, ...testPartitions() });
  const database = createPool({
    connectionString: postgres.connectionString,
    max: 2,
    applicationName: 'fault-stand',
    logger: quiet,
  });
  const modelUrl = model.ready?.[1] ?? '';
  const env = {
    DATABASE_URL: services.url,
    REDIS_URL: redis.url,
    LLM_BASE_URL: `${modelUrl}/v1`,
    LLM_MODEL: 'scripted-model',
    EXTRACTOR_CONCURRENCY: String(CONCURRENCY),
    RETRY_INTERVAL_MS: '500',
    ...settings,
  };
  const gateway = await startService('gateway', env);
  const others = new Set<RunningProcess>();
  const start = async (name: 'extractor' | 'retrieval'): Promise<ServiceProcess> => {
    const service = await startService(name, env);
    others.add(service);
    return service;
  };

  const countDone = async (from: number, to: number): Promise<number> => {
    const { count } = await database.one<{ count: number }>(
      `select count(*)::integer as count from extractions
       where state = 'done' and (metadata->>'n')::integer >= $1::integer and (metadata->>'n')::integer < $2::integer`,
      [from, to],
    );
    return count;
  };

  const readCalls = async (): Promise<{ chat: number; chatAtMs: number[] }> =>
    (await (await fetch(`${modelUrl}/__calls`)).json()) as { chat: number; chatAtMs: number[] };
  const scriptModel = async (script: ModelScript): Promise<void> => {
    await fetch(`${modelUrl}/__script`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(script),
    });
  };

  return {
    postgres,
    redis,
    database,
    gatewayUrl: gateway.url,
    startExtractor: () => start('extractor'),
    startRetrieval: () => start('retrieval'),
    logs: () => [gateway, ...others].map((service) => service.output()).join('\n'),
    async accept(from, to) {
      const numbers = Array.from({ length: to - from }, (_, index) => from + index);
      const acceptNext = async (): Promise<void> => {
        for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) await acceptOne(gateway.url, n);
      };
      await Promise.all(Array.from({ length: 8 }, acceptNext));
    },
    countDone,
    async untilDone(from, to, count, timeoutMs = 60_000) {
      await waitFor(async () => (await countDone(from, to)) >= count, {
        timeoutMs,
        intervalMs: 50,
        describe: `${count} extractions to be done`,
      });
    },
    outcome: (from, to) => readOutcome(database, from, to),
    modelCalls: async () => (await readCalls()).chat,
    modelCallTimes: async () => (await readCalls()).chatAtMs,
    scriptModel,
    async stopModel() {
      await model.kill('SIGKILL');
    },
    async startModel(script) {
      model = await startModelProcess({ PORT: new URL(modelUrl).port, SCRIPT: JSON.stringify(script) });
    },
    async resetModelCalls() {
      await fetch(`${modelUrl}/__reset`, { method: 'POST' });
    },
    slowModel: (delayMs) =>
      scriptModel({ mode: 'ok', delayMs: delayMs === 'as usual' ? MODEL_DELAY_MS : delayMs }),
    async close() {
      await Promise.all([...others].map((service) => service.kill()));
      await gateway.kill('SIGTERM');
      await database.close();
      await Promise.all([model.kill('SIGTERM'), redis.stop(), postgres.stop('fast')]);
      await Promise.all([redisDir, postgresDir].map((dir) => rm(dir, { recursive: true, force: true })));
    },
  };
}

const ACCEPT_RETRY_MS = 200;

async function acceptOne(gatewayUrl: string, n: number): Promise<void> {
  await waitFor(
    async () => {
      const response = await fetch(`${gatewayUrl}/v1/extractions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `extraction-${n}` },
        body: JSON.stringify({
          user_id: `user-${n % 20}`,
          conversation_id: `conversation-${n}`,
          messages: [{ id: `message-${n}`, role: 'user', content: `My code word number ${n} is zebra${n}.` }],
          metadata: { n },
        }),
        signal: AbortSignal.timeout(5_000),
      });
      const answer = await response.text();
      if (response.status < 500 && response.status !== 202) throw new Error(`${response.status} ${answer}`);
      return response.status === 202;
    },
    { timeoutMs: 60_000, intervalMs: ACCEPT_RETRY_MS, describe: `extraction ${n} to be accepted` },
  );
}

/** States, memories and duplicates of the extractions `from` … `to - 1`. */
export async function readOutcome(database: DatabasePool, from: number, to: number): Promise<Outcome> {
  const { rows } = await database.query<{ n: number; state: string }>(
    `select (metadata->>'n')::integer as n, state from extractions
     where (metadata->>'n')::integer >= $1::integer and (metadata->>'n')::integer < $2::integer`,
    [from, to],
  );
  // All rows count, history too: a second writing of the same fact would show as one more.
  const memories = await database.query<{ key: string; userId: string; value: string; current: boolean }>(
    `select key, user_id as "userId", value, is_current as current from memories
     where substring(key from '\\d+')::integer >= $1::integer and substring(key from '\\d+')::integer < $2::integer`,
    [from, to],
  );
  const wrong: string[] = [];
  const found = new Map(memories.rows.map((memory) => [memory.key, memory]));
  for (let n = from; n < to; n += 1) {
    const memory = found.get(`code_word_${n}`);
    if (memory?.value !== `zebra${n}` || memory.userId !== `user-${n % 20}` || !memory.current)
      wrong.push(String(n));
  }
  return {
    done: rows.filter((row) => row.state === 'done').length,
    notDone: rows.filter((row) => row.state !== 'done').map((row) => `${row.n} ${row.state}`),
    memories: memories.rowCount,
    wrong,
  };
}
