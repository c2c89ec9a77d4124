import type { MemoryKind } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { begun } from '../memories/memory-rows.ts';
import { type Actor, ADD_VERSIONS } from '../memories/memory-versions.ts';

/** A current memory for compression. */
export type CompressibleMemory = Readonly<{
  id: string;
  kind: MemoryKind;
  tier: number;
  category: string;
  key: string | null;
  content: string;
  contentHash: string;
  project: string | null;
  topic: string | null;
  tags: string[];
  importance: number;
  confidence: number;
  statedAt: Date;
  validFrom: Date;
  lastAccessedAt: Date | null;
  /** The last edit; for a memory that began to hold later than that, its beginning. */
  updatedAt: Date;
  messageIds: string[];
}>;

const COLUMNS = `id, kind, tier, category, key, content, encode(content_hash, 'hex') as "contentHash", project, topic,
  tags, importance, confidence, stated_at as "statedAt", valid_from as "validFrom",
  last_accessed_at as "lastAccessedAt", greatest(updated_at, valid_from) as "updatedAt", message_ids as "messageIds"`;

/** Memories that compression may change: current, of the whole user, without an expiry, and already in force. */
const COMPRESSIBLE = `tenant_id = $1::uuid and user_id = $2::text and is_current and scope = 'global'
  and expires_at is null and ${begun('memories')}`;

type Owner = Readonly<{ tenantId: string; userId: string }>;

/** Whether a user has any memory, current or not. */
export async function hasMemories(sql: Sql, { tenantId, userId }: Owner): Promise<boolean> {
  const { has } = await sql.one<{ has: boolean }>(
    'select exists (select from memories where tenant_id = $1::uuid and user_id = $2::text) as has',
    [tenantId, userId],
  );
  return has;
}

/** Uncompressed events from before `until`, oldest first. Uses memories_uncompressed_idx. */
export async function listUncompressedEvents(
  sql: Sql,
  owner: Owner & Readonly<{ until: Date; limit: number }>,
): Promise<CompressibleMemory[]> {
  const { rows } = await sql.query<CompressibleMemory>(
    `select ${COLUMNS} from memories
     where ${COMPRESSIBLE} and tier = 3 and compressed_at is null and stated_at < $3::timestamptz
     order by stated_at, id limit $4::integer`,
    [owner.tenantId, owner.userId, owner.until, owner.limit],
  );
  return rows;
}

/** The profile and the knowledge of a user, most recently changed first. Uses memories_user_idx. */
export async function listKnowledge(
  sql: Sql,
  owner: Owner & Readonly<{ limit: number }>,
): Promise<CompressibleMemory[]> {
  const { rows } = await sql.query<CompressibleMemory>(
    `select ${COLUMNS} from memories where ${COMPRESSIBLE} and tier <= 2
     order by tier, updated_at desc, id desc limit $3::integer`,
    [owner.tenantId, owner.userId, owner.limit],
  );
  return rows;
}

/** The memories of these ids or categories that are still current; decisions are based on them. */
export async function readCompressible(
  sql: Sql,
  owner: Owner & Readonly<{ ids: readonly string[]; categories: readonly string[] }>,
): Promise<CompressibleMemory[]> {
  const { rows } = await sql.query<CompressibleMemory>(
    `select ${COLUMNS} from memories where ${COMPRESSIBLE} and (id = any($3::uuid[]) or category = any($4::text[]))`,
    [owner.tenantId, owner.userId, owner.ids, owner.categories],
  );
  return rows;
}

/** When the user's last weekly run ended, or null. */
export async function lastWeeklyRunAt(sql: Sql, owner: Owner): Promise<Date | null> {
  const { at } = await sql.one<{ at: Date | null }>(
    `select max(finished_at) as at from compression_runs
     where tenant_id = $1::uuid and user_id = $2::text and kind = 'weekly' and state = 'done'`,
    [owner.tenantId, owner.userId],
  );
  return at;
}

/**
 * Archives memories, each with a version: `MERGE` with the memory that each went into, which must be another, current
 * one; or `ARCHIVE` without. Resolves to the archived ids.
 */
export async function archiveMemories(
  tx: Sql,
  owner: Owner,
  operation: 'MERGE' | 'ARCHIVE',
  archived: readonly Readonly<{ id: string; into: string | null }>[],
  actor: Actor,
): Promise<string[]> {
  if (archived.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>(
    `with given as (
       select * from unnest($6::uuid[], $7::uuid[]) as g (id, into_id)
     ), changed as (
       update memories m set archived_at = now(), superseded_by = given.into_id, updated_at = now(),
         embedding_pending_since = null
       from given where m.id = given.id and m.tenant_id = $4::uuid and m.user_id = $5::text and m.is_current
         and (given.into_id is null or (given.into_id <> m.id and exists (
           select from memories i where i.id = given.into_id and i.tenant_id = $4::uuid and i.user_id = $5::text
             and i.is_current)))
       returning m.*
     ), versions as (${ADD_VERSIONS})
     select id from changed`,
    [
      operation,
      actor.actor,
      actor.extractionId,
      owner.tenantId,
      owner.userId,
      archived.map((memory) => memory.id),
      archived.map((memory) => memory.into),
    ],
  );
  return rows.map((row) => row.id);
}

/** Marks events as compressed; resolves to how many were not compressed before. */
export async function markCompressed(tx: Sql, owner: Owner, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rowCount } = await tx.query(
    `update memories set compressed_at = now()
     where tenant_id = $1::uuid and user_id = $2::text and id = any($3::uuid[]) and compressed_at is null`,
    [owner.tenantId, owner.userId, ids],
  );
  return rowCount;
}

/** The contents of memories by id, including archived ones, for showing a run's changes. */
export async function readContents(
  sql: Sql,
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql.query<{ id: string; content: string }>(
    `select id, content from memories where tenant_id = $1::uuid and user_id = $2::text and id = any($3::uuid[])`,
    [owner.tenantId, owner.userId, ids],
  );
  return new Map(rows.map((row) => [row.id, row.content]));
}
