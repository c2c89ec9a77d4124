import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPool,
  DEFAULT_TENANT_ID,
  migrate,
  registerEmbeddingModel,
  startEmbedded,
} from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import {
  createScriptedModel,
  freePort,
  type RunningProcess,
  type ScriptedModel,
  seedMemories,
  startProcess,
} from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { entryOf } from '../support/service-process.ts';

const QUERY = 'clock tower';
const USER = 'has-5000';
const quiet = { info: () => undefined, warn: () => undefined };

let folder: string;
let upstream: ScriptedModel;
let running: RunningProcess;
let url: string;

/** A data folder of an earlier version: filled, and never analysed. */
async function fillDataFolder(dataDir: string): Promise<void> {
  const embedder = createEmbedder({ provider: 'local' });
  const [near = []] = await embedder.embed([QUERY]);
  const { id = '', dimensions = 0 } = embedder.profile ?? {};
  await embedder.close();
  const database = await startEmbedded({ dataDir, logger: quiet });
  await migrate(database.connectionString, { logger: quiet });
  const pool = createPool({
    connectionString: database.connectionString,
    max: 1,
    applicationName: 'e2e',
    logger: quiet,
  });
  await registerEmbeddingModel(pool, id, dimensions ?? 0);
  await seedMemories(pool, { tenantId: DEFAULT_TENANT_ID, userId: USER, count: 5_000, model: id, near });
  await pool.close();
  await database.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-embedded-search-'));
  await fillDataFolder(join(folder, 'data'));
  upstream = await createScriptedModel();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  running = await startProcess({
    entry: entryOf('standalone'),
    env: {
      DATA_DIR: join(folder, 'data'),
      GATEWAY_PORT: String(port),
      RETRIEVAL_PORT: String(await freePort()),
      EXTRACTOR_PORT: String(await freePort()),
      CHAT_MEMORY: 'true',
      CHAT_BASE_URL: upstream.url,
      CHAT_MEMORY_TIMEOUT_MS: '30000',
    },
    cwd: folder,
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 120_000,
  });
});

afterAll(async () => {
  await running.kill('SIGKILL');
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

type Answer = Readonly<{ status: number; headers: Headers; body: Record<string, unknown> }>;

async function post(path: string, body: object): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const search = (userId: string, more: object = {}) =>
  post('/v1/memories/search', { user_id: userId, query: QUERY, ...more });
const context = (userId: string, format: string) =>
  post('/v1/context', {
    user_id: userId,
    format,
    conversation_id: 'c1',
    ...(format === 'summary' ? {} : { messages: [{ role: 'user', content: QUERY }], include_turns: true }),
  });

/** Everything that searches, by name. */
const REQUESTS: Readonly<Record<string, (userId: string) => Promise<Answer>>> = {
  enhanced: (user) => search(user, { mode: 'enhanced' }),
  vector: (user) => search(user, { mode: 'vector' }),
  classic: (user) => search(user, { mode: 'classic' }),
  'a rare tag': (user) => search(user, { filters: { tags: ['rare7'] } }),
  'a rare tag, vector': (user) => search(user, { mode: 'vector', filters: { tags: ['rare7'] } }),
  'a tag of nothing': (user) => search(user, { filters: { tags: ['nothing'] } }),
  tiers: (user) => search(user, { filters: { tiers: [3] } }),
  kinds: (user) => search(user, { filters: { kinds: ['note'] } }),
  'a project': (user) => search(user, { filters: { project: 'project-3' } }),
  'a conversation': (user) => search(user, { filters: { conversation_id: 'c1' } }),
  scopes: (user) => search(user, { scopes: ['c1', 'global'] }),
  'scopes, enhanced': (user) => search(user, { mode: 'enhanced', scopes: ['c1', 'global'] }),
  'as of now': (user) => search(user, { as_of: new Date().toISOString() }),
  'as of now, enhanced': (user) => search(user, { mode: 'enhanced', as_of: new Date().toISOString() }),
  'valid last week': (user) =>
    search(user, { as_of: { valid_at: new Date(Date.now() - 7 * 86_200_000).toISOString() } }),
  'pending turns': (user) => search(user, { include_pending: true }),
  'all users': () => post('/v1/memories/search', { query: QUERY, all_users: true }),
  'memory tool': (user) => post('/v1/tools/memory', { action: 'search', user_id: user, query: QUERY }),
  ...Object.fromEntries(
    ['facts', 'section', 'summary', 'augmented', 'messages'].map((format) => [
      `context, ${format}`,
      (user: string) => context(user, format),
    ]),
  ),
  chat: (user) =>
    post('/v1/chat/completions', {
      model: 'chat',
      user,
      memory_id: `chat-${user}`,
      messages: [{ role: 'user', content: `What about the ${QUERY}?` }],
    }),
};

test('while clients search without a pause, everybody is accepted and answered', async () => {
  const state = { stopped: false };
  const refused: string[] = [];
  const asks = Object.entries(REQUESTS);
  const client = async (from: number) => {
    for (let index = from; !state.stopped; index += 1) {
      const [name, ask] = asks[index % asks.length] ?? [];
      const answer = await ask?.(USER);
      if (answer?.status !== 200) refused.push(`${name} ${answer?.status} ${String(answer?.body['code'])}`);
      const memory = answer?.headers.get('x-factmill-memory') ?? 'on';
      if (memory !== 'on') refused.push(`${name} ${memory}`);
    }
  };
  const clients = [0, 7, 14].map(client);
  for (let number = 0; number < 30; number += 1) {
    const accepted = await post(`/v1/conversations/meanwhile-${number}/messages`, {
      user_id: 'other',
      messages: [{ role: 'user', content: 'I keep bees.' }],
    });
    if (accepted.status !== 202) refused.push(`accepting ${accepted.status}`);
    const listed = await fetch(`${url}/v1/memories?user_id=other`);
    if (listed.status !== 200) refused.push(`list ${listed.status}`);
  }
  state.stopped = true;
  await Promise.all(clients);
  expect(refused).toEqual([]);
});
