import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@factmill/config';
import type { SearchMode } from '@factmill/contracts';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  type EmbeddedPostgres,
  migrate,
  registerEmbeddingModel,
  startEmbedded,
} from '@factmill/database';
import { createEmbedder, type Embedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { openAuthenticator } from '@factmill/runtime';
import { createLogger, startTelemetry, type Telemetry } from '@factmill/telemetry';
import { createThreadTime, seedMemories } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRetrieval, type Retrieval } from './create-retrieval.ts';

const QUERY = 'clock tower';
const USERS = [5_000, 20_000];
const silent = createLogger({ service: 'retrieval', level: 'silent' });

let folder: string;
let embedded: EmbeddedPostgres;
let pool: DatabasePool;
let serving: DatabasePool;
let telemetry: Telemetry;
let embedder: Embedder;
let retrieval: Retrieval;
let databaseMs: () => number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-embedded-search-'));
  embedded = await startEmbedded({ dataDir: folder, logger: silent });
  const { connectionString } = embedded;
  await migrate(connectionString, { logger: silent });
  const open = { connectionString, max: 4, applicationName: 'factmill-retrieval', logger: silent };
  pool = createPool(open);
  serving = createPool({ ...open, rowSecurity: 'always' });
  embedder = createEmbedder({ provider: 'local' });
  const [near = []] = await embedder.embed([QUERY]);
  const { id, dimensions } = LOCAL_EMBEDDING_PROFILE;
  await registerEmbeddingModel(pool, id, dimensions);
  // Nobody takes statistics here: as in the seconds after a large batch, or in a folder of an earlier version.
  for (const count of USERS) {
    await seedMemories(pool, { tenantId: DEFAULT_TENANT_ID, userId: `has-${count}`, count, model: id, near });
  }
  telemetry = await startTelemetry({ service: 'retrieval', version: '0', otlpEndpoint: null });
  const config = loadConfig({
    HOST: '127.0.0.1',
    RETRIEVAL_PORT: '0',
    SHUTDOWN_GRACE_MS: '100',
    AUTH: 'none',
    EMBEDDING_QUERY_TIMEOUT_MS: '60000',
  });
  const authenticator = openAuthenticator(config, serving);
  retrieval = await createRetrieval({
    config,
    logger: silent,
    telemetry,
    database: serving,
    embedder,
    authenticator,
  });
  databaseMs = createThreadTime(process.pid, 'embedded-database');
});

afterAll(async () => {
  await retrieval.close();
  await telemetry.close();
  await embedder.close();
  await serving.close();
  await pool.close();
  await embedded.close();
  await rm(folder, { recursive: true });
});

/** Processor time of the database for one request; the least of some, because others may use the database after them. */
async function costOf(path: string, body: object): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = databaseMs();
    const response = await fetch(retrieval.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    costs.push(databaseMs() - before);
    const answer = (await response.json()) as { degraded?: string | null };
    expect({ path, status: response.status, degraded: answer.degraded ?? null }).toEqual({
      path,
      status: 200,
      degraded: null,
    });
  }
  return Math.min(...costs);
}

const search = (user_id: string, more: object) =>
  costOf('/v1/memories/search', { user_id, query: QUERY, ...more });
const context = (user_id: string, more: object) =>
  costOf('/v1/context', { user_id, messages: [{ role: 'user', content: QUERY }], ...more });

/** Filters, scopes and moments of a search. */
const NARROWED: Readonly<Record<string, () => object>> = {
  'a rare tag': () => ({ filters: { tags: ['rare7'] } }),
  'a tag of nothing': () => ({ filters: { tags: ['nothing'] } }),
  tiers: () => ({ filters: { tiers: [3] } }),
  kinds: () => ({ filters: { kinds: ['note'] } }),
  'a project': () => ({ filters: { project: 'project-3' } }),
  'a conversation': () => ({ filters: { conversation_id: 'c1' } }),
  scopes: () => ({ scopes: ['c1', 'global'] }),
  'as of now': () => ({ as_of: new Date().toISOString() }),
  'valid yesterday': () => ({ as_of: { valid_at: new Date(Date.now() - 86_400_000).toISOString() } }),
  'pending turns': () => ({ include_pending: true }),
};
const MODES: readonly SearchMode[] = ['fused', 'enhanced', 'vector', 'classic'];

describe.each(USERS)('of a user with %d memories', (count) => {
  test('no search costs the database more than twice the unfiltered one', async () => {
    const userId = `has-${count}`;
    const unfiltered = await search(userId, {});
    const costs: Record<string, number> = {};
    for (const mode of MODES) {
      for (const [name, narrowed] of Object.entries(NARROWED)) {
        costs[`${mode}, ${name}`] = await search(userId, { mode, ...narrowed() });
      }
      // These find the memories of both.
      if (count !== Math.max(...USERS)) continue;
      costs[`${mode}, all users`] = await costOf('/v1/memories/search', {
        query: QUERY,
        mode,
        all_users: true,
      });
    }
    for (const format of ['facts', 'section', 'summary', 'augmented', 'messages']) {
      costs[`context, ${format}`] = await context(userId, { format });
    }
    // What a chat with memory asks for.
    costs['context of a chat'] = await context(userId, {
      format: 'facts',
      conversation_id: 'c1',
      include_turns: true,
    });
    const tooMuch = Object.entries(costs).filter(([, cost]) => cost > 2 * unfiltered);
    expect({ unfiltered, costs, tooMuch }).toEqual({ unfiltered, costs, tooMuch: [] });
  });
});
