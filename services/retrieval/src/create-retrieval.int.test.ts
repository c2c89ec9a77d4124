import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig, type RawEnvironment } from '@factmill/config';
import type { SearchResponse } from '@factmill/contracts';
import { type DatabasePool, registerEmbeddingModel } from '@factmill/database';
import { createEmbedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { freePort, patiently, waitFor } from '@factmill/testkit';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { Retrieval } from './create-retrieval.ts';
import {
  createKey,
  createSession,
  openRetrievalUnderTest,
  postSearch as post,
  searchOver,
} from './retrieval.fixture.ts';

const OTHER_TENANT = '00000000-0000-7000-8000-000000000002';

let under: Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let database: DatabasePool;
let retrieval: Retrieval;
let writeOnlyKey: string;
let otherTenantKey: string;

beforeAll(async () => {
  under = await openRetrievalUnderTest();
  ({ database } = under);
  await database.query('insert into tenants (id, name) values ($1::uuid, $2::text)', [OTHER_TENANT, 'other']);
  writeOnlyKey = await createKey(database, 'writer', ['memory.write']);
  otherTenantKey = await createKey(database, 'stranger', ['memory.read'], OTHER_TENANT);
  retrieval = await under.start();
});
afterAll(() => under.close());

/** A service with an embedder of its own, configured as in production. */
async function withOwnEmbedder<T>(
  environment: RawEnvironment,
  work: (service: Retrieval) => Promise<T>,
): Promise<T> {
  const embedder = createEmbedder(loadConfig(environment).embedding);
  return under.withService(environment, { embedder }, work).finally(() => embedder.close());
}

/** Has one model be in use and all others not. */
async function inUse(model: string): Promise<void> {
  await database.query(`update embedding_models set state = 'retired' where id <> $1::text`, [model]);
  await database.query(`update embedding_models set state = 'active' where id = $1::text`, [model]);
}

const search = (body: object, service = retrieval) => searchOver(service, body);
const contentsOf = (answer: SearchResponse) => answer.results.map((result) => result.memory.content);

const PETS = [
  'My dog is called Rex and likes to swim.',
  'I work as a nurse in a hospital.',
  'The wifi code of the cabin is QX-4411.',
];

describe('search', () => {
  beforeAll(async () => {
    await under.remember('ann', PETS);
    await under.remember('bob', ['My dog is called Bella.']);
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
    await withOwnEmbedder({ EMBEDDING_PROVIDER: 'none' }, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
  });

  test('an endpoint that refuses', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withOwnEmbedder({ EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'some-model' }, async (service) => {
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
    await withOwnEmbedder(environment, async (service) => {
      await expect(search(query, service)).resolves.toMatchObject(degraded);
      await expect(search(query, service)).resolves.toMatchObject(degraded);
    });
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    expect(calls).toBe(1);
  });

  test('a model that nothing was ever embedded with is not asked', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withOwnEmbedder(
      { EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'text-embedding-3-small' },
      async (service) => {
        await expect(search(query, service)).resolves.toMatchObject(degraded);
      },
    );
  });
});

describe('another embedding model is configured', () => {
  const query = { query: 'what does my dog like', user_id: 'ann' };
  const found = { results: [{ channels: ['vector', 'text'], memory: { content: PETS[0] } }] };

  test('the one in use stays until the vectors of the other are built', async () => {
    const EMBEDDING_BASE_URL = `http://127.0.0.1:${await freePort()}`;
    await withOwnEmbedder({ EMBEDDING_BASE_URL, EMBEDDING_MODEL: 'some-model' }, async (service) => {
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
      await withOwnEmbedder({}, async (service) => {
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
  const pool = under.openPool(`postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`, {
    connectionTimeoutMs,
  });
  const service = await under.start({}, { pool });
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
    const nowhere = under.openPool(`postgres://nobody@127.0.0.1:${await freePort()}/none`);
    const none = createEmbedder({ provider: 'none' });
    const service = await under.start({}, { pool: nowhere, embedder: none });
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

  test('what is set for a user counts: the preset of searches and contexts, and memory that is off', async () => {
    await under.remember('kept-out', ['The user has a dog called Rex.']);
    const set = (fields: string) => database.query(`update users set ${fields} where user_id = 'kept-out'`);
    const body = { query: 'dog', user_id: 'kept-out' };
    const context = async () => {
      const answer = await fetch(`${retrieval.url}/v1/context`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, format: 'section' }),
      });
      return (await answer.json()) as { memories: unknown[]; skipped?: { reason: string } };
    };
    await set(`preset = 'tiered'`);
    expect(await search(body)).toMatchObject({ mode: 'classic', user_id: 'kept-out' });
    expect((await context()).memories).toHaveLength(1);
    await set('memory = false');
    await waitFor(async () => (await context()).skipped?.reason === 'memory_off', {
      describe: 'the setting to be seen',
    });
    expect((await context()).memories).toEqual([]);
  });

  test('a key is needed when authentication is on, and it needs memory.read', async () => {
    const reader = await createKey(database, 'reader', ['memory.read']);
    await under.withService({ AUTH: 'required' }, {}, async (service) => {
      const body = { query: 'dog', user_id: 'ann' };
      expect((await post(service, body)).status).toBe(401);
      expect((await post(service, body, { authorization: 'Bearer fm_wrong' })).status).toBe(401);
      expect((await post(service, body, { 'x-api-key': writeOnlyKey })).status).toBe(403);
      expect((await post(service, body, { 'x-api-key': reader })).status).toBe(200);
      expect((await post(service, body, { authorization: `Bearer ${reader}` })).status).toBe(200);
      expect((await post(service, { query: 'dog' }, { 'x-api-key': reader })).body).toMatchObject({
        user_id: 'reader',
      });
    });
  });

  test('a session of the console is a key here too, while there is a console', async () => {
    const cookie = await createSession(database, await createKey(database, 'browser', ['memory.read']));
    const ask = (environment: RawEnvironment) =>
      under.withService({ AUTH: 'required', ...environment }, {}, (service) =>
        post(service, { query: 'dog' }, { cookie }),
      );
    await expect(ask({})).resolves.toMatchObject({ status: 200, body: { user_id: 'browser' } });
    await expect(ask({ CONSOLE: 'false' })).resolves.toMatchObject({ status: 401 });
  });

  test('it is ready, and shows how searches went', async () => {
    expect((await fetch(`${retrieval.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${retrieval.url}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${retrieval.url}/metrics`)).text();
    expect(metrics).toContain('factmill_search_duration_seconds');
    expect(metrics).not.toContain('Rex');
  });
});
