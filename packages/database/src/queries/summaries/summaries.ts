import type { MemoryKind } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { fitting } from '../fitting.ts';
import { type ChatTurn, restsBeside, toTurnValue } from '../memories/chat-turn.ts';
import { MEMORY_BYTES, memoryColumns, type MemoryRow, visible } from '../memories/memory-rows.ts';

type SummarySource = 'model' | 'composed' | 'manual';

/** The owner: with a conversation id its rolling summary, with null the user's narrative. */
export type SummaryOwner = Readonly<{ tenantId: string; userId: string; conversationId: string | null }>;

export type SummaryRow = Readonly<{
  /** Null until it is written for the first time. */
  content: string | null;
  source: SummarySource | null;
  updatedAt: Date | null;
  /** Something has changed since the text was written. */
  stale: boolean;
}>;

/**
 * The present summary, or undefined when none was requested yet. Uses summaries_owner_key.
 *
 * @param besidesTurn undefined as well when the conversation began with this turn, unless people wrote the summary: the
 *   chat of that turn is not told what it says itself
 */
export function findSummary(
  sql: Sql,
  owner: SummaryOwner,
  besidesTurn: string | null = null,
): Promise<SummaryRow | undefined> {
  return sql.maybeOne<SummaryRow>(
    `select content, source, updated_at as "updatedAt",
       stale_since is not null or coalesce(refresh_at <= now(), false) as stale
     from summaries where tenant_id = $1::uuid and user_id = $2::text and conversation_id = $3::text
       and (source = 'manual' or $4::text is null or not exists (
         select from messages m where m.tenant_id = $1::uuid and m.conversation_id = $3::text and m.id = $4::text
           and m.seq = 1))`,
    [owner.tenantId, owner.userId, owner.conversationId ?? '', besidesTurn],
    { name: 'find_summary' },
  );
}

/** Maximum of stored versions of one summary. */
export const SUMMARY_VERSIONS_KEPT = 20;

// Stores the text of `changed` (a row of summaries) as a version, unless it equals the last one; $1 is the actor.
export const ADD_SUMMARY_VERSION = `insert into summary_versions (summary_id, number, tenant_id, content, source,
    prompt_version, model, actor, covers_seq, memory_count)
  select id, version, tenant_id, content, source, prompt_version, model, $1::text, covers_seq, memory_count
  from changed where is_new`;
export const DROP_OLD_SUMMARY_VERSIONS = `delete from summary_versions v using changed
  where v.tenant_id = changed.tenant_id and v.summary_id = changed.id and v.number <= changed.version - ${SUMMARY_VERSIONS_KEPT}`;

/**
 * Replaces a summary by hand. The text stays until a relevant change; a refresh under way is fenced off. A
 * conversation's summary continues from its last extracted message. Resolves to undefined when there is no such
 * conversation.
 */
export function replaceSummary(
  sql: Sql,
  owner: SummaryOwner,
  { content, actor }: Readonly<{ content: string; actor: string }>,
): Promise<SummaryRow | undefined> {
  return sql.maybeOne<SummaryRow>(
    `with target as (
       select $3::text as user_id, '' as conversation_id, 0 as covers_seq where $4::text is null
       union all
       select user_id, id, extracted_seq from conversations
       where tenant_id = $2::uuid and id = $4::text and user_id = $3::text
     ), changed as (
       insert into summaries as s (tenant_id, user_id, conversation_id, content, source, covers_seq, version,
         updated_at)
       select $2::uuid, user_id, conversation_id, $5::text, 'manual', covers_seq, 1, now() from target
       on conflict (tenant_id, user_id, conversation_id) do update
         set content = excluded.content, source = 'manual', prompt_version = null, model = null,
             memory_count = null, covers_seq = excluded.covers_seq, version = s.version + 1, updated_at = now(),
             stale_since = null, refresh_at = null, fence = s.fence + 1, lease_until = null, attempts = 0,
             failures = 0, error_class = null
       returning *, true as is_new
     ), versions as (${ADD_SUMMARY_VERSION}), dropped as (${DROP_OLD_SUMMARY_VERSIONS}), parts as (
       delete from summary_parts p using changed where p.tenant_id = changed.tenant_id and p.summary_id = changed.id
     )
     select content, source, updated_at as "updatedAt", false as stale from changed`,
    [actor, owner.tenantId, owner.userId, owner.conversationId, content],
  );
}

/**
 * Deletes a summary with its versions; a refresh under way ends without a row to write to. Resolves to false when there
 * is none.
 */
export async function deleteSummary(sql: Sql, owner: SummaryOwner): Promise<boolean> {
  const { rowCount } = await sql.query(
    'delete from summaries where tenant_id = $1::uuid and user_id = $2::text and conversation_id = $3::text',
    [owner.tenantId, owner.userId, owner.conversationId ?? ''],
  );
  return rowCount > 0;
}

/** A user's core profile: tier 1, the most important first, as many as fit into an answer. Uses memories_profile_idx. */
export async function listProfile(
  sql: Sql,
  owner: Readonly<{
    tenantId: string;
    userId: string;
    limit: number;
    /** Leaves out what is kept for other conversations than this; without it, for any. */
    visibleToConversation?: string;
    /** Leaves out what rests on this turn alone. */
    besidesTurn?: ChatTurn | undefined;
  }>,
): Promise<MemoryRow[]> {
  const { rows } = await sql.query<MemoryRow>(
    fitting(
      `select ${memoryColumns('m')} from memories m
     where m.tenant_id = $1::uuid and m.user_id = $2::text and m.tier = 1 and ${visible('m')}
       and m.conversation_id in ('', $4::text) and ${restsBeside('m', '$5')}
     order by m.importance desc, m.category, m.key nulls last, m.id limit $3::integer`,
      MEMORY_BYTES,
    ),
    [
      owner.tenantId,
      owner.userId,
      owner.limit,
      owner.visibleToConversation ?? '',
      toTurnValue(owner.besidesTurn),
    ],
    { name: 'list_profile' },
  );
  return rows;
}

/** A memory for a summary. */
export type SummarisedMemory = Readonly<{
  kind: MemoryKind;
  tier: number;
  category: string;
  content: string;
  question: string | null;
  answer: string | null;
  statedAt: Date;
  expiresAt: Date | null;
}>;

/** Select list of a SummarisedMemory for the alias `m`. */
export const SUMMARISED = `m.kind, m.tier, m.category, m.content, m.question, m.answer, m.stated_at as "statedAt",
  m.expires_at as "expiresAt"`;

/**
 * The input of a user's composed narrative: their visible memories, the profile first, then the most important and the
 * last stated. Uses memories_user_idx.
 */
export async function listNarrativeMemories(
  sql: Sql,
  owner: Readonly<{ tenantId: string; userId: string; limit: number }>,
): Promise<SummarisedMemory[]> {
  const { rows } = await sql.query<SummarisedMemory>(
    `select ${SUMMARISED} from memories m
     where m.tenant_id = $1::uuid and m.user_id = $2::text and m.conversation_id = '' and ${visible('m')}
     order by m.tier = 1 desc, m.importance desc, m.stated_at desc, m.id desc limit $3::integer`,
    [owner.tenantId, owner.userId, owner.limit],
    { name: 'list_narrative_memories' },
  );
  return rows;
}

/** The visible memories of a conversation, last stated first. Uses memories_stated_idx. */
export async function listConversationMemories(
  sql: Sql,
  owner: Readonly<{ tenantId: string; userId: string; conversationId: string; limit: number }>,
): Promise<SummarisedMemory[]> {
  const { rows } = await sql.query<SummarisedMemory>(
    `select ${SUMMARISED} from memories m
     where m.tenant_id = $1::uuid and m.user_id = $3::text and ${visible('m')}
       and (select e.conversation_id from extractions e where e.id = m.extraction_id and e.tenant_id = $1::uuid) = $2::text
     order by m.stated_at desc, m.id desc limit $4::integer`,
    [owner.tenantId, owner.conversationId, owner.userId, owner.limit],
  );
  return rows;
}
