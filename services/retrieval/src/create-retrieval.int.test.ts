import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateApiKey } from '@factmill/auth';
import { loadConfig, type RawEnvironment } from '@factmill/config';
import { type Permission, type SearchResponse, searchResponseSchema } from '@factmill/contracts';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  insertApiKey,
  migrate,
  type PoolOptions,
  registerEmbeddingModel,
  saveEmbeddings,
} from '@factmill/database';
import { createEmbedder, type Embedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { openAuthenticator } from '@factmill/runtime';
import { createLogger, startTelemetry, type Telemetry } from '@factmill/telemetry';
import { createTestDatabase, freePort, type TestDatabase, waitFor, patiently } from '@factmill/testkit';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createRetrieval, type Retrieval } from './create-retrieval.ts';

const OTHER_TENANT = '00000000-0000-7000-8000-000000000002';
const logger = createLogger({ service: 'retrieval', level: 'silent' });

let testDatabase: TestDatabase;
let database: DatabasePool;
let telemetry: Telemetry;
let local: Embedder;
let retrieval: Retrieval;
let writeOnlyKey: string;
let otherTenantKey: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url) => migrate(url, { logger }) });
  database = openPool(testDatabase.connectionString);
  telemetry = await startTelemetry({ service: 'retrieval', version: '0', otlpEndpoint: null });
  local = createEmbedder({ provider: 'local' });
  // Loads the model, which may take longer on a busy machine than a search waits.
  await local.embed(['ready']);
  await database.query('insert into tenants (id, name) values ($1::uuid, $2::text)', [OTHER_TENANT, 'other']);
  writeOnlyKey = await createKey('writer', DEFAULT_TENANT_ID, ['memory.write']);
  otherTenantKey = await createKey('stranger', OTHER_TENANT, ['memory.read']);
  retrieval = await start({ AUTH: 'none' }, local);
});

afterAll(async () => {
  await retrieval.close();
  await local.close();
  await telemetry.close();
  await database.close();
  await testDatabase.drop();
});

function openPool(connectionString: string, options: Partial<PoolOptions> = {}): DatabasePool {
  return createPool({ connectionString, max: 4, applicationName: 'factmill-test', logger, ...options });
}

function start(environment: RawEnvironment, embedder: Embedder, pool = database): Promise<Retrieval> {
  const config = loadConfig({
    HOST: '127.0.0.1',
    RETRIEVAL_PORT: '0',
    SHUTDOWN_GRACE_MS: '100',
    ...environment,
  });
  const authenticator = openAuthenticator(config, pool);
  return createRetrieval({ config, logger, telemetry, database: pool, embedder, authenticator });
}

/** A service with an embedder of its own, configured as in production. */
async function withService<T>(
  environment: RawEnvironment,
  use: (service: Retrieval) => Promise<T>,
): Promise<T> {
  const embedder = createEmbedder(loadConfig(environment).embedding);
  const service = await start({ AUTH: 'none', ...environment }, embedder);
  try {
    return await use(service);
  } finally {
    await service.close();
    await embedder.close();
  }
}

/** Has one model be in use and all others not. */
async function inUse(model: string): Promise<void> {
  await database.query(`update embedding_models set state = 'retired' where id <> $1::text`, [model]);
  await database.query(`update embedding_models set state = 'active' where id = $1::text`, [model]);
}

async function createKey(name: string, tenantId: string, permissions: Permission[]): Promise<string> {
  const { id, key, secretSha256 } = generateApiKey();
  await insertApiKey(database, {
    id,
    tenantId,
    secretSha256,
    name,
    permissions,
    userId: null,
    userLocked: false,
    expiresAt: null,
  });
  return key;
}

/** Stores memories as the extractor does, with the local model's vectors. */
async function remember(userId: string, contents: readonly string[]): Promise<void> {
  await registerEmbeddingModel(database, LOCAL_EMBEDDING_PROFILE.id, LOCAL_EMBEDDING_PROFILE.dimensions);
  const vectors = await local.embed(contents);
  const stored = contents.map((content, index) => ({
    memoryId: randomUUID(),
    content,
    vector: vectors[index] ?? [],
  }));
  for (const { memoryId, content } of stored) {
    await database.query(
      `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
       values ($1::uuid, $2::uuid, $3::text, 'note', $4::text, 'test', sha256($4::text::bytea), now(), now())`,
      [memoryId, DEFAULT_TENANT_ID, userId, content],
    );
  }
  await saveEmbeddings(database, LOCAL_EMBEDDING_PROFILE.id, stored);
}

async function post(service: Retrieval, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/v1/memories/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

/** Searches and checks the answer against the contract. */
async function search(body: object, service = retrieval): Promise<SearchResponse> {
  const answer = await post(service, body);
  expect(answer.status).toBe(200);
  return searchResponseSchema.parse(answer.body);
}

const contentsOf = (answer: SearchResponse) => answer.results.map((result) => result.memory.content);

const PETS = [
  'My dog is called Rex and likes to swim.',
  'I work as a nurse in a hospital.',
  'The wifi code of the cabin is QX-4411.',
];

describe('search', () => {
  beforeAll(async () => {
    await remember('ann', PETS);
    await remember('bob', ['My dog is called Bella.']);
  });

  test('finds by meaning, best first, only what is the user’s', async () => {
    const answer = await search({ query: 'What is the name of my dog?', user_id: 'ann' });
    expect(answer).toMatchObject({ mode: 'fused', user_id: 'ann' });
    expect(answer.degraded).toBeUndefined();
    expect(contentsOf(answer)[0]).toBe(PETS[0]);
    expect(contentsOf(answer)).not.toContain('My dog is called Bella.');
    expect(answer.results[0]?.channels).toContain('vector');
    expect(answer.results[0]?.similarity).toBeGreaterThan(LOCAL_EMBEDDING_PROFILE.minSimilarity);
    const scores = answer.results.map((result) => result.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('text fills what similarity leaves open, and the limit is kept', async () => {
    const answer = await search({ query: 'QX-4411', user_id: 'ann', mode: 'vector', min_similarity: 1 });
    expect(answer.results).toHaveLength(1);
    expect(answer.results[0]).toMatchObject({
      memory: { content: PETS[2] },
      channels: ['trigram'],
      score: 1,
    });
    expect(answer.results[0]?.similarity).toBeUndefined();
    expect(
      (await search({ query: 'dog', user_id: 'ann', min_similarity: -1, limit: 2 })).results,
    ).toHaveLength(2);
  });

  test('filters apply to both channels', async () => {
    expect((await search({ query: 'dog', user_id: 'ann', filters: { kinds: ['fact'] } })).results).toEqual(
      [],
    );
    expect(
      (await search({ query: 'dog', user_id: 'ann', filters: { kinds: ['note'] } })).results,
    ).not.toEqual([]);
  });

  test('the key of another tenant finds nothing of this one', async () => {
    const answer = await post(retrieval, { query: 'dog', user_id: 'ann' }, { 'x-api-key': otherTenantKey });
    expect(answer.body).toMatchObject({ results: [], user_id: 'ann' });
  });

  test('a query that looks like SQL or a pattern is only a query', async () => {
    for (const query of [`'; drop table memories; --`, '%', '_', '\\', '$1', ' ? ']) {
      await search({ query, user_id: 'ann' });
    }
    expect((await search({ query: 'dog', user_id: 'ann' })).results).not.toEqual([]);
  });

  test('a bad request names its fields', async () => {
    const answer = await post(retrieval, { query: ' ', limit: 0, nonsense: 1 });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const { errors } = answer.body as { errors: { field: string }[] };
    expect(errors.map((error) => error.field).toSorted()).toEqual(['limit', 'nonsense', 'query']);
  });

  test('the caller’s request id comes back', async () => {
    const id = '0199c0de-0000-7000-8000-000000000001';
    const answer = await post(retrieval, { query: 'dog', user_id: 'ann' }, { 'x-request-id': id });
    expect(answer.headers.get('x-request-id')).toBe(id);
  });
});

describe('without embeddings text still answers', () => {
  const query = { query: 'what does my dog like', user_id: 'ann' };
  const degraded = {
    degraded: 'embedding_unavailable',
    results: [{ channels: ['text'], memory: { content: PETS[0] } }],
  };
  // As if no model had ever been in use: else that one goes on.
  beforeAll(() => database.query(`update embedding_models set state = 'retired'`));
  afterAll(() => inUse(LOCAL_EMBEDDING_PROFILE.id));

  test('provider none', async () => {
    await withService({ EMBEDDING_PROVIDER: 'none' }, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
  });

  test('an endpoint that refuses', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withService({ EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'some-model' }, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
  });

  test('an endpoint that never answers costs one wait, not one for each search', async () => {
    let calls = 0;
    const silent = createServer(() => {
      calls += 1;
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const environment = {
      EMBEDDING_BASE_URL: `http://127.0.0.1:${port}`,
      EMBEDDING_MODEL: 'some-model',
      EMBEDDING_TIMEOUT_MS: '100',
    };
    await withService(environment, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    expect(calls).toBe(1);
  });

  test('a model that nothing was ever embedded with is not asked', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withService({ EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'text-embedding-3-small' }, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
  });
});

describe('another embedding model is configured', () => {
  const query = { query: 'what does my dog like', user_id: 'ann' };
  const found = { results: [{ channels: ['vector', 'text'], memory: { content: PETS[0] } }] };

  test('the one in use stays until the vectors of the other are built', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withService({ EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'some-model' }, async (service) => {
      await waitFor(async () => (await search(query, service)).degraded === undefined, {
        describe: 'the local model to be loaded',
      });
      await expect(search(query, service)).resolves.toMatchObject(found);
    });
  });

  test('when the one in use cannot be called, the other finds what it has, and the answer says so', async () => {
    await registerEmbeddingModel(database, 'elsewhere@3', 3);
    await inUse('elsewhere@3');
    try {
      await withService({}, async (service) => {
        await waitFor(async () => (await search(query, service)).degraded === 'embedding_incomplete', {
          describe: 'the local model to be loaded',
        });
        await expect(search(query, service)).resolves.toMatchObject(found);
      });
    } finally {
      await inUse(LOCAL_EMBEDDING_PROFILE.id);
    }
  });
});

test('a database that takes connections and says nothing is waited for once, not in every mode', async () => {
  const connections: Socket[] = [];
  const silent = createTcpServer((socket) => connections.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connectionTimeoutMs = 1_500;
  const pool = openPool(`postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`, {
    connectionTimeoutMs,
  });
  const service = await start({ AUTH: 'none' }, local, pool);
  try {
    for (const mode of ['fused', 'enhanced', 'classic']) {
      const startedAt = performance.now();
      const answer = await post(service, { query: 'dog', user_id: 'ann', mode });
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect(performance.now() - startedAt).toBeLessThan(patiently(2 * connectionTimeoutMs));
    }
  } finally {
    await service.close();
    await pool.close();
    for (const socket of connections) socket.destroy();
    silent.close();
  }
});

describe('who may search', () => {
  test('for an unknown user nothing is searched, with the database and the model down', async () => {
    const nowhere = openPool(`postgres://nobody@127.0.0.1:${await freePort()}/none`);
    const none = createEmbedder({ provider: 'none' });
    const service = await start({ AUTH: 'none' }, none, nowhere);
    try {
      for (const body of [{ query: 'dog' }, { query: 'dog', user_id: 'unknown' }]) {
        const answer = await search(body, service);
        expect(answer).toMatchObject({ results: [], mode: 'fused', user_id: 'unknown' });
        expect(answer.skipped?.reason).toBe('unknown_user');
      }
      expect((await post(service, { query: 'dog', user_id: 'ann' })).status).toBe(503);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    } finally {
      await service.close();
      await nowhere.close();
    }
  });

  test('a key is needed when authentication is on, and it needs memory.read', async () => {
    const reader = await createKey('reader', DEFAULT_TENANT_ID, ['memory.read']);
    const service = await start({ AUTH: 'required' }, local);
    try {
      const body = { query: 'dog', user_id: 'ann' };
      expect((await post(service, body)).status).toBe(401);
      expect((await post(service, body, { authorization: 'Bearer fm_wrong' })).status).toBe(401);
      expect((await post(service, body, { 'x-api-key': writeOnlyKey })).status).toBe(403);
      expect((await post(service, body, { 'x-api-key': reader })).status).toBe(200);
      expect((await post(service, body, { authorization: `Bearer ${reader}` })).status).toBe(200);
      expect((await post(service, { query: 'dog' }, { 'x-api-key': reader })).body).toMatchObject({
        user_id: 'reader',
      });
    } finally {
      await service.close();
    }
  });

  test('it is ready, and shows how searches went', async () => {
    expect((await fetch(`${retrieval.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${retrieval.url}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${retrieval.url}/metrics`)).text();
    expect(metrics).toContain('factmill_search_duration_seconds');
    expect(metrics).not.toContain('Rex');
  });
});
