import type { Sql } from '../pool/sql.ts';

/** Whose vectors an index by distance is for. */
export type IndexOwner = Readonly<{ tenantId: string; userId: string; model: string }>;

export type LargeOwner = IndexOwner & Readonly<{ vectors: number }>;

/** An index that a process may build now. */
export type ClaimedIndex = IndexOwner & Readonly<{ name: string }>;

/**
 * How well the index knows its neighbourhoods: with pgvector's defaults (16, 64) it found 0.88 of the ten nearest of
 * 50,000 clustered vectors, with these all of them (bench/results/search.md).
 */
const QUALITY = 'm = 24, ef_construction = 200';

/** Users with more than so many vectors of a model that is not retired, those with most first. Reads one index whole. */
export async function listLargeOwners(sql: Sql, moreThan: number, limit: number): Promise<LargeOwner[]> {
  const { rows } = await sql.query<LargeOwner>(
    `select e.tenant_id as "tenantId", e.user_id as "userId", e.model, count(*) as vectors
     from memory_embeddings e join embedding_models m on m.id = e.model and m.state <> 'retired'
     group by e.tenant_id, e.user_id, e.model having count(*) > $1::bigint
     order by count(*) desc, e.tenant_id, e.user_id, e.model limit $2::integer`,
    [moreThan, limit],
  );
  return rows;
}

/**
 * Takes the building of an owner's index for a while; undefined when it is built, or being built by another process.
 *
 * @param leaseMs after so long another process may begin anew
 */
export function claimDistanceIndex(
  sql: Sql,
  owner: LargeOwner,
  leaseMs: number,
): Promise<ClaimedIndex | undefined> {
  return sql.maybeOne(
    `insert into embedding_indexes as i (tenant_id, user_id, model, name, vectors, leased_until)
     values ($1::uuid, $2::text, $3::text,
       'memory_embeddings_of_' || left(md5(jsonb_build_array($1::uuid, $2::text, $3::text)::text), 16), $4::bigint,
       now() + $5::float8 * interval '1 ms')
     on conflict (tenant_id, user_id, model) do update
       set vectors = excluded.vectors, leased_until = excluded.leased_until
       where i.ready_at is null and i.leased_until < now()
     returning tenant_id as "tenantId", user_id as "userId", model, name`,
    [owner.tenantId, owner.userId, owner.model, owner.vectors, leaseMs],
  );
}

/**
 * Builds a claimed index without holding up writes, and has searches use it. Takes minutes; needs a connection without
 * a time limit for statements. What an interrupted build left behind is replaced.
 */
export async function buildDistanceIndex(sql: Sql, index: ClaimedIndex): Promise<void> {
  await dropIndex(sql, index.name);
  const { definition } = await sql.one<{ definition: string }>(
    `select format('create index concurrently %I on memory_embeddings
         using hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops) with (${QUALITY})
         where tenant_id = %L and user_id = %L and model = %L',
       $4::text, (select dimensions from embedding_models where id = $3::text), $1::uuid, $2::text, $3::text)
       as definition`,
    [index.tenantId, index.userId, index.model, index.name],
  );
  await sql.query(definition);
  await sql.query('update embedding_indexes set ready_at = now() where name = $1::text', [index.name]);
}

/** Lets go of a claim whose build failed, so that it is tried again at the next look. */
export async function releaseDistanceIndex(sql: Sql, { name }: ClaimedIndex): Promise<void> {
  await sql.query(
    'update embedding_indexes set leased_until = now() where name = $1::text and ready_at is null',
    [name],
  );
}

/**
 * Drops the indexes of users who have no more than so many vectors now, of retired models, and those that nobody
 * knows of any more. Resolves to how many those were.
 */
export async function dropDistanceIndexes(sql: Sql, atMost: number): Promise<number> {
  const { rows } = await sql.query<{ name: string }>(
    `with unneeded as (
       delete from embedding_indexes i
       where (i.ready_at is not null or i.leased_until < now())
         and (select count(*) from (
           select from memory_embeddings e join embedding_models m on m.id = e.model and m.state <> 'retired'
           where e.tenant_id = i.tenant_id and e.user_id = i.user_id and e.model = i.model
           limit $1::bigint + 1) as counted) <= $1::bigint
       returning name
     )
     select name from unneeded
     union
     select indexname::text from pg_indexes where schemaname = current_schema() and tablename = 'memory_embeddings'
       and starts_with(indexname::text, 'memory_embeddings_of_')
       and indexname::text not in (select name from embedding_indexes)`,
    [atMost],
  );
  for (const { name } of rows) await dropIndex(sql, name);
  return rows.length;
}

async function dropIndex(sql: Sql, name: string): Promise<void> {
  const { statement } = await sql.one<{ statement: string }>(
    `select format('drop index concurrently if exists %I', $1::text) as statement`,
    [name],
  );
  await sql.query(statement);
}
