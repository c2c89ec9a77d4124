import { randomUUID } from 'node:crypto';
import type { SearchResponse } from '@factmill/contracts';
import { createPool, type DatabasePool, DEFAULT_TENANT_ID, migrate } from '@factmill/database';
import {
  createRedisNamespace,
  createScriptedModel,
  createTestDatabase,
  type RedisNamespace,
  type ScriptedModel,
  startProcess,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const CLI = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const MEMORIES = 300;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const PEOPLE = ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Elena', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];
const DOINGS = [
  'paints boats',
  'bakes rye bread',
  'repairs clocks',
  'grows tomatoes',
  'teaches chess',
  'swims',
];
const PLACES = ['in Lisbon', 'near the harbour', 'on Sundays', 'with her brother', 'every spring'];
const contents = PEOPLE.flatMap((who) =>
  DOINGS.flatMap((does) => PLACES.map((where) => `${who} ${does} ${where}`)),
).slice(0, MEMORIES);

let own: TestDatabase;
let database: DatabasePool;
let redis: RedisNamespace;
let server: ScriptedModel;
let services: ServiceProcess[] = [];
let common: Record<string, string>;

beforeAll(async () => {
  own = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  database = createPool({
    connectionString: own.connectionString,
    max: 2,
    applicationName: 'e2e',
    logger: quiet,
  });
  redis = createRedisNamespace();
  server = await createScriptedModel({ dimensions: 48 });
  common = {
    DATABASE_URL: own.serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'none',
    SWEEP_INTERVAL_MS: '500',
  };
});
afterAll(async () => {
  await stop();
  await server.close();
  await database.close();
  await redis.cleanup();
  await own.drop();
});

async function stop(): Promise<void> {
  await Promise.all(services.map((service) => service.kill('SIGTERM')));
  await Promise.all(services.map((service) => service.exit));
  services = [];
}

/** Retrieval and extractor with these settings, as after `docker compose up`. */
async function run(env: Record<string, string>): Promise<{ retrieval: string; extractor: string }> {
  services = await Promise.all([
    startService('retrieval', { ...common, ...env }),
    startService('extractor', { ...common, ...env }),
  ]);
  const [retrieval, extractor] = services;
  return { retrieval: retrieval?.url ?? '', extractor: extractor?.url ?? '' };
}

async function vectors(): Promise<Record<string, string>> {
  const { rows } = await database.query<{ id: string; state: string; vectors: number }>(
    `select m.id, m.state, (select count(*)::integer from memory_embeddings e where e.model = m.id) as vectors
     from embedding_models m`,
  );
  return Object.fromEntries(rows.map(({ id, state, vectors }) => [id, `${state} ${vectors}`]));
}

/** Asks for one memory by meaning alone; resolves to whether it came first, or to what was left out. */
async function finds(url: string, index: number): Promise<boolean | string> {
  const content = contents[index % MEMORIES] ?? '';
  const response = await fetch(`${url}/v1/memories/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `${content}?`, user_id: 'maya', channels: ['vector'], limit: 5 }),
  });
  const answer = (await response.json()) as SearchResponse;
  return answer.degraded ?? answer.results.some(({ memory }) => memory.content === content);
}

test('another embedding model: searches by meaning are complete before, while and after its vectors are built', async () => {
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
     select id, $3::uuid, 'maya', 'note', content, 'test', sha256(convert_to(content, 'UTF8')), now(), now()
     from unnest($1::uuid[], $2::text[]) as g (id, content)`,
    [contents.map(() => randomUUID()), contents, DEFAULT_TENANT_ID],
  );
  const local = { EMBEDDING_PROVIDER: 'local' };
  await run(local);
  await waitFor(async () => (await vectors())['use-lite-512'] === `active ${MEMORIES}`, {
    timeoutMs: 60_000,
    describe: 'the vectors of the local model',
  });
  await stop();

  server.setReply(({ body }) => ({ delayMs: (body['input'] as string[]).length > 1 ? 150 : 0 }));
  const other = { EMBEDDING_PROVIDER: 'openai', EMBEDDING_BASE_URL: server.url, EMBEDDING_MODEL: 'other' };
  const { retrieval, extractor } = await run(other);
  const command = await startProcess({
    entry: CLI,
    args: ['reembed'],
    env: { ...common, ...other },
    cwd: '/',
  });
  await waitFor(async () => (await finds(retrieval, 0)) === true, {
    timeoutMs: 30_000,
    describe: 'the local model to be loaded',
  });

  const seen: string[] = [];
  const isOver = async () => {
    const now = await vectors();
    seen.push(now['other@48'] ?? 'none');
    return now['other@48'] === `active ${MEMORIES}`;
  };
  let asked = 0;
  for (let after = 0; after < 60; asked += 1) {
    expect(await finds(retrieval, asked * 7)).toBe(true);
    if (after > 0 || (await isOver())) after += 1;
  }
  // There were searches while the vectors were being built.
  expect(seen.some((state) => /^building [1-9]/.test(state))).toBe(true);
  expect((await vectors())['use-lite-512']).toBe(`retired ${MEMORIES}`);

  expect((await command.exit).code).toBe(0);
  // The extractor builds it too, and may be the one that ends it.
  expect(command.output()).toMatch(/Searches use other@48 now\.|other@48 is in use already/);
  // By the extractor or by the command: each text once.
  const texts = server.calls
    .flatMap(({ body }) => body['input'] as string[])
    .filter((text) => contents.includes(text));
  expect(texts).toHaveLength(MEMORIES);

  const late = `Late ${randomUUID()} collects stamps`;
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from,
       embedding_pending_since)
     values ($1::uuid, $2::uuid, 'maya', 'note', $3::text, 'test', sha256(convert_to($3::text, 'UTF8')), now(), now(), now())`,
    [randomUUID(), DEFAULT_TENANT_ID, late],
  );
  await waitFor(async () => (await vectors())['other@48'] === `active ${MEMORIES + 1}`, {
    timeoutMs: 30_000,
    describe: 'the vector of a new memory',
  });
  expect(await (await fetch(`${extractor}/health`)).json()).toMatchObject({ status: 'ok', reembed: [] });

  const drop = await startProcess({
    entry: CLI,
    args: ['reembed', '--drop-old'],
    env: { ...common, ...other },
    cwd: '/',
  });
  expect((await drop.exit).code).toBe(0);
  expect(await vectors()).toEqual({ 'use-lite-512': 'retired 0', 'other@48': `active ${MEMORIES + 1}` });
  expect(await finds(retrieval, 5)).toBe(true);
});
