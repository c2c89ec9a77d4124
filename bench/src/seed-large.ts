import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  registerEmbeddingModel,
  toVectorText,
} from '@factmill/database';
import type { LargePlan } from './large-plan.ts';
import { LARGE_MODEL, OWN_VECTORS, type PartVectors } from './large-vectors.ts';
import { ADJECTIVES, CATEGORIES, PEOPLE, PLACES, STATEMENTS, THINGS } from './vocabulary.ts';

/** Users with more memories have a longer time limit. */
export const LARGE_USER = 20_000;

export type LoadTimes = Readonly<{ rowsMs: number; indexesMs: number }>;

/**
 * Fills an empty database with the memories of a plan by SQL, the same in every run. Each user's rows are scattered
 * over the table, as when many people talk at the same time. Indexes other than constraints are dropped for the load
 * and rebuilt from their own definitions.
 */
export async function seedLarge(
  databaseUrl: string,
  plan: LargePlan,
  parts: PartVectors,
): Promise<LoadTimes> {
  const pool = createPool({
    connectionString: databaseUrl,
    max: 1,
    applicationName: 'factmill-bench',
    logger: { info: () => undefined, warn: () => undefined },
  });
  try {
    await pool.query(`set synchronous_commit = off`);
    await pool.query(`set maintenance_work_mem = '3GB'`);
    await pool.query(`set max_parallel_maintenance_workers = 2`);
    await pool.query(`set work_mem = '512MB'`);
    await registerEmbeddingModel(pool, LARGE_MODEL.id, LARGE_MODEL.dimensions);
    const indexes = await takeIndexes(pool);
    const rowsMs = await timed(async () => {
      await loadParts(pool, parts);
      await pool.query(CHOICES, [
        plan.users.map(({ userId }) => userId),
        plan.users.map(({ memories }) => memories),
      ]);
      await pool.query(MEMORIES, [
        DEFAULT_TENANT_ID,
        PEOPLE,
        ADJECTIVES,
        THINGS,
        PLACES,
        STATEMENTS,
        CATEGORIES,
      ]);
      await pool.query('analyze memories, bench_choices, bench_parts');
      // Otherwise the foreign key of each row would be checked one by one.
      await pool.query(`alter table memory_embeddings disable trigger all`);
      await pool.query(EMBEDDINGS, [LARGE_MODEL.id]);
      await pool.query(`alter table memory_embeddings enable trigger all`);
      await pool.query(`drop table bench_choices, bench_parts`);
    });
    const indexesMs = await timed(async () => {
      for (const definition of indexes) await pool.query(definition);
    });
    await pool.query('vacuum (analyze) memories, memory_embeddings');
    await pool.query('checkpoint');
    return { rowsMs, indexesMs };
  } finally {
    await pool.close();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function takeIndexes(pool: DatabasePool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition
     from pg_indexes where schemaname = 'public' and tablename in ('memories', 'memory_embeddings')
       and indexname not in (select conname from pg_constraint)`,
  );
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function loadParts(pool: DatabasePool, parts: PartVectors): Promise<void> {
  await pool.query('create unlogged table bench_parts (part text, place integer, v halfvec)');
  for (const [part, vectors] of Object.entries(parts)) {
    await pool.query(
      `insert into bench_parts select $1, place - 1, v::halfvec from unnest($2::text[]) with ordinality as t (v, place)`,
      [part, vectors.map(toVectorText)],
    );
  }
}

/** Skewed: the beginning of a list is chosen more often. */
const choose = (salt: number, length: number) =>
  `floor(${length} * (((hashint8extended(n, ${salt}) & 16777215) / 16777216.0::float8) ^ 1.5))::integer`;

/** Uniform. */
const draw = (salt: number, length: number) =>
  `((hashint8extended(n, ${salt}) & 16777215) % ${length})::integer`;

/** One row per memory with its subject, in an order that mixes the users. */
const CHOICES = `
  create unlogged table bench_choices as
  select n, user_id, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
    ${choose(2, PEOPLE.length)} as person, ${draw(3, ADJECTIVES.length)} as adjective,
    ${choose(4, THINGS.length)} as thing, ${draw(5, PLACES.length)} as place,
    ${draw(6, STATEMENTS.length)} as statement, ${draw(7, 730)} as days, ${draw(8, 10_000)} as number,
    ${draw(9, OWN_VECTORS)} as own
  from (select row_number() over (order by hashint8extended(place * 100000 + k, 1), place, k) as n, user_id
    from unnest($1::text[], $2::integer[]) with ordinality as u (user_id, memories, place)
      cross join lateral generate_series(1, memories) as k) as mixed`;

const MEMORIES = `
  insert into memories (id, tenant_id, user_id, kind, category, project, importance, source, content, content_hash,
    stated_at, valid_from, created_at, updated_at)
  select id, $1::uuid, user_id, 'note', ($7::text[])[1 + n % cardinality($7::text[])],
    case when n % 5 = 0 then 'project-' || (n / 5) % 4 end, 0.3 + (n % 7) / 10.0, 'conversation', content,
    sha256(convert_to(content, 'UTF8')), at, at, at, at
  from bench_choices
    cross join lateral (select now() - days * interval '1 day' as at) as moment
    cross join lateral (select format(($6::text[])[1 + statement], ($2::text[])[1 + person],
      ($3::text[])[1 + adjective], ($4::text[])[1 + thing], ($5::text[])[1 + place], to_char(at, 'FMDD FMMonth YYYY'),
      number) as content) as text
  order by n`;

const EMBEDDINGS = `
  insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
  select c.id, $1::text, m.tenant_id, c.user_id, m.content_hash, l2_normalize(t.v + p.v + s.v + o.v)
  from bench_choices c
    join memories m on m.id = c.id
    join bench_parts t on t.part = 'thing' and t.place = c.thing
    join bench_parts p on p.part = 'person' and p.place = c.person
    join bench_parts s on s.part = 'statement' and s.place = c.statement
    join bench_parts o on o.part = 'own' and o.place = c.own
  order by c.n`;
