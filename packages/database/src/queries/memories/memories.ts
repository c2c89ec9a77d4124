import type { ListMemoriesQuery } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { fitting, jsonBytes, type Listed } from '../fitting.ts';
import { toOrder } from './memory-order.ts';
import { inState, MEMORY_BYTES, memoryColumns, type MemoryRow, toConversationId } from './memory-rows.ts';

/** One memory of a tenant, including superseded and archived ones; deleted and expired ones only if told so. */
export function findMemory(
  sql: Sql,
  target: Readonly<{ tenantId: string; userId: string | null; id: string; includeDeleted?: boolean }>,
): Promise<MemoryRow | undefined> {
  return sql.maybeOne<MemoryRow>(
    `select ${memoryColumns('m')} from memories m
     where m.tenant_id = $1::uuid and m.id = $2::uuid and ($3::text is null or m.user_id = $3::text)
       and ($4::boolean or (m.deleted_at is null and (m.expires_at is null or m.expires_at > now())))`,
    [target.tenantId, target.id, target.userId, target.includeDeleted === true],
  );
}

export type MemoryVersionRow = Readonly<{
  memoryId: string;
  number: number;
  operation: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  actor: string;
  extractionId: string | null;
  /** The reason, where the operation alone does not explain it. */
  cause: string | null;
  createdAt: Date;
}>;

/** A version in a list; `position` is `created_at` with its microseconds, for the cursor. */
export type ListedVersion = MemoryVersionRow & Listed & Readonly<{ position: string }>;

/** The versions of a memory and of those it replaced, oldest first, as many as fit into an answer. */
export async function listMemoryVersions(
  sql: Sql,
  target: Readonly<{
    tenantId: string;
    userId: string | null;
    id: string;
    /** The last version of the page before. */
    after?: Readonly<{ position: string; memoryId: string; number: number }> | null;
    limit?: number;
  }>,
): Promise<ListedVersion[]> {
  const { after = null, limit = 1_000 } = target;
  const { rows } = await sql.query<ListedVersion>(
    fitting(
      `with recursive chain as (
       select id from memories
       where tenant_id = $1::uuid and id = $2::uuid and ($3::text is null or user_id = $3::text)
       union
       select m.id from chain cross join lateral (
         select id from memories where tenant_id = $1::uuid and superseded_by = chain.id
           and ($3::text is null or user_id = $3::text) offset 0) as m
     )
     select v.memory_id as "memoryId", v.number, v.operation, v.before, v.after, v.actor,
       v.extraction_id as "extractionId", v.cause, v.created_at as "createdAt",
       ${isoOf('v.created_at')} as position
     from chain cross join lateral (
       select * from memory_versions where memory_id = chain.id and tenant_id = $1::uuid offset 0) as v
     where ($4::timestamptz is null
         or (v.created_at, v.memory_id, v.number) > ($4::timestamptz, $5::uuid, $6::integer))
     order by v.created_at, v.memory_id, v.number limit $7::integer`,
      `500 + ${jsonBytes('page.before')} + ${jsonBytes('page.after')}`,
    ),
    [
      target.tenantId,
      target.id,
      target.userId,
      after?.position ?? null,
      after?.memoryId ?? null,
      after?.number ?? null,
      limit + 1,
    ],
  );
  return rows.slice(0, limit);
}

export type MemoryFilter = Readonly<{
  tenantId: string;
  /** Null lists all users; the caller has checked the permission. */
  userId: string | null;
  query: ListMemoriesQuery;
  /** For ILIKE: see `containing`. */
  pattern: string | null;
  after: readonly [string | number, string] | null;
}>;

/** A memory in a list; `position` is its cursor value. */
export type ListedMemory = MemoryRow & Listed & Readonly<{ position: string | number }>;

/**
 * Memories in a state (those that have not ended include those that begin later), in the requested order, as many as
 * fit into an answer.
 */
export async function listMemories(sql: Sql, filter: MemoryFilter): Promise<ListedMemory[]> {
  const { query } = filter;
  const { column, type } = toOrder(query.sort_by);
  const comparison = query.order === 'asc' ? '>' : '<';
  const { rows } = await sql.query<ListedMemory>(
    fitting(
      `select ${memoryColumns('m')}, ${type === 'timestamptz' ? isoOf(column) : column} as position
     from memories m
     where m.tenant_id = $1::uuid and ($2::text is null or m.user_id = $2::text) and ${inState('m', query.state)}
       and ($3::text is null or $3::text = any(m.tags))
       and ($4::text is null or m.category = $4::text)
       and ($5::text is null or m.key = $5::text)
       and ($6::text is null or m.kind = $6::text)
       and ($7::integer is null or m.tier = $7::integer)
       and ($8::text is null or m.project = $8::text)
       and ($9::text is null or m.conversation_id = $9::text)
       and ($10::text is null or m.content ilike $10::text or m.key ilike $10::text
         or m.value ilike $10::text or m.category ilike $10::text)
       and ($11::text is null or (${column}, m.id) ${comparison} ($11::${type}, $12::uuid))
     order by ${column} ${query.order}, m.id ${query.order}
     limit $13::integer offset $14::integer`,
      MEMORY_BYTES,
    ),
    [
      filter.tenantId,
      filter.userId,
      query.tag ?? null,
      query.category ?? null,
      query.key ?? null,
      query.kind ?? null,
      query.tier ?? null,
      query.project ?? null,
      query.scope === undefined ? null : toConversationId(query.scope),
      filter.pattern,
      filter.after === null ? null : String(filter.after[0]),
      filter.after?.[1] ?? null,
      query.limit + 1,
      query.offset ?? 0,
    ],
  );
  return rows.slice(0, query.limit);
}

/** A timestamp with its microseconds: a cursor without them would skip rows. */
function isoOf(column: string): string {
  return `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
