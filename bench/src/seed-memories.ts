import { createPool, DEFAULT_TENANT_ID, registerEmbeddingModel } from '@factmill/database';
import type { Stage } from './stage.ts';

export const MODEL = { id: 'use-lite-512', dimensions: 512 } as const;
export const TENANT_ID = DEFAULT_TENANT_ID;

/**
 * Every `per`-th memory belongs to the user; the rest to fillers of about 500 each. So each user's rows are scattered
 * over the table, as when many people talk at the same time.
 */
const USERS = [
  { userId: 'has-5000', per: 40, at: 0 },
  { userId: 'has-1000', per: 200, at: 1 },
  { userId: 'has-100', per: 2_000, at: 2 },
] as const;

export type SeededUser = Readonly<{ userId: string; memories: number }>;

/**
 * Fills the database with memories and vectors by SQL. A vector is the normalised sum of two of 1,000 random
 * ones: different for every memory, and with neighbours, which purely random ones do not have in 512 dimensions.
 */
export async function seedMemories(stage: Stage, total: number): Promise<SeededUser[]> {
  const pool = createPool({
    connectionString: stage.databaseUrl,
    max: 1,
    applicationName: 'factmill-bench',
    logger: { info: () => undefined, warn: () => undefined },
  });
  try {
    await registerEmbeddingModel(pool, MODEL.id, MODEL.dimensions);
    await pool.query(BASE_VECTORS, [MODEL.dimensions]);
    await pool.query(MEMORIES, [total, TENANT_ID]);
    await pool.query(EMBEDDINGS, [MODEL.id]);
    await pool.query('vacuum (analyze) memories, memory_embeddings');
  } finally {
    await pool.close();
  }
  return USERS.map(({ userId, per }) => ({ userId, memories: Math.round(total / per) })).reverse();
}

const BASE_VECTORS = `
  create table bench_vectors as
  select base, (select array_agg(random() - 0.5) from generate_series(1, $1::integer) where base > 0)::real[]::halfvec as v
  from generate_series(1, 1000) as base`;

const OWNER = USERS.map(({ userId, per, at }) => `when n % ${per} = ${at} then '${userId}'`).join(' ');

const MEMORIES = `
  insert into memories (id, tenant_id, user_id, kind, source, content, content_hash, stated_at, valid_from)
  select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2::uuid,
         case ${OWNER} else 'filler-' || n % ($1::integer / 500 + 1) end,
         'note', 'conversation', content, sha256(convert_to(content, 'UTF8')), now(), now()
  from generate_series(1, $1::integer) as n
    cross join lateral (select 'In note ' || n || ' the user keeps a '
      || (array['red', 'green', 'blue', 'wooden', 'broken', 'borrowed', 'new'])[1 + n % 7] || ' '
      || (array['bicycle', 'kettle', 'notebook', 'lamp', 'chair', 'violin', 'camera', 'map', 'coat', 'key', 'radio'])[1 + n % 11]
      || ' in the ' || (array['kitchen', 'garden', 'office', 'attic', 'hall'])[1 + n % 5] || '.' as content) as text`;

const EMBEDDINGS = `
  insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
  select m.id, $1::text, m.tenant_id, m.user_id, m.content_hash, l2_normalize(a.v + b.v)
  from (select *, row_number() over (order by id) as n from memories) as m
    join bench_vectors a on a.base = 1 + m.n % 1000
    join bench_vectors b on b.base = 1 + (m.n / 1000 * 37 + m.n * 7) % 1000`;
