import type { Sql } from '../../pool/sql.ts';
import { type Actor, ADD_VERSIONS } from '../memories/memory-versions.ts';
import { SHADOW_ROWS, type Shadow } from './shadow-memories.ts';
import { shadowParts } from './shadow-parts.ts';

/** What applying a replay did to the memories of a user, by id; enough to undo it. */
export type AppliedReplay = Readonly<{
  added: readonly string[];
  deleted: readonly string[];
  /** Ended by a newer value. */
  ended: readonly string[];
  /** In force again, with what they were before. */
  revived: readonly Readonly<{ id: string; validTo: string; supersededBy: string }>[];
}>;

/** After the operation, the actor and the extraction of versions. */
const PARTS = shadowParts({ tenant: '$4::uuid', replay: '$5::uuid', user: '$6::text' });

/** No other current memory has the key, the question or the text of `m`. */
const IS_FREE = `not exists (
  select from memories o where o.tenant_id = m.tenant_id and o.user_id = m.user_id and o.id <> m.id and o.is_current
    and o.conversation_id = m.conversation_id
    and (o.category = m.category and o.key = m.key or o.subject_hash = m.subject_hash
      or o.content_hash = m.content_hash and coalesce(o.key, m.key) is null
        and coalesce(o.subject_hash, m.subject_hash) is null))`;

/** A memory that holds again needs a vector, unless it has one. */
const NEEDS_VECTOR = `embedding_pending_since = case when exists (
    select from memory_embeddings e join embedding_models l on l.id = e.model
    where e.memory_id = m.id and e.tenant_id = m.tenant_id and e.content_hash = m.content_hash and l.state = 'active') then null else now() end`;

/**
 * Puts the shadow of a user in the place of what the replayed extractions had made: deletes that, ends what the shadow
 * has ended, lets hold again what does in the shadow, and adds what the shadow has found. What was stored since stays,
 * where both say something of the same key, question or text. The caller holds the user's lock.
 */
export async function swapInShadow(
  tx: Sql,
  { tenantId, userId, replayId }: Shadow,
  { actor, wantsEmbedding }: Readonly<{ actor: Actor; wantsEmbedding: boolean }>,
): Promise<AppliedReplay> {
  const of = (operation: string) => [operation, actor.actor, null, tenantId, replayId, userId];
  const deleted = await idsOf(
    tx,
    `with changed as (
       update memories m set deleted_at = now(), updated_at = now(), embedding_pending_since = null
       where ${PARTS.replayed} returning m.*
     ), versions as (${ADD_VERSIONS}) select id from changed`,
    of('DELETE'),
  );
  const { rows: revived } = await tx.query<AppliedReplay['revived'][number]>(
    `with target as materialized (
       select m.id, m.valid_to, m.superseded_by from replay_memories s
       join memories m on m.tenant_id = s.tenant_id and m.id = s.base_id
       where ${PARTS.revived} and ${IS_FREE}
     ), changed as (
       update memories m set valid_to = null, superseded_by = null, updated_at = now(), ${NEEDS_VECTOR}
       from target t where m.tenant_id = $4::uuid and m.id = t.id returning m.*
     ), versions as (${ADD_VERSIONS})
     select id, to_jsonb(valid_to) #>> '{}' as "validTo", superseded_by as "supersededBy" from target`,
    of('RESTORE'),
  );
  const ended = await idsOf(
    tx,
    `with changed as (
       update memories m set updated_at = now(), embedding_pending_since = null,
         superseded_by = (s.memory ->> 'superseded_by')::uuid,
         valid_to = greatest((s.memory ->> 'valid_to')::timestamptz, m.valid_from)
       from replay_memories s
       where s.tenant_id = m.tenant_id and s.replay_id = $5::uuid and s.base_id = m.id and ${PARTS.ended}
       returning m.*
     ), versions as (${ADD_VERSIONS}) select id from changed`,
    of('SUPERSEDE'),
  );
  const added = await addFound(tx, [tenantId, replayId, userId], actor, wantsEmbedding);
  return { added, deleted, ended, revived };
}

/** Adds what the shadow has found, with its history, each under the extraction that it came from. */
async function addFound(
  tx: Sql,
  shadow: readonly string[],
  { actor }: Actor,
  wantsEmbedding: boolean,
): Promise<string[]> {
  const { found } = shadowParts({ tenant: '$1::uuid', replay: '$2::uuid', user: '$3::text' });
  const { rows } = await tx.query<{ ids: string[] }>(
    `select add_memories(jsonb_agg(s.memory || jsonb_build_object('wants_embedding', $5::boolean and s.is_current,
         'content_hash', encode(m.content_hash, 'hex'), 'subject_hash', encode(m.subject_hash, 'hex'))
         order by s.is_current, s.id), $4::text, m.extraction_id) as ids
     from ${SHADOW_ROWS} where ${found}
     group by m.extraction_id order by min(s.id::text)`,
    [...shadow, actor, wantsEmbedding],
  );
  return rows.flatMap(({ ids }) => ids);
}

/**
 * Takes back what swapInShadow did, but for memories that were changed since and what would be in their way. The caller
 * holds the user's lock.
 */
export async function takeShadowBack(
  tx: Sql,
  { tenantId, userId }: Pick<Shadow, 'tenantId' | 'userId'>,
  applied: AppliedReplay,
  { actor }: Actor,
): Promise<Record<'removed' | 'restored', number>> {
  const of = (operation: string, ids: readonly string[]) => [operation, actor, null, tenantId, userId, ids];
  const chosen = `m.tenant_id = $4::uuid and m.user_id = $5::text and m.id = any($6::uuid[])`;
  const removed = await idsOf(
    tx,
    `with changed as (
       update memories m set deleted_at = now(), updated_at = now(), embedding_pending_since = null
       where ${chosen} and m.deleted_at is null and not exists (select from memory_versions v
         where v.tenant_id = m.tenant_id and v.memory_id = m.id and v.operation = 'UPDATE')
       returning m.*
     ), versions as (${ADD_VERSIONS}) select id from changed`,
    of('DELETE', applied.added),
  );
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset($7::jsonb) as g (id uuid, "validTo" timestamptz, "supersededBy" uuid)
     ), changed as (
       update memories m set valid_to = g."validTo", superseded_by = g."supersededBy", updated_at = now(),
         embedding_pending_since = null
       from given g where ${chosen} and m.id = g.id and m.is_current returning m.*
     ) ${ADD_VERSIONS}`,
    [
      ...of(
        'SUPERSEDE',
        applied.revived.map(({ id }) => id),
      ),
      JSON.stringify(applied.revived),
    ],
  );
  const restored = await idsOf(
    tx,
    `with changed as (
       update memories m set deleted_at = null, updated_at = now(), ${NEEDS_VECTOR}
       where ${chosen} and m.deleted_at is not null and (m.valid_to is not null or ${IS_FREE}) returning m.*
     ), versions as (${ADD_VERSIONS}) select id from changed`,
    of('RESTORE', applied.deleted),
  );
  const unended = await idsOf(
    tx,
    `with changed as (
       update memories m set valid_to = null, superseded_by = null, updated_at = now(), ${NEEDS_VECTOR}
       where ${chosen} and m.valid_to is not null and m.deleted_at is null and m.archived_at is null and ${IS_FREE}
       returning m.*
     ), versions as (${ADD_VERSIONS}) select id from changed`,
    of('RESTORE', applied.ended),
  );
  return { removed: removed.length, restored: restored.length + unended.length };
}

async function idsOf(tx: Sql, text: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}

/** What applying did, as its run keeps it; undefined when it has not ended well. */
export async function readAppliedReplay(sql: Sql, shadow: Shadow): Promise<AppliedReplay | undefined> {
  const row = await sql.maybeOne<{ changed: AppliedReplay }>(
    `select changed from replay_runs where tenant_id = $1::uuid and replay_id = $2::uuid and user_id = $3::text
       and kind = 'apply' and state = 'done'`,
    [shadow.tenantId, shadow.replayId, shadow.userId],
  );
  return row?.changed;
}
