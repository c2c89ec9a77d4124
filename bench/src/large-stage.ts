import { DEFAULT_TENANT_ID, toHalfvec } from '@factmill/database';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { callJson } from './call-json.ts';
import type { LargePlan } from './large-plan.ts';
import { createPartVectors, createQueries, LARGE_MODEL, type LargeQuery } from './large-vectors.ts';
import { type LoadTimes, seedLarge } from './seed-large.ts';
import { createStage, type Stage } from './stage.ts';
import type { Service } from './start-service.ts';

/** A loaded database, and retrieval on it with an endpoint that has the vectors of the questions. */
export type LargeStage = Readonly<{
  stage: Stage;
  /** Null: an earlier run loaded the database. */
  loaded: LoadTimes | null;
  queries: readonly LargeQuery[];
  model: Service;
  /** Settings of services that embed. */
  modelEnv: Readonly<Record<string, string>>;
  gateway: Service;
  retrieval: Service;
  headers: Record<string, string>;
  /** Connections for the plain statements. */
  bare: Pool;
  close: () => Promise<void>;
}>;

export type LargeSearch = Readonly<{
  results: readonly Readonly<{
    memory: Readonly<{ id: string }>;
    channels: readonly string[];
    similarity?: number;
    duplicate_ids?: readonly string[];
  }>[];
  degraded?: string;
}>;

/** How many questions there are; the first round caches their vectors. */
const QUERIES = 200;

export async function createLargeStage(
  plan: LargePlan,
  options: Readonly<{ profileDirectory?: string | undefined; keptDatabase?: string | undefined }>,
): Promise<LargeStage> {
  const stage = await createStage(options.profileDirectory, options.keptDatabase);
  try {
    const parts = createPartVectors();
    const queries = createQueries(parts, QUERIES);
    const { rows } = await stage.database.query('select 1 from memory_embeddings limit 1');
    const loaded = rows.length === 0 ? await seedLarge(stage.databaseUrl, plan, parts) : null;
    const file = join(stage.folder, 'vectors.json');
    await writeFile(
      file,
      JSON.stringify(Object.fromEntries(queries.map(({ text, vector }) => [text, vector]))),
    );
    const model = await stage.startProgram('instant-model', {
      env: { VECTORS_FILE: file, DIMENSIONS: String(LARGE_MODEL.dimensions) },
      hasHttp: true,
    });
    const modelEnv = {
      EMBEDDING_PROVIDER: 'openai',
      EMBEDDING_BASE_URL: `${model.url}/v1`,
      EMBEDDING_MODEL: LARGE_MODEL.name,
    };
    const retrieval = await stage.start('retrieval', modelEnv);
    const gateway = await stage.start('gateway', { RETRIEVAL_URL: retrieval.url });
    const headers = await stage.createClientHeaders(gateway);
    const bare = new Pool({ connectionString: stage.databaseUrl, max: 8 });
    const large: LargeStage = {
      stage,
      loaded,
      queries,
      model,
      modelEnv,
      gateway,
      retrieval,
      headers,
      bare,
      async close() {
        await bare.end();
        await stage.close();
      },
    };
    for (const { text } of queries) await searchLarge(large, 'nobody', text, { mode: 'vector' });
    return large;
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** Random questions are similar to few memories, so the cutoff is off: every search must return as many as it may. */
export async function searchLarge(
  { retrieval, headers }: LargeStage,
  userId: string,
  query: string,
  body: Readonly<Record<string, unknown>>,
): Promise<LargeSearch> {
  return callJson<LargeSearch>(`${retrieval.url}/v1/memories/search`, headers, {
    user_id: userId,
    query,
    min_similarity: -1,
    ...body,
  });
}

/**
 * The user's nearest memories, the minimum work of the vector channel: one plain statement. Distances, nearest first.
 */
export async function searchBare(
  { bare }: LargeStage,
  userId: string,
  { vector }: LargeQuery,
  limit: number,
): Promise<number[]> {
  const { rows } = await bare.query<{ similarity: number }>({
    name: 'bare_exact',
    text: `select m.id, m.content, m.category, m.created_at, 1 - near.distance as similarity
      from (select e.memory_id, e.embedding <=> $4::halfvec as distance from memory_embeddings e
            where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text
            order by distance limit $5::integer) as near
        join memories m on m.id = near.memory_id
      where m.is_current order by near.distance`,
    values: [DEFAULT_TENANT_ID, userId, LARGE_MODEL.id, toHalfvec(vector), limit],
  });
  return rows.map(({ similarity }) => similarity);
}
