import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RawEnvironment } from '@factmill/config';
import { contextResponseSchema, type SearchResponse, searchResponseSchema } from '@factmill/contracts';
import {
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  registerEmbeddingModel,
  supersedeMemories,
} from '@factmill/database';
import { createEmbedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { createLogger } from '@factmill/telemetry';
import { createTestDatabase, freePort, waitFor } from '@factmill/testkit';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Retrieval } from './create-retrieval.ts';
import { createKey, openRetrievalUnderTest, postSearch, searchOver } from './retrieval.fixture.ts';

const DAY_MS = 86_400_000;
const actor = { actor: 'test', extractionId: null };
const quiet = { info: () => undefined, warn: () => undefined };

let under: Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let database: DatabasePool;
let retrieval: Retrieval;
beforeAll(async () => {
  under = await openRetrievalUnderTest();
  ({ database } = under);
  retrieval = await under.start();
});
afterAll(() => under.close());

/** Fields of a memory that was stated so long ago. */
function daysAgo(days: number) {
  const statedAt = new Date(Date.now() - days * DAY_MS);
  return { statedAt, validFrom: statedAt };
}

const search = (body: object, service = retrieval) => searchOver(service, body);
const contentsOf = (answer: SearchResponse) => answer.results.map(({ memory }) => memory.content);

describe('fused', () => {
  const user_id = 'fused';
  beforeAll(async () => {
    await under.remember(user_id, [
      'Her dog is called Rex and likes to swim.',
      'The dog food is in the cellar, said the neighbour.',
      'Works as a nurse in a hospital.',
      'Serial number of the boiler: ZX-90817.',
      'Serial number of the boiler: ZX-90817',
      { content: 'favourite colour: green', key: 'favourite_colour', value: 'green', kind: 'fact' },
      { content: 'The roof is of slate.', project: 'Orchard House' },
    ]);
  });

  test('is the default; meaning and words together, each way of finding named', async () => {
    const answer = await search({ query: 'What is the name of the dog?', user_id, explain: true });
    expect(answer.mode).toBe('fused');
    expect(answer.degraded).toBeUndefined();
    const [first] = answer.results;
    expect(first?.memory.content).toBe('Her dog is called Rex and likes to swim.');
    expect(first?.channels).toEqual(expect.arrayContaining(['vector', 'text']));
    const scores = answer.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('explains every stage of every result', async () => {
    const answer = await search({ query: 'boiler serial number', user_id, explain: true });
    expect(answer.explain).toMatchObject({
      terms: ['boiler', 'serial', 'number'],
      candidates: { text: 2 },
      dropped: { duplicates: 1 },
    });
    expect(answer.explain?.timings_ms).toHaveProperty('total');
    const [first] = answer.results;
    expect(first?.duplicate_ids).toHaveLength(1);
    const { channels, relevance, recency, total } = first?.explain ?? { channels: [] };
    expect(channels.map(({ channel }) => channel)).toEqual(expect.arrayContaining(['text', 'wording']));
    expect(channels.find(({ channel }) => channel === 'text')).toMatchObject({ rank: 1, value: 1 });
    const sum = channels.reduce((added, { score }) => added + score, 0);
    expect(relevance).toBeCloseTo(sum, 9);
    expect(total).toBeCloseTo(0.9 * (relevance ?? 0) + 0.1 * (recency ?? 0), 9);
    expect((await search({ query: 'boiler', user_id })).results[0]?.explain).toBeUndefined();
  });

  test('explains what became of every candidate, and which stage left it out', async () => {
    const query = 'boiler serial number';
    const ask = async (more: object) => {
      const { results, explain } = await search({ query, user_id, explain: true, ...more });
      return { results, outcomes: Map.groupBy(explain?.considered ?? [], ({ outcome }) => outcome) };
    };
    const plain = await ask({});
    expect(plain.outcomes.get('result')?.map(({ id }) => id)).toEqual(
      plain.results.map(({ memory }) => memory.id),
    );
    const [first] = plain.results;
    expect(plain.outcomes.get('duplicate')).toMatchObject([
      { duplicate_of: first?.memory.id, content: expect.stringContaining('ZX-90817') },
    ]);
    const { outcomes: cut } = await ask({ limit: 1, fill: true });
    expect(cut.get('result')).toHaveLength(1);
    const { outcomes: short } = await ask({ token_budget: 1, collapse: false });
    expect(short.get('token_budget')?.length).toBeGreaterThan(0);
    const { outcomes: strict } = await ask({ min_relevance: 0.999 });
    expect(strict.get('relevance')?.length).toBeGreaterThan(0);
    const { outcomes: limited } = await ask({ limit: 1, collapse: false });
    expect(limited.get('limit')?.[0]?.channels.length).toBeGreaterThan(0);
  });

  test('a context says what its gate said, what was searched for, and what became of the candidates', async () => {
    const context = async (query: string, more: object = {}) => {
      const response = await fetch(`${retrieval.url}/v1/context`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_id, query, explain: true, ...more }),
      });
      return contextResponseSchema.parse(await response.json());
    };
    const asked = await context('What is the serial number of the boiler?', { limit: 1 });
    expect(asked.explain).toMatchObject({
      gate: { retrieve: true, reason: 'question' },
      gate_applies: true,
      query: expect.stringContaining('boiler'),
    });
    const results = asked.explain?.search?.considered.filter(({ outcome }) => outcome === 'result');
    expect(asked.memories).toHaveLength(1);
    expect(results?.map(({ id }) => id)).toContain(asked.memories[0]?.memory.id);
    const thanks = await context('Thanks!');
    expect(thanks).toMatchObject({
      gated: true,
      explain: { gate: { retrieve: false, reason: 'acknowledgement' }, query: null, search: null },
    });
    const held = await context('Thanks!', { gate: false });
    expect(held.explain).toMatchObject({ gate: { retrieve: false }, gate_applies: false });
    expect((await context('Thanks!', { explain: false })).explain).toBeUndefined();
  });

  test('stages can be switched', async () => {
    const ask = async (more: object) =>
      search({ query: 'boiler serial number', user_id, explain: true, ...more });
    const found = await ask({ collapse: false, recency_weight: 0, channels: ['text'] });
    expect(contentsOf(found)).toHaveLength(2);
    expect(found.results[0]?.explain?.recency).toBeUndefined();
    expect(Object.keys(found.explain?.candidates ?? {})).toEqual(['text']);
    const diverse = await ask({ mmr_lambda: 0.5 });
    expect(diverse.results[0]?.explain?.mmr).toBeDefined();
    expect((await ask({ channels: ['recent'], limit: 3 })).results).toHaveLength(3);
  });

  test('a part of a word, a key and a project are found', async () => {
    expect(contentsOf(await search({ query: '90817', user_id, channels: ['text', 'trigram'] }))).toHaveLength(
      1,
    );
    const byPart = await search({ query: 'oiler', user_id, channels: ['text', 'trigram'] });
    expect(byPart.results[0]).toMatchObject({ channels: ['trigram'] });
    const byKey = await search({ query: 'favourite colour', user_id });
    expect(byKey.results[0]).toMatchObject({ memory: { key: 'favourite_colour' } });
    expect(byKey.results[0]?.channels).toContain('key');
    const byProject = await search({ query: 'anything new about orchard house?', user_id });
    expect(byProject.results.find(({ memory }) => memory.project !== null)?.channels).toContain('project');
  });

  test('a token budget is kept', async () => {
    const all = await search({ query: 'boiler dog nurse', user_id, explain: true, token_budget: 10_000 });
    const tokensOf = (answer: SearchResponse) =>
      answer.results.reduce((sum, { explain }) => sum + (explain?.tokens ?? 0), 0);
    expect(tokensOf(all)).toBeGreaterThan(15);
    const some = await search({ query: 'boiler dog nurse', user_id, explain: true, token_budget: 15 });
    expect(some.results.length).toBeGreaterThan(0);
    expect(tokensOf(some)).toBeLessThanOrEqual(15);
  });

  test('Chinese is found by its characters', async () => {
    await under.remember('wei', ['她在北京大学学习物理', '他喜欢喝乌龙茶', '周末去爬山']);
    for (const [query, content] of [
      ['她在哪里学习?', '她在北京大学学习物理'],
      ['乌龙茶', '他喜欢喝乌龙茶'],
    ]) {
      const answer = await search({ query, user_id: 'wei' });
      expect(contentsOf(answer)[0]).toBe(content);
      expect(answer.results[0]?.channels).toContain('text');
    }
  });
});

describe('classic', () => {
  const user_id = 'classic';
  beforeAll(async () => {
    await under.remember(user_id, [
      { content: 'The server listens on port 8443.', category: 'config', project: 'lighthouse' },
      { content: 'The server crashed with code 9.', category: 'debug', ...daysAgo(8) },
      { content: 'The server is named polaris.', category: 'identity', ...daysAgo(8) },
      { content: 'Bake the bread at 230 degrees.', category: 'solution' },
      { content: 'Tests run at night.', project: 'lighthouse' },
      ...Array.from({ length: 6 }, (_, index) => `The server was restarted on day ${index}.`),
    ]);
  });

  test('words and projects, faded by category, five of them; accesses are counted', async () => {
    const answer = await search({
      query: 'which port has the server of lighthouse',
      user_id,
      mode: 'classic',
    });
    expect(answer).toMatchObject({ mode: 'classic' });
    expect(answer.results).toHaveLength(5);
    expect(contentsOf(answer)[0]).toBe('The server listens on port 8443.');
    expect(answer.results[0]?.channels).toEqual(expect.arrayContaining(['text', 'project']));
    const { id } = answer.results[0]?.memory ?? { id: '' };
    await waitFor(
      async () => {
        const row = await database.one<{ count: number; at: Date | null }>(
          'select access_count as count, last_accessed_at as at from memories where id = $1::uuid',
          [id],
        );
        return row.count === 1 && row.at !== null;
      },
      { describe: 'the access to be counted', timeoutMs: 10_000 },
    );
  });

  test('what fades fast comes after what stays', async () => {
    const answer = await search({ query: 'server crashed named', user_id, mode: 'classic', limit: 20 });
    const found = contentsOf(answer);
    expect(found.indexOf('The server is named polaris.')).toBe(0);
    expect(found.indexOf('The server crashed with code 9.')).toBe(found.length - 1);
  });

  test('a project alone is reason enough', async () => {
    const answer = await search({ query: 'lighthouse', user_id, mode: 'classic' });
    expect(contentsOf(answer)).toContain('Tests run at night.');
  });
});

/** A reranking endpoint in Jina's form. It gives each document the score of the first entry that it contains. */
async function createRerankEndpoint(scores: Record<string, number>) {
  const bodies: Record<string, unknown>[] = [];
  let fails = false;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as { documents: string[] };
      bodies.push({ ...body, path: request.url, authorization: request.headers.authorization });
      const results = body.documents.map((document, index) => ({
        index,
        relevance_score: Object.entries(scores).find(([part]) => document.includes(part))?.[1] ?? 0,
      }));
      response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ results: results.toReversed() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    bodies,
    fail: () => (fails = true),
    environment: {
      RERANK_PROVIDER: 'jina',
      RERANK_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      RERANK_MODEL: 'cross',
      RERANK_API_KEY: 'secret-of-the-reranker',
      // The default of a second can pass on a machine with much else to do.
      RERANK_TIMEOUT_MS: '15000',
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('enhanced', () => {
  const user_id = 'enhanced';
  beforeAll(async () => {
    await under.remember(user_id, [
      { content: 'My cat is called Mina and sleeps all day.', ...daysAgo(90) },
      { content: 'My cat is called Mila and sleeps all night.', ...daysAgo(0) },
      { content: 'The cat food is bought on Fridays.', ...daysAgo(0) },
      'I work as a nurse in a hospital.',
    ]);
  });

  test('similarity and recency as source E blends them', async () => {
    const answer = await search({ query: 'what is my cat called', user_id, mode: 'enhanced', explain: true });
    expect(answer.mode).toBe('enhanced');
    for (const { explain, similarity, score } of answer.results) {
      expect(explain?.relevance).toBe(similarity);
      expect(score).toBeCloseTo(0.8 * (explain?.relevance ?? 0) + 0.2 * (explain?.recency ?? 0), 9);
    }
    const old = answer.results.find(({ memory }) => memory.content.includes('Mina'));
    expect(old?.explain?.recency).toBeCloseTo(Math.exp(-3), 2);
    expect(answer.results[0]?.explain?.mmr).toBeCloseTo(0.7 * (answer.results[0]?.score ?? 0), 9);
  });

  test('a reranker decides relevance, its threshold what stays; raw scores pass the sigmoid', async () => {
    const endpoint = await createRerankEndpoint({ Mina: 4, Mila: -0.5, nurse: -3, food: -3 });
    await under.withService(endpoint.environment, {}, async (service) => {
      const body = { query: 'what is my cat called', user_id, mode: 'enhanced', explain: true };
      const answer = await search(body, service);
      expect(contentsOf(answer).map((content) => content.slice(0, 21))).toEqual([
        'My cat is called Mina',
        'My cat is called Mila',
      ]);
      expect(answer.results[0]?.explain?.reranked).toBeCloseTo(1 / (1 + Math.exp(-4)), 9);
      expect(answer.explain?.dropped).toMatchObject({ relevance: expect.any(Number) });
      expect(answer.relevance).toEqual({ by: 'reranker', threshold: 0.35 });
      expect(endpoint.bodies[0]).toMatchObject({
        path: '/v1/rerank',
        authorization: 'Bearer secret-of-the-reranker',
        model: 'cross',
        query: 'what is my cat called',
      });
      const all = await search({ ...body, min_relevance: 0 }, service);
      expect(all.results.length).toBeGreaterThan(2);
      const calls = endpoint.bodies.length;
      await search({ ...body, rerank: false }, service);
      expect(endpoint.bodies).toHaveLength(calls);

      endpoint.fail();
      const without = await search(body, service);
      expect(without).toMatchObject({ mode: 'enhanced', degraded: 'rerank_unavailable' });
      expect(without.results.length).toBeGreaterThan(2);
      expect(without.relevance).toEqual({ by: 'cosine', threshold: 0, not_applied: 0.35 });
    });
    await endpoint.close();
  });

  test('without a reranker the threshold of a request is one of similarity, in every mode with vectors', async () => {
    for (const mode of ['fused', 'enhanced', 'vector']) {
      const body = { query: 'what is my cat called', user_id, mode, collapse: false };
      const all = await search(body);
      const best = Math.max(...all.results.map(({ similarity }) => similarity ?? 0));
      expect(all.results.length).toBeGreaterThan(1);
      const some = await search({ ...body, min_relevance: best, explain: true });
      expect(some.results.map(({ similarity }) => similarity)).toEqual([best]);
      expect(some.explain?.dropped).toMatchObject({ relevance: expect.any(Number) });
      expect((await search({ ...body, min_relevance: 1 })).results).toEqual([]);
      expect((await search({ ...body, min_relevance: 0 })).results).toHaveLength(all.results.length);
    }
    const byWords = await search({ query: 'cat', user_id, mode: 'classic', min_relevance: 1 });
    expect(byWords.degraded).toBe('min_relevance_ignored');
    expect(byWords.results).not.toEqual([]);
    expect(byWords.relevance).toEqual({ by: 'none', threshold: 0, not_applied: 1 });
  });

  test('a reranker that was asked for and is not there is told', async () => {
    const answer = await search({ query: 'cat', user_id, mode: 'fused', rerank: true });
    expect(answer.degraded).toBe('rerank_unavailable');
    expect(answer.results).not.toEqual([]);
  });
});

describe('falling back', () => {
  test('enhanced → classic, without embeddings', async () => {
    const none = createEmbedder({ provider: 'none' });
    await under.withService({ EMBEDDING_PROVIDER: 'none' }, { embedder: none }, async (service) => {
      await under.remember('fallback', ['The cat is called Mina.']);
      const answer = await search({ query: 'cat called', user_id: 'fallback', mode: 'enhanced' }, service);
      expect(answer).toMatchObject({ mode: 'classic', degraded: 'embedding_unavailable' });
      expect(contentsOf(answer)).toEqual(['The cat is called Mina.']);
    });
  });

  test('classic → recent → nothing, as more of the database breaks; each says so', async () => {
    const broken = await createTestDatabase({
      migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
    });
    const pool = under.openPool(broken.connectionString);
    try {
      await registerEmbeddingModel(pool, LOCAL_EMBEDDING_PROFILE.id, LOCAL_EMBEDDING_PROFILE.dimensions);
      await under.remember('ann', ['The cat is called Mina.', 'The dog is called Rex.'], pool);
      await under.withService({}, { pool }, async (service) => {
        const ask = (mode: string) => search({ query: 'cat called', user_id: 'ann', mode }, service);
        await pool.query('alter table memories rename column search_terms to broken_terms');
        const fused = await ask('fused');
        expect(fused).toMatchObject({ mode: 'fused', degraded: 'text_unavailable' });
        expect(contentsOf(fused)).toContain('The cat is called Mina.');
        const recent = await ask('classic');
        expect(recent).toMatchObject({ mode: 'recent', degraded: 'text_unavailable' });
        expect(recent.results.map(({ channels }) => channels)).toEqual([['recent'], ['recent']]);

        await pool.query('alter table memory_embeddings rename column embedding to broken');
        const enhanced = await ask('enhanced');
        expect(enhanced.mode).toBe('recent');
        expect(enhanced.degraded?.split(',')).toEqual(['vector_unavailable', 'text_unavailable']);

        await pool.query('alter table memories rename column stated_at to broken_at');
        const nothing = await ask('fused');
        expect(nothing).toMatchObject({ mode: 'none', results: [] });
        expect(nothing.degraded).toContain('recent_unavailable');
      });
    } finally {
      await pool.close();
      await broken.drop();
    }
  });
});

describe('the mode of the configuration', () => {
  async function withLog(
    environment: RawEnvironment,
    use: (service: Retrieval) => Promise<void>,
  ): Promise<string> {
    let lines = '';
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines += chunk.toString();
        done();
      },
    });
    const logger = createLogger({ service: 'retrieval', level: 'warn', destination });
    await under.withService(environment, { logger }, use);
    return lines;
  }

  test('an unknown one means classic, and one line says so without the value', async () => {
    const lines = await withLog({ SEARCH_MODE: 'telepathy' }, async (service) => {
      const answer = await search({ query: 'dog', user_id: 'fused' }, service);
      expect(answer.mode).toBe('classic');
      await search({ query: 'dog', user_id: 'fused' }, service);
    });
    expect(lines.match(/SEARCH_MODE/g)).toHaveLength(1);
    expect(lines).not.toContain('telepathy');
  });

  test('a known one is the default; a request goes before', async () => {
    const lines = await withLog({ SEARCH_MODE: 'vector' }, async (service) => {
      expect((await search({ query: 'dog', user_id: 'fused' }, service)).mode).toBe('vector');
      expect((await search({ query: 'dog', user_id: 'fused', mode: 'fused' }, service)).mode).toBe('fused');
    });
    expect(lines).toBe('');
  });

  test('without it, PRESET decides: mode and number of results', async () => {
    await under.remember(
      'kennel',
      Array.from({ length: 20 }, (_, number) => `Dog number ${number} of the kennel barks at the gate.`),
    );
    const ofPreset = async (PRESET: string) => {
      let answered: unknown[] = [];
      await withLog({ PRESET, SEARCH_MODE: '' }, async (service) => {
        const ask = (more: object) =>
          search({ query: 'dog kennel gate', user_id: 'kennel', ...more }, service);
        const [plain, named] = [await ask({}), await ask({ mode: 'fused' })];
        answered = [plain.mode, plain.results.length, named.mode, named.results.length];
      });
      return answered;
    };
    expect(await ofPreset('standard')).toEqual(['fused', 15, 'fused', 15]);
    expect(await ofPreset('single-fact')).toEqual(['vector', 5, 'fused', 15]);
    expect(await ofPreset('categorised')).toEqual(['vector', 15, 'fused', 15]);
    expect(await ofPreset('reconciled')).toEqual(['enhanced', 5, 'fused', 15]);
    expect(await ofPreset('tiered')).toEqual(['classic', 5, 'fused', 15]);
  });

  test('an unknown one in a request is refused', async () => {
    const answer = await postSearch(retrieval, { query: 'dog', user_id: 'fused', mode: 'telepathy' });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field: 'mode' }]);
  });
});

describe('scopes, pending turns, time', () => {
  const user_id = 'scoped';
  beforeAll(async () => {
    const [kept] = await under.remember(user_id, [
      'The heron nests in the reeds.',
      'The heron eats frogs.',
      { content: 'A heron was seen in May.', tags: ['birds'] },
    ]);
    await database.query(
      `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq)
       values ($1::uuid, 'pond', $2::text, 2, 1)`,
      [DEFAULT_TENANT_ID, user_id],
    );
    await database.query(
      `insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       values ($1::uuid, 'pond', 1, 'p1', 'user', 'The heron was here yesterday', 4, now()),
         ($1::uuid, 'pond', 2, 'p2', 'user', 'Today the heron caught a carp', 5, now())`,
      [DEFAULT_TENANT_ID],
    );
    await database.query(
      `update memories set scope = 'conversation', conversation_id = 'pond' where id = $1::uuid`,
      [kept],
    );
  });

  test('a conversation, global, or both', async () => {
    const ask = async (scopes?: string[]) =>
      contentsOf(
        await search({ query: 'heron', user_id, ...(scopes === undefined ? {} : { scopes }) }),
      ).toSorted();
    await expect(ask()).resolves.toHaveLength(3);
    await expect(ask(['pond'])).resolves.toEqual(['The heron nests in the reeds.']);
    await expect(ask(['global'])).resolves.toEqual(['A heron was seen in May.', 'The heron eats frogs.']);
    await expect(ask(['pond', 'global'])).resolves.toHaveLength(3);
    await expect(ask(['elsewhere'])).resolves.toEqual([]);
  });

  test('filters apply in every mode', async () => {
    for (const mode of ['fused', 'enhanced', 'classic', 'vector']) {
      const answer = await search({ query: 'heron', user_id, mode, filters: { tags: ['birds'] } });
      expect(contentsOf(answer)).toEqual(['A heron was seen in May.']);
      const pond = await search({ query: 'heron', user_id, mode, filters: { conversation_id: 'pond' } });
      expect(contentsOf(pond)).toEqual(['The heron nests in the reeds.']);
    }
  });

  test('turns that no extraction has read are found at once, and marked', async () => {
    const pending = async () => {
      const answer = await search({
        query: 'what did the heron catch, carp?',
        user_id,
        include_pending: true,
      });
      return answer.results.filter((result) => result.turn !== undefined);
    };
    const [turn, ...more] = await pending();
    expect(more).toEqual([]);
    expect(turn).toMatchObject({
      pending: true,
      channels: expect.arrayContaining(['turns']),
      turn: { conversation_id: 'pond', message_id: 'p2', role: 'user' },
      memory: { content: 'Today the heron caught a carp', provenance: { message_ids: ['p2'] } },
    });
    expect((await pending())[0]?.memory.id).toBe(turn?.memory.id);
    for (const filters of [
      { kinds: ['fact'] },
      { tiers: [2] },
      { tags: ['birds'] },
      { categories: ['animals'] },
      { project: 'lake' },
      { conversation_id: 'elsewhere' },
    ]) {
      const filtered = await search({ query: 'heron carp', user_id, include_pending: true, filters });
      expect(filtered.results.every((result) => result.turn === undefined)).toBe(true);
    }
    const before = { query: 'heron carp', user_id, include_pending: true, as_of: '2020-01-01T00:00:00Z' };
    expect((await search(before)).results).toEqual([]);
    const without = await search({ query: 'heron carp', user_id });
    expect(without.results.every((result) => result.turn === undefined)).toBe(true);
    await database.query(`update conversations set extracted_seq = 2 where id = 'pond'`);
    await expect(pending()).resolves.toEqual([]);
    await database.query(`update conversations set extracted_seq = 1 where id = 'pond'`);
  });

  test('stored turns of a conversation compete with its memories', async () => {
    const turnsOf = async (more: object) => {
      const body = {
        query: 'heron yesterday',
        user_id,
        scopes: ['pond', 'global'],
        include_turns: true,
        ...more,
      };
      const answer = await search(body);
      expect(answer.results.some(({ turn }) => turn === undefined)).toBe(true);
      return answer.results.flatMap(({ turn }) => turn?.message_id ?? []);
    };
    await expect(turnsOf({})).resolves.toEqual(['p1']);
    await expect(turnsOf({ include_pending: true })).resolves.toEqual(['p1', 'p2']);
    await expect(turnsOf({ scopes: undefined })).resolves.toEqual(['p1']);
    await expect(turnsOf({ scopes: ['global'] })).resolves.toEqual([]);
  });

  test('as of a moment: what was valid and known then', async () => {
    const who = 'as of';
    const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
    const happened = (day: number) =>
      database.query(
        `update memory_versions set created_at = $2::timestamptz where user_id = $1::text and created_at > '2026-02-01'`,
        [who, at(day)],
      );
    const home = { kind: 'fact', key: 'home', category: 'identity' } as const;
    const [berlin] = await under.remember(who, [
      { ...home, content: 'home: Berlin', value: 'Berlin', validFrom: new Date(at(1)) },
    ]);
    await happened(2);
    // On the 20th it is said that the move was on the 10th.
    const paris = randomUUID();
    await supersedeMemories(
      database,
      DEFAULT_TENANT_ID,
      [{ id: berlin ?? '', supersededBy: paris, validTo: new Date(at(10)), cause: 'newer_value' }],
      actor,
    );
    await under.remember(who, [
      { ...home, id: paris, content: 'home: Paris', value: 'Paris', validFrom: new Date(at(10)) },
    ]);
    await happened(20);
    for (const mode of ['fused', 'enhanced', 'classic', 'vector']) {
      const ask = async (as_of?: unknown) =>
        contentsOf(
          await search({
            query: 'where is home',
            user_id: who,
            mode,
            ...(as_of === undefined ? {} : { as_of }),
          }),
        );
      await expect(ask()).resolves.toEqual(['home: Paris']);
      await expect(ask(at(1))).resolves.toEqual([]);
      await expect(ask(at(15))).resolves.toEqual(['home: Berlin']);
      await expect(ask(at(21))).resolves.toEqual(['home: Paris']);
      await expect(ask({ valid_at: at(5) })).resolves.toEqual(['home: Berlin']);
      await expect(ask({ valid_at: at(15) })).resolves.toEqual(['home: Paris']);
      await expect(ask({ valid_at: at(25), known_at: at(15) })).resolves.toEqual(['home: Berlin']);
    }
    const refused = await postSearch(retrieval, { query: 'x', user_id: who, as_of: 'yesterday' });
    expect(refused.status).toBe(400);
  });

  test('superseded, archived, expired and deleted memories are in no mode’s answer', async () => {
    const who = 'invisible';
    const ids = await under.remember(who, ['osprey 1', 'osprey 2', 'osprey 3', 'osprey 4', 'osprey stays']);
    const [superseded, archived, expired, deleted] = ids;
    await supersedeMemories(
      database,
      DEFAULT_TENANT_ID,
      [{ id: superseded ?? '', supersededBy: null, validTo: new Date(), cause: 'expired' }],
      actor,
    );
    await database.query('update memories set archived_at = now() where id = $1::uuid', [archived]);
    await database.query(`update memories set expires_at = now() - interval '1 second' where id = $1::uuid`, [
      expired,
    ]);
    await database.query('update memories set deleted_at = now() where id = $1::uuid', [deleted]);
    for (const mode of ['fused', 'enhanced', 'classic', 'vector']) {
      const answer = await search({ query: 'osprey', user_id: who, mode, min_similarity: -1 });
      expect(contentsOf(answer)).toEqual(['osprey stays']);
    }
    const recent = await search({ query: 'osprey', user_id: who, channels: ['recent', 'project'] });
    expect(contentsOf(recent)).toEqual(['osprey stays']);
  });
});

describe('memories that begin later', () => {
  const user_id = 'planner';
  const content = 'The user collects brass compasses.';
  const searches = ['fused', 'enhanced', 'vector', 'classic'].flatMap((mode) =>
    [{}, { scopes: ['global'] }, { filters: { kinds: ['note'] } }, { as_of: 'now' }].map((more) => ({
      mode,
      ...more,
    })),
  );

  /** Which of all searches find it. */
  async function finders(): Promise<object[]> {
    const found = await Promise.all(
      searches.map(async (body) => {
        const moment = 'as_of' in body ? { as_of: new Date().toISOString() } : {};
        const answer = await search({ query: 'brass compasses', user_id, ...body, ...moment });
        return contentsOf(answer).includes(content) ? [body] : [];
      }),
    );
    return found.flat();
  }

  test('are found by no search before, by each of them since, and agree with as_of now', async () => {
    const [id = ''] = await under.remember(user_id, [
      { content, validFrom: new Date(Date.now() + 60_000) },
      'The user owns a boat.',
    ]);
    expect(await finders()).toEqual([]);
    // Its time comes; nothing else is written.
    await database.query(`update memories set valid_from = now() - interval '1 second' where id = $1::uuid`, [
      id,
    ]);
    await database.query(
      `update memory_versions set after = jsonb_set(after, '{valid_from}', to_jsonb(now() - interval '1 second'))
       where memory_id = $1::uuid`,
      [id],
    );
    expect(await finders()).toEqual(searches);
  });

  test('are no part of a profile or a context before', async () => {
    await under.remember('planner-profile', [
      { content: 'The user works at NASA.', tier: 1, validFrom: new Date(Date.now() + 60_000) },
      { content: 'The user speaks Danish.', tier: 1 },
      { content: 'The user will study kites.', validFrom: new Date(Date.now() + 60_000) },
    ]);
    for (const format of ['facts', 'section', 'augmented'] as const) {
      const response = await fetch(`${retrieval.url}/v1/context`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          user_id: 'planner-profile',
          format,
          messages: [{ role: 'user', content: 'Where do I work, and do I study kites?' }],
        }),
      });
      const { text, profile, memories } = (await response.json()) as Record<string, unknown>;
      const all = JSON.stringify([text, profile, memories]);
      expect(all).toContain('Danish');
      expect(all).not.toMatch(/NASA|kites\./);
    }
  });
});

describe('all users', () => {
  test('only with memory.read_all, in every mode', async () => {
    await under.remember('left', ['The walrus is on the left.']);
    await under.remember('right', ['The walrus is on the right.']);
    const reader = { 'x-api-key': await createKey(database, 'all-reader', ['memory.read']) };
    const auditor = { 'x-api-key': await createKey(database, 'auditor', ['memory.read', 'memory.read_all']) };
    await under.withService({ AUTH: 'required' }, {}, async (service) => {
      const body = { query: 'walrus', all_users: true };
      const refused = await postSearch(service, body, reader);
      expect(refused.status).toBe(403);
      expect(refused.body['detail']).toContain('memory.read_all');
      for (const mode of ['fused', 'enhanced', 'classic', 'vector']) {
        const answer = await postSearch(service, { ...body, mode }, auditor);
        const { results, user_id } = searchResponseSchema.parse(answer.body);
        expect(user_id).toBeNull();
        const users = results.map(({ memory }) => memory.user_id);
        expect(users).toEqual(expect.arrayContaining(['left', 'right']));
      }
    });
  });
});

test('accesses that are not written yet are written when the service stops', async () => {
  const [id] = await under.remember('stopping', ['The ferry leaves at noon.']);
  await under.withService({}, {}, async (service) => {
    for (const query of ['ferry', 'when does the ferry leave'])
      await search({ query, user_id: 'stopping' }, service);
  });
  const { count } = await database.one<{ count: number }>(
    'select access_count as count from memories where id = $1::uuid',
    [id],
  );
  expect(count).toBe(2);
});

test('a reranker that cannot be reached costs its timeout only', async () => {
  const environment = { RERANK_PROVIDER: 'tei', RERANK_BASE_URL: `http://127.0.0.1:${await freePort()}` };
  await under.withService(environment, {}, async (service) => {
    const answer = await search({ query: 'dog', user_id: 'fused' }, service);
    expect(answer).toMatchObject({ mode: 'fused', degraded: 'rerank_unavailable' });
    expect(answer.results).not.toEqual([]);
  });
});
