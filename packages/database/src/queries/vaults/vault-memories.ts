import type { Sql } from '../../pool/sql.ts';
import { listed, memoryColumns, type MemoryRow } from '../memories/memory-rows.ts';

/** The number of a memory's last version. Uses memory_versions_pkey. */
const VERSION = `coalesce((select v.number from memory_versions v
  where v.memory_id = m.id and v.tenant_id = m.tenant_id order by v.number desc limit 1), 0)`;

/** A memory that lists show, with the number of its last version. */
export type VersionedMemory = MemoryRow & Readonly<{ version: number }>;

/** Those of these memories that lists show. Uses memories_pkey. */
export async function findVersionedMemories(
  sql: Sql,
  target: Readonly<{ tenantId: string; ids: readonly string[] }>,
): Promise<VersionedMemory[]> {
  if (target.ids.length === 0) return [];
  const { rows } = await sql.query<VersionedMemory>(
    `select ${memoryColumns('m')}, ${VERSION} as version from memories m
     where m.id = any($2::uuid[]) and m.tenant_id = $1::uuid and ${listed('m')}`,
    [target.tenantId, target.ids],
    { name: 'find_versioned_memories' },
  );
  return rows;
}

export type MemoryVersionMark = Readonly<{ id: string; userId: string; createdAt: string; version: number }>;

const FIRST: MemoryVersionMark = { id: '', userId: '', createdAt: '', version: 0 };

/**
 * The next memories of a tenant that lists show, by user and then newest first, with the numbers of their last
 * versions. Uses memories_user_idx.
 *
 * @param after the last one of the page before
 */
export async function listVersionMarks(
  sql: Sql,
  page: Readonly<{ tenantId: string; after?: MemoryVersionMark; limit: number }>,
): Promise<MemoryVersionMark[]> {
  const after = page.after ?? FIRST;
  const columns = `m.tenant_id, m.id, m.user_id, m.created_at`;
  const { rows } = await sql.query<MemoryVersionMark>(
    `with page as (
       (select ${columns} from memories m
        where m.tenant_id = $1::uuid and m.user_id = $2::text and ${listed('m')}
          and (m.created_at, m.id) < (nullif($3::text, '')::timestamptz, nullif($4::text, '')::uuid)
        order by m.created_at desc, m.id desc limit $5::integer)
       union all
       (select ${columns} from memories m
        where m.tenant_id = $1::uuid and m.user_id > $2::text and ${listed('m')}
        order by m.user_id, m.created_at desc, m.id desc limit $5::integer)
       order by user_id, created_at desc, id desc limit $5::integer
     )
     select m.id, m.user_id as "userId", m.created_at::text as "createdAt", ${VERSION} as version from page m
     order by m.user_id, m.created_at desc, m.id desc`,
    [page.tenantId, after.userId, after.createdAt, after.id, page.limit],
    { name: 'list_version_marks' },
  );
  return rows;
}

export type ChangedMemories = Readonly<{
  ids: readonly string[];
  /** Erasures that were finished, of whose memories nothing is left to be named. */
  erasures: readonly string[];
  /** For the next call. */
  watermark: string;
  /** Whether there are more than `limit`. */
  isCut: boolean;
}>;

/**
 * Memories of a tenant with a version from the watermark on, and erasures: of transactions that an earlier call may not
 * have seen the end of. Each may come twice, and none is missed. Without a watermark, only the one of this moment.
 * Uses memory_versions_written_idx, erasures_finished_idx.
 */
export async function listChangedMemories(
  sql: Sql,
  request: Readonly<{ tenantId: string; watermark: string | null; limit: number }>,
): Promise<ChangedMemories> {
  const row = await sql.one<{ ids: string[]; erasures: string[]; watermark: string }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text as watermark,
       coalesce((select array_agg(changed.memory_id) from (
         select distinct v.memory_id from memory_versions v
         where v.tenant_id = $1::uuid and v.written >= $2::text::xid8
           and v.written < pg_snapshot_xmax(pg_current_snapshot())
         limit $3::integer) as changed), '{}') as ids,
       coalesce((select array_agg(e.id) from erasures e
         where e.tenant_id = $1::uuid and e.finished_xid >= $2::text::xid8
           and e.finished_xid < pg_snapshot_xmax(pg_current_snapshot())), '{}') as erasures`,
    [request.tenantId, request.watermark, request.limit + 1],
    { name: 'list_changed_memories' },
  );
  return {
    ids: row.ids.slice(0, request.limit),
    erasures: row.erasures,
    watermark: row.watermark,
    isCut: row.ids.length > request.limit,
  };
}

/** Whether this memory of the user was deleted and can be restored. Uses memories_pkey. */
export async function isDeletedMemory(
  sql: Sql,
  target: Readonly<{ tenantId: string; userId: string; id: string }>,
): Promise<boolean> {
  const row = await sql.maybeOne(
    `select 1 from memories m where m.id = $3::uuid and m.tenant_id = $1::uuid and m.user_id = $2::text
       and m.deleted_at is not null and (m.expires_at is null or m.expires_at > now())`,
    [target.tenantId, target.userId, target.id],
    { name: 'is_deleted_memory' },
  );
  return row !== undefined;
}
