import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';
import type { TenantRow } from '../claim-by-tenant.ts';

/** Before all ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export type VectorStage = 'memories' | 'chunks';

/** A memory or chunk without a vector. */
export type MissingVector = TenantRow & Readonly<{ content: string }>;

/** The model whose vectors may be missing. */
export type VectorTarget = Readonly<{
  /** Id in `embedding_models`. */
  model: string;
  /** Also memories with a vector of this model that are not current: a search at an earlier time returns them. */
  likeModel: string | null;
  tenantId: string | null;
}>;

/** Rows per statement: about 20 ms when no vector is missing. */
const WINDOW = 5_000;

/** A memory's vector is missing when there is none, or one of another text; unless the model refuses the text. */
export const lacksVector = (memory: string, model: string, vectors = 'memory_embeddings') => `
  not exists (select from ${vectors} e
    where e.memory_id = ${memory}.id and e.model = ${model} and e.content_hash = ${memory}.content_hash)
  and not exists (select from embedding_refusals r
    where r.memory_id = ${memory}.id and r.model = ${model} and r.content_hash = ${memory}.content_hash)`;

const chunkLacksVector = (chunk: string, model: string) => `
  not exists (select from document_chunk_embeddings e where e.chunk_id = ${chunk}.id and e.model = ${model})
  and not exists (select from embedding_refusals r where r.chunk_id = ${chunk}.id and r.model = ${model})`;

/** Target: $1 model, $2 likeModel, $3 tenant. */
const wanted = (memory: string) => `(${memory}.is_current or ($2::text is not null and exists (
    select from memory_embeddings o where o.memory_id = ${memory}.id and o.model = $2::text
      and o.content_hash = ${memory}.content_hash)))
  and ($3::uuid is null or ${memory}.tenant_id = $3::uuid)`;

/** Both stages have the same form: a window of ids, and the rows in it without a vector. */
const LIST: Readonly<Record<VectorStage, string>> = {
  memories: listStatement('memories', 'is_current, tenant_id, content_hash', (row) => [
    wanted(row),
    lacksVector(row, '$1::text'),
  ]),
  chunks: listStatement('document_chunks', 'tenant_id', (row) => [
    '($3::uuid is null or tenant_id = $3::uuid)',
    chunkLacksVector(row, '$1::text'),
    '$2::text is not distinct from $2::text',
  ]),
};

function listStatement(table: string, columns: string, where: (row: string) => readonly string[]): string {
  return `
    with looked_at as materialized (
      select id, ${columns} from ${table} where id > $4::uuid order by id limit $5::integer
    ), missing as materialized (
      select tenant_id, id from looked_at l where ${where('l').join(' and ')} order by id limit $6::integer
    )
    select (select id from looked_at order by id desc limit 1) as "end", t.tenant_id as "tenantId", t.id, t.content
    from (select 1) as one left join missing on true
    left join ${table} t on t.tenant_id = missing.tenant_id and t.id = missing.id
    order by missing.id`;
}

/**
 * The next memories or chunks after `after`, in id order, without a vector of the model. `next` is where to continue;
 * null at the end. A page may be empty although more follow: one statement reads at most 5,000 rows.
 */
export async function listMissingVectors(
  sql: Sql,
  target: VectorTarget,
  stage: VectorStage,
  page: Readonly<{ after: string; limit: number }>,
): Promise<{ missing: MissingVector[]; next: string | null }> {
  const { rows } = await sql.query<Readonly<{ end: string | null }> & (MissingVector | { id: null })>(
    LIST[stage],
    [target.model, target.likeModel, target.tenantId, page.after, WINDOW, page.limit],
    { name: `list_missing_${stage}` },
  );
  const missing = rows.flatMap((row) =>
    row.id === null ? [] : [{ tenantId: row.tenantId, id: row.id, content: row.content }],
  );
  const next = missing.length === page.limit ? missing.at(-1)?.id : rows[0]?.end;
  return { missing, next: next ?? null };
}

export type VectorCounts = Readonly<{
  memories: number;
  chunks: number;
  memoriesToEmbed: number;
  chunksToEmbed: number;
  /** Characters of all texts without a vector. */
  charactersToEmbed: number;
}>;

/** How many vectors there should be and how many are missing. Reads all memories and chunks once. */
export function countVectors(sql: Sql, target: VectorTarget): Promise<VectorCounts> {
  return sql.one<VectorCounts>(
    `with memory as (
       select lacks, length(m.content) as characters
       from memories m cross join lateral (select ${lacksVector('m', '$1::text')} as lacks) as l
       where ${wanted('m')}
     ), chunk as (
       select lacks, length(c.content) as characters
       from document_chunks c cross join lateral (select ${chunkLacksVector('c', '$1::text')} as lacks) as l
       where $3::uuid is null or c.tenant_id = $3::uuid
     ), of_memories as (
       select count(*) as all, count(*) filter (where lacks) as missing,
         coalesce(sum(characters) filter (where lacks), 0) as characters from memory
     ), of_chunks as (
       select count(*) as all, count(*) filter (where lacks) as missing,
         coalesce(sum(characters) filter (where lacks), 0) as characters from chunk
     )
     select m.all::float8 as memories, c.all::float8 as chunks, m.missing::float8 as "memoriesToEmbed",
       c.missing::float8 as "chunksToEmbed", (m.characters + c.characters)::float8 as "charactersToEmbed"
     from of_memories m, of_chunks c`,
    [target.model, target.likeModel, target.tenantId],
  );
}

/** The tables whose rows can wait for a vector. */
type WithVector = 'memories' | 'document_chunks' | 'turn_parts';

/** Has rows wait for their vector. Resolves to how many did not wait already. */
export async function markWaiting(sql: Sql, table: WithVector, rows: readonly TenantRow[]): Promise<number> {
  let marked = 0;
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
    const { rowCount } = await sql.query(
      `update ${table} set embedding_pending_since = now()
       where tenant_id = $1::uuid and id = any($2::uuid[]) and embedding_pending_since is null
         ${table === 'memories' ? 'and is_current' : ''}`,
      [tenantId, own.map(({ id }) => id)],
    );
    marked += rowCount;
  }
  return marked;
}

/**
 * Marks the current memories, or the chunks, of one window after `after` whose vector of the model is missing or of
 * an older text, so that they are embedded like new ones. Rows that wait already are skipped.
 */
export async function markMissingVectors(
  sql: Sql,
  model: string,
  stage: VectorStage,
  after: string,
): Promise<{ next: string | null; marked: number }> {
  const [table, columns, where] =
    stage === 'memories'
      ? ([
          'memories',
          'id, content_hash, is_current',
          `l.is_current and ${lacksVector('l', '$1::text')}`,
        ] as const)
      : (['document_chunks', 'id', chunkLacksVector('l', '$1::text')] as const);
  const { rows } = await sql.query<Readonly<{ end: string | null }> & (TenantRow | { id: null })>(
    `with looked_at as materialized (
       select tenant_id, embedding_pending_since, ${columns} from ${table} where id > $2::uuid
       order by id limit $3::integer
     ), missing as materialized (
       select tenant_id, id from looked_at l where l.embedding_pending_since is null and ${where}
     )
     select (select id from looked_at order by id desc limit 1) as "end", m.tenant_id as "tenantId", m.id
     from (select 1) as one left join missing m on true`,
    [model, after, WINDOW],
  );
  const missing = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { next: rows[0]?.end ?? null, marked: await markWaiting(sql, table, missing) };
}

/** Whether anything is stored that should have a vector. Stops at the first row. */
export async function hasCurrentMemory(sql: Sql): Promise<boolean> {
  const { found } = await sql.one<{ found: boolean }>(
    'select exists (select from memories where is_current) as found',
  );
  return found;
}

/** A vector of another model than the one in use. */
export type BuiltVector = MissingVector & Readonly<{ vector: readonly number[] }>;

/**
 * Stores vectors beside those in use; the pending state of memories does not change. Rows edited, replaced or deleted
 * meanwhile are skipped.
 */
export async function saveBuiltVectors(
  sql: Sql,
  model: string,
  stage: VectorStage,
  vectors: readonly BuiltVector[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(vectors, (vector) => vector.tenantId)) {
    await sql.query(
      stage === 'memories'
        ? `insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
           select m.id, $2::text, $1::uuid, m.user_id, m.content_hash, g.vector
           from unnest($3::uuid[], $4::text[], $5::halfvec[]) as g (id, content, vector) cross join lateral (
             select id, user_id, content_hash from memories
             where tenant_id = $1::uuid and id = g.id and content = g.content for key share offset 0) as m
           on conflict (tenant_id, memory_id, model) do update
             set content_hash = excluded.content_hash, embedding = excluded.embedding, created_at = now()`
        : `insert into document_chunk_embeddings (chunk_id, model, tenant_id, user_id, embedding)
           select c.id, $2::text, $1::uuid, c.user_id, g.vector
           from unnest($3::uuid[], $4::text[], $5::halfvec[]) as g (id, content, vector) cross join lateral (
             select id, user_id from document_chunks
             where tenant_id = $1::uuid and id = g.id and content = g.content for key share offset 0) as c
           on conflict (tenant_id, chunk_id, model) do update set embedding = excluded.embedding, created_at = now()`,
      [
        tenantId,
        model,
        own.map(({ id }) => id),
        own.map(({ content }) => content),
        toHalfvecs(own.map(({ vector }) => vector)),
      ],
    );
  }
}

/**
 * Records that a model refuses a text, so that nothing waits for its vector: text search finds the memory until it is
 * edited. `model` null: the one in use.
 */
export async function refuseVector(
  sql: Sql,
  model: string | null,
  stage: VectorStage,
  { tenantId, id }: TenantRow,
): Promise<void> {
  const named = `coalesce($1::text, (select id from embedding_models where state = 'active'))`;
  await sql.query(
    stage === 'memories'
      ? `insert into embedding_refusals (tenant_id, model, memory_id, content_hash)
         select m.tenant_id, ${named}, m.id, m.content_hash from memories m
         where m.tenant_id = $3::uuid and m.id = $2::uuid and ${named} is not null for key share
         on conflict (tenant_id, memory_id, model) where memory_id is not null
           do update set content_hash = excluded.content_hash`
      : `insert into embedding_refusals (tenant_id, model, chunk_id)
         select c.tenant_id, ${named}, c.id from document_chunks c
         where c.tenant_id = $3::uuid and c.id = $2::uuid and ${named} is not null for key share
         on conflict do nothing`,
    [model, id, tenantId],
  );
}
