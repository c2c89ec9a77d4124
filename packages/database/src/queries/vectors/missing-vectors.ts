import { toHalfvecs } from '../../pool/binary.ts';
import type { Sql } from '../../pool/sql.ts';

/** Before all ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export type VectorStage = 'memories' | 'chunks';

/** Which rows are checked for missing vectors. */
export type MissingVector = Readonly<{ id: string; content: string }>;

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
      select id from looked_at l where ${where('l').join(' and ')} order by id limit $6::integer
    )
    select (select id from looked_at order by id desc limit 1) as "end", missing.id, t.content
    from (select 1) as one left join missing on true left join ${table} t on t.id = missing.id
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
  const { rows } = await sql.query<{ end: string | null; id: string | null; content: string | null }>(
    LIST[stage],
    [target.model, target.likeModel, target.tenantId, page.after, WINDOW, page.limit],
    { name: `list_missing_${stage}` },
  );
  const missing = rows.flatMap(({ id, content }) =>
    id === null || content === null ? [] : [{ id, content }],
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

/**
 * Marks the current memories, or the chunks, of one window after `after` whose vector of the model is missing or of
 * an older text, so that they are embedded like new ones. Rows that wait already are skipped.
 */
export function markMissingVectors(
  sql: Sql,
  model: string,
  stage: VectorStage,
  after: string,
): Promise<{ next: string | null; marked: number }> {
  const [table, columns, where] =
    stage === 'memories'
      ? ([
          'memories',
          'content_hash, is_current',
          `l.is_current and ${lacksVector('l', '$1::text')}`,
        ] as const)
      : (['document_chunks', 'tenant_id', chunkLacksVector('l', '$1::text')] as const);
  return sql.one(
    `with looked_at as materialized (
       select id, embedding_pending_since, ${columns} from ${table} where id > $2::uuid order by id limit $3::integer
     ), marked as (
       update ${table} t set embedding_pending_since = now()
       from looked_at l
       where t.id = l.id and l.embedding_pending_since is null and t.embedding_pending_since is null and ${where}
         ${stage === 'memories' ? 'and t.is_current' : ''}
       returning t.id
     )
     select (select id from looked_at order by id desc limit 1) as next, (select count(*) from marked)::integer as marked`,
    [model, after, WINDOW],
  );
}

/** Whether anything is stored that should have a vector. Stops at the first row. */
export async function hasCurrentMemory(sql: Sql): Promise<boolean> {
  const { found } = await sql.one<{ found: boolean }>(
    'select exists (select from memories where is_current) as found',
  );
  return found;
}

/** A vector of another model than the one in use. */
export type BuiltVector = Readonly<{ id: string; content: string; vector: readonly number[] }>;

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
  await sql.query(
    stage === 'memories'
      ? `with given as (
           select * from unnest($2::uuid[], $3::text[], $4::halfvec[]) as g (id, content, vector)
         ), fresh as (
           select m.id, m.tenant_id, m.user_id, m.content_hash, given.vector
           from given join memories m on m.id = given.id and m.content = given.content for key share of m
         )
         insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
         select id, $1::text, tenant_id, user_id, content_hash, vector from fresh
         on conflict (tenant_id, memory_id, model) do update
           set content_hash = excluded.content_hash, embedding = excluded.embedding, created_at = now()`
      : `with given as (
           select * from unnest($2::uuid[], $3::text[], $4::halfvec[]) as g (id, content, vector)
         ), fresh as (
           select c.id, c.tenant_id, c.user_id, given.vector
           from given join document_chunks c on c.id = given.id and c.content = given.content for key share of c
         )
         insert into document_chunk_embeddings (chunk_id, model, tenant_id, user_id, embedding)
         select id, $1::text, tenant_id, user_id, vector from fresh
         on conflict (tenant_id, chunk_id, model) do update set embedding = excluded.embedding, created_at = now()`,
    [
      model,
      vectors.map(({ id }) => id),
      vectors.map(({ content }) => content),
      toHalfvecs(vectors.map(({ vector }) => vector)),
    ],
  );
}

/**
 * Records that a model refuses a text, so that nothing waits for its vector: text search finds the memory until it is
 * edited. `model` null: the one in use.
 */
export async function refuseVector(
  sql: Sql,
  model: string | null,
  stage: VectorStage,
  id: string,
): Promise<void> {
  const named = `coalesce($1::text, (select id from embedding_models where state = 'active'))`;
  await sql.query(
    stage === 'memories'
      ? `insert into embedding_refusals (tenant_id, model, memory_id, content_hash)
         select m.tenant_id, ${named}, m.id, m.content_hash from memories m where m.id = $2::uuid and ${named} is not null
         for key share
         on conflict (tenant_id, memory_id, model) where memory_id is not null
           do update set content_hash = excluded.content_hash`
      : `insert into embedding_refusals (tenant_id, model, chunk_id)
         select c.tenant_id, ${named}, c.id from document_chunks c where c.id = $2::uuid and ${named} is not null for key share
         on conflict do nothing`,
    [model, id],
  );
}
