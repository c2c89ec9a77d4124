import { createPool } from '@factmill/database';
import { searchByVector } from '@factmill/search';
import { type Benchmark, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { MODEL, seedMemories, type SeededUser, TENANT_ID } from './seed-memories.ts';
import { createStage } from './stage.ts';
import { percentile } from './statistics.ts';

const AIM = 2;
const FUSED_AIM_MS = 25;
const LIMIT = 15;
const TOTAL = 200_000;

type Search = () => Promise<number>;

/** Searches of users of three sizes over HTTP, against the same search as one plain SQL statement. */
export const search: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  const pool = createPool({
    connectionString: stage.databaseUrl,
    max: 2,
    applicationName: 'factmill-bench',
    logger: { info: () => undefined, warn: () => undefined },
  });
  try {
    const users = await seedMemories(stage, quick ? TOTAL / 20 : TOTAL);
    const retrieval = await stage.start('retrieval', { EMBEDDING_PROVIDER: 'local' });
    const gateway = await stage.start('gateway', { RETRIEVAL_URL: retrieval.url });
    const headers = await stage.createClientHeaders(gateway);
    const rows: Row[] = [];
    for (const user of users) {
      const vector = randomVector();
      const overHttp =
        (url: string, query: string, mode: 'vector' | 'fused' = 'vector') =>
        () =>
          searchOverHttp(url, headers, user.userId, query, mode);
      const expected = Math.min(LIMIT, user.memories);
      const times = await measureInterleaved(quick ? 20 : 200, expected, {
        // One query repeated: its vector is cached after the first, so that only the search is measured.
        http: overHttp(retrieval.url, 'Where is the kettle?'),
        sql: async () => (await stage.database.query(BARE_SQL, bareValues(user.userId, vector))).rows.length,
        service: async () => (await searchByVector(pool, serviceSearch(user.userId, vector))).length,
        gateway: overHttp(gateway.url, 'Where is the kettle?'),
        fused: overHttp(retrieval.url, 'Where is the kettle?', 'fused'),
      });
      rows.push(...rowsOf(user, times));
    }
    return [...rows, await withEmbedding(retrieval.url, headers, users, quick ? 20 : 100)];
  } finally {
    await pool.close();
    await stage.close();
  }
};

/** The minimum work of a search: the nearest memories of one user, exactly, as one statement. */
const BARE_SQL = {
  name: 'bare_search',
  text: `select m.id, m.content, m.category, m.created_at, 1 - near.distance as similarity
    from (select e.memory_id, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
          where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text
          order by distance limit $5::integer) as near
      join memories m on m.id = near.memory_id
    where m.is_current order by near.distance`,
};

function bareValues(userId: string, vector: readonly number[]): unknown[] {
  return [TENANT_ID, userId, MODEL.id, `[${vector.join(',')}]`, LIMIT];
}

function serviceSearch(userId: string, vector: readonly number[]): Parameters<typeof searchByVector>[1] {
  const { id: model, dimensions } = MODEL;
  return {
    tenantId: TENANT_ID,
    userId,
    model,
    dimensions,
    vector,
    minSimilarity: -1,
    filters: {},
    limit: LIMIT,
  };
}

/**
 * Random vectors are similar to nothing, so the cutoff is off. Resolves to the number of hits, in vector mode by
 * vector. One memory in eleven has the word of the fused search, which is far from rare.
 */
async function searchOverHttp(
  url: string,
  headers: Record<string, string>,
  userId: string,
  query: string,
  mode: 'vector' | 'fused' = 'vector',
): Promise<number> {
  const body = { user_id: userId, query, limit: LIMIT, mode, min_similarity: -1 };
  type Found = { results: { channels: string[] }[] };
  const { results } = await callJson<Found>(`${url}/v1/memories/search`, headers, body);
  return mode === 'fused'
    ? results.length
    : results.filter(({ channels }) => channels.includes('vector')).length;
}

/** Milliseconds by name, each search once per round. The first tenth is warm-up. */
async function measureInterleaved<Name extends string>(
  rounds: number,
  expected: number,
  searches: Readonly<Record<Name, Search>>,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries(searches) as [Name, Search][];
  const times = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = -rounds / 10; round < rounds; round += 1) {
    for (const [name, search] of entries) {
      const startedAt = performance.now();
      const found = await search();
      if (round >= 0) times[name].push(performance.now() - startedAt);
      if (found !== expected) throw new Error(`${name} found ${found} of ${expected} memories`);
    }
  }
  return times;
}

function rowsOf(
  { memories }: SeededUser,
  times: Record<'http' | 'sql' | 'service' | 'gateway' | 'fused', number[]>,
): Row[] {
  const row = (how: string, percent: number, values: readonly number[], aimed: boolean): Row => {
    const [ours, bare] = [percentile(values, percent), percentile(times.sql, percent)];
    return {
      benchmark: 'search',
      measure: `${how} p${percent}, ${memories} memories`,
      ours: inMs(ours),
      baseline: inMs(bare),
      ratio: ours / bare,
      ...(aimed ? { aim: { text: `≤ ${AIM}`, reached: ours / bare <= AIM } } : {}),
    };
  };
  return [
    row('over HTTP', 50, times.http, true),
    row('over HTTP', 95, times.http, true),
    row('its SQL alone', 50, times.service, false),
    row('through the gateway', 50, times.gateway, false),
    row('fused', 50, times.fused, false),
    fusedRow(memories, times.fused),
  ];
}

function fusedRow(memories: number, times: readonly number[]): Row {
  const p95 = percentile(times, 95);
  return {
    benchmark: 'search',
    measure: `fused p95, ${memories} memories`,
    ours: inMs(p95),
    aim: { text: `≤ ${FUSED_AIM_MS} ms`, reached: p95 <= FUSED_AIM_MS },
  };
}

/** Every query is new, so the local model embeds each first. */
async function withEmbedding(
  url: string,
  headers: Record<string, string>,
  users: readonly SeededUser[],
  rounds: number,
): Promise<Row> {
  const user = users[1] ?? { userId: '', memories: 0 };
  let asked = 0;
  const { http } = await measureInterleaved(rounds, LIMIT, {
    http: () => searchOverHttp(url, headers, user.userId, `Where was the kettle on day ${(asked += 1)}?`),
  });
  return {
    benchmark: 'search',
    measure: `new query embedded locally p50 / p95, ${user.memories} memories`,
    ours: `${inMs(percentile(http, 50))} / ${inMs(percentile(http, 95))}`,
  };
}

function randomVector(): number[] {
  return Array.from({ length: MODEL.dimensions }, () => Math.random() - 0.5);
}
