import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type DatabasePool, migrate } from '@factmill/database';
import {
  createRedisNamespace,
  type OwnPostgres,
  type RedisNamespace,
  startPostgres,
  startProcess,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ServiceProcess, type ServiceName, startServices } from '../support/service-process.ts';

const quiet = { info: () => undefined, warn: () => undefined };
const LAG = '10s';
const USERS = 8;
/** Much longer than the lag. */
const PATIENCE = { timeoutMs: 90_000, intervalMs: 100 };
const CONTEXTS = { format: 'section', token_budget: 300 };

let folders: readonly string[];
let primary: OwnPostgres;
let replica: OwnPostgres;
let onReplica: DatabasePool;
let redis: RedisNamespace;
let services: Readonly<Record<ServiceName, ServiceProcess>>;

beforeAll(async () => {
  folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'factmill-lag-'))));
  const [of = '', copy = ''] = folders;
  // A vacuum would be one more commit for the replica to wait for.
  primary = await startPostgres({ dir: of, settings: { autovacuum: 'off' } });
  await migrate(primary.connectionString, { logger: quiet });
  replica = await startPostgres({
    dir: copy,
    replicaOf: primary,
    settings: { recovery_min_apply_delay: LAG, hot_standby_feedback: 'on' },
  });
  onReplica = createPool({
    connectionString: replica.connectionString,
    max: 1,
    applicationName: 'replica-lag',
    logger: quiet,
  });
  redis = createRedisNamespace();
  services = await startServices({
    DATABASE_URL: primary.connectionString,
    DATABASE_READ_URL: replica.connectionString,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'none',
  });
});
afterAll(async () => {
  await Promise.all(Object.values(services ?? {}).map((service) => service.kill('SIGTERM')));
  await redis?.cleanup();
  await onReplica?.close();
  await replica?.kill();
  await primary?.kill();
  for (const folder of folders ?? []) await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${services.gateway.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const userOf = (n: number) => `user-${n}`;
const wordOf = (n: number) => `zebra${n}`;

/** Whether a search and a context of the user have the word; the same answer from both. */
async function finds(n: number): Promise<boolean> {
  const of = { user_id: userOf(n), query: wordOf(n) };
  const answers = await Promise.all([
    call('POST', '/v1/memories/search', { ...of, mode: 'classic' }),
    call('POST', '/v1/context', { ...of, ...CONTEXTS }),
  ]);
  const found = answers.map((answer) => JSON.stringify(answer).includes(wordOf(n)));
  expect(new Set(found).size).toBe(1);
  return found[0] ?? false;
}

async function readsFromReplica(): Promise<number> {
  const text = await (await fetch(`${services.retrieval.url}/metrics`)).text();
  return Number(/^factmill_search_reads_total\{server="replica"[^}]*\} (\d+)/m.exec(text)?.[1]);
}

const rowsOnReplica = async (): Promise<number> =>
  (await onReplica.one<{ rows: number }>('select count(*)::integer as rows from memories')).rows;

test(`a replica that is ${LAG} behind: nothing just written is missed, nobody who was erased is found`, async () => {
  const wrong: string[] = [];
  const users = Array.from({ length: USERS }, (_, n) => n);
  for (const n of users) {
    await call('POST', '/v1/memories', { user_id: userOf(n), key: 'code_word', value: wordOf(n) });
    if (!(await finds(n))) wrong.push(`${userOf(n)} was not found`);
  }
  // The replica does follow, and knows them all when they are erased.
  await waitFor(async () => (await rowsOnReplica()) === USERS, { ...PATIENCE, describe: 'the replica' });
  for (const n of users) {
    const { id } = await call('DELETE', `/v1/users/${userOf(n)}`);
    await waitFor(async () => (await call('GET', `/v1/erasures/${String(id)}`))['state'] === 'done', {
      ...PATIENCE,
      describe: 'the receipt',
    });
    if (await finds(n)) wrong.push(`${userOf(n)} was found after the erasure`);
  }
  expect(wrong).toEqual([]);

  // Once nothing is committed any more, the replica has everything and is read.
  await services.extractor.kill('SIGTERM');
  await waitFor(async () => (await rowsOnReplica()) === 0, { ...PATIENCE, describe: 'the replica' });
  const before = await readsFromReplica();
  await waitFor(
    async () => {
      expect(await finds(0)).toBe(false);
      return (await readsFromReplica()) > before;
    },
    { ...PATIENCE, describe: 'a search to read from the replica' },
  );

  const doctor = await startProcess({
    entry: fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url)),
    args: ['doctor', '--json'],
    env: {
      DATABASE_URL: primary.connectionString,
      DATABASE_READ_URL: replica.connectionString,
      AUTH: 'none',
    },
    // A developer's .env may be in the folder of the repository.
    cwd: tmpdir(),
  });
  await doctor.exit;
  const { findings } = JSON.parse(doctor.output()) as { findings: object[] };
  expect(findings).toContainEqual(expect.objectContaining({ part: 'replica', state: 'ok' }));
});
