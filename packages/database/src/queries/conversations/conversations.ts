import type { Policy, Role, Schedule } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { fitting, jsonBytes, type Listed, textBytes } from '../fitting.ts';

export type ConversationRow = Readonly<{
  id: string;
  userId: string;
  project: string | null;
  title: string | null;
  policy: Policy;
  metadata: Record<string, unknown>;
  lastSeq: number;
  extractedSeq: number;
  createdAt: Date;
  lastActiveAt: Date;
  extractedAt: Date | null;
  /** Null also when only a request or another conversation will make it due. */
  extractionDueAt: Date | null;
}>;

const COLUMNS = `id, user_id as "userId", project, title, policy, metadata, last_seq as "lastSeq",
  extracted_seq as "extractedSeq", created_at as "createdAt", last_active_at as "lastActiveAt",
  extracted_at as "extractedAt", nullif(extraction_due_at, 'infinity') as "extractionDueAt"`;

export type NewConversation = Readonly<{
  tenantId: string;
  id: string;
  userId: string;
  project: string | null;
  title: string | null;
  policy: Policy;
  metadata: Record<string, unknown>;
  /** The user's other conversations that have been idle for longer, and have something to extract, become due now. */
  staleAfterS: number;
}>;

/** Creates a conversation, or returns the one with that id as it is; `created` tells which. */
export async function createConversation(
  sql: Sql,
  conversation: NewConversation,
): Promise<{ conversation: ConversationRow; created: boolean }> {
  const created = await sql.maybeOne<ConversationRow>(
    `with created as (
       insert into conversations (tenant_id, id, user_id, project, title, policy, metadata)
       values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb)
       on conflict (tenant_id, id) do nothing returning *
     ), stale as (
       select make_stale_due(array[tenant_id], array[user_id], $8::integer) from created
     )
     select ${COLUMNS} from created, stale`,
    [
      conversation.tenantId,
      conversation.id,
      conversation.userId,
      conversation.project,
      conversation.title,
      JSON.stringify(conversation.policy),
      JSON.stringify(conversation.metadata),
      conversation.staleAfterS,
    ],
  );
  if (created !== undefined) return { conversation: created, created: true };
  const existing = await sql.maybeOne<ConversationRow>(
    `select ${COLUMNS} from conversations where tenant_id = $1::uuid and id = $2::text`,
    [conversation.tenantId, conversation.id],
  );
  // Deleted between the two statements.
  if (existing === undefined) return createConversation(sql, conversation);
  return { conversation: existing, created: false };
}

/**
 * Changes the given fields, and computes the due time again when the policy is one of them. Resolves to undefined
 * when there is no such conversation.
 */
export function updateConversation(
  sql: Sql,
  target: Readonly<{ tenantId: string; id: string }>,
  changes: Readonly<{
    project?: string | null | undefined;
    title?: string | null | undefined;
    policy?: Policy | undefined;
    metadata?: Record<string, unknown> | undefined;
  }>,
  schedule: Schedule,
): Promise<ConversationRow | undefined> {
  return sql.maybeOne<ConversationRow>(
    `with patch as (select $3::jsonb as p), target as (
       select c.tenant_id as tenant, c.id as conversation, due_at, due_for
       from conversations c cross join patch
       left join lateral conversation_due(c.tenant_id, c.id, c.scheduled_seq,
         trigger_of(p->'policy', coalesce(p->'policy'->>'preset', preset_of(c.tenant_id, c.user_id)), $4::jsonb),
         $4::jsonb, c.last_active_at) as due
         on p ? 'policy' and c.extraction_due_at is not null
       where c.tenant_id = $1::uuid and c.id = $2::text for no key update of c
     )
     update conversations c set
       project = case when p ? 'project' then p->>'project' else c.project end,
       title = case when p ? 'title' then p->>'title' else c.title end,
       policy = coalesce(p->'policy', c.policy),
       metadata = coalesce(p->'metadata', c.metadata),
       extraction_due_at = coalesce(due_at, c.extraction_due_at),
       extraction_due_for = case when due_at is null then c.extraction_due_for else due_for end
     from target, patch where c.tenant_id = tenant and c.id = conversation
     returning ${COLUMNS}`,
    [target.tenantId, target.id, JSON.stringify(changes), JSON.stringify(schedule)],
  );
}

/** One conversation, or undefined. Uses conversations_pkey. */
export function findConversation(
  sql: Sql,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  return sql.maybeOne<ConversationRow>(
    `select ${COLUMNS} from conversations where tenant_id = $1::uuid and id = $2::text`,
    [tenantId, id],
    { name: 'find_conversation' },
  );
}

/** A conversation in a list; `position` is `last_active_at` with its microseconds, for the cursor. */
export type ListedConversation = ConversationRow & Listed & Readonly<{ position: string }>;

/** A user's conversations, last active first, as many as fit into an answer. Uses conversations_user_idx. */
export async function listConversations(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    userId: string;
    project: string | null;
    /** The last row of the page before. */
    before: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<ListedConversation[]> {
  const { rows } = await sql.query<ListedConversation>(
    fitting(
      `select ${COLUMNS},
       to_char(last_active_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from conversations
     where tenant_id = $1::uuid and user_id = $2::text
       and ($3::text is null or project = $3::text)
       and ($4::timestamptz is null or (last_active_at, id) < ($4::timestamptz, $5::text))
     order by last_active_at desc, id desc limit $6::integer`,
      `1000 + ${textBytes('page.title')} + ${jsonBytes('page.metadata')}`,
    ),
    [
      filter.tenantId,
      filter.userId,
      filter.project,
      filter.before?.position ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
  return rows.slice(0, filter.limit);
}

/**
 * Deletes a conversation with its messages and ledger rows. Memories stay: they belong to the user, not to the
 * conversation. Resolves to false when there is none.
 */
export async function deleteConversation(sql: Sql, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    'delete from conversations where tenant_id = $1::uuid and id = $2::text',
    [tenantId, id],
  );
  return rowCount > 0;
}

export type MessageRow = Readonly<{
  id: string;
  seq: number;
  role: Role;
  /** Null for a message of tool calls only. */
  content: string | null;
  name: string | null;
  toolCalls: unknown[] | null;
  toolCallId: string | null;
  channel: string | null;
  sender: string | null;
  superseded: boolean;
  createdAt: Date;
  /** When retention took the text out of it. */
  removedAt: Date | null;
}>;

const MESSAGE_COLUMNS = `id, seq, role, content, name, tool_calls as "toolCalls", tool_call_id as "toolCallId",
  channel, sender, superseded, created_at as "createdAt", removed_at as "removedAt"`;

/** Messages after `afterSeq` up to `toSeq`, oldest first, as many as `maxBytes` takes. Uses messages_pkey. */
export async function listMessages(
  sql: Sql,
  range: Readonly<{
    tenantId: string;
    conversationId: string;
    afterSeq: number;
    toSeq: number | null;
    includeSuperseded: boolean;
    limit: number | null;
    /** Null for no limit. */
    maxBytes?: number | null;
  }>,
): Promise<(MessageRow & Listed)[]> {
  const { limit, maxBytes = null } = range;
  const { rows } = await sql.query<MessageRow & Listed>(
    fitting(
      `select ${MESSAGE_COLUMNS} from messages
     where tenant_id = $1::uuid and conversation_id = $2::text and seq > $3::integer
       and ($4::integer is null or seq <= $4::integer)
       and ($5::boolean or not superseded)
     order by seq limit $6::integer`,
      `500 + ${textBytes('page.content')} + ${jsonBytes('page."toolCalls"')}`,
      '$7',
    ),
    [
      range.tenantId,
      range.conversationId,
      range.afterSeq,
      range.toSeq,
      range.includeSuperseded,
      limit === null ? null : limit + 1,
      maxBytes,
    ],
    { name: 'list_messages' },
  );
  return limit === null ? rows : rows.slice(0, limit);
}

/** So many messages stand on either side of one that a memory rests on. */
const MESSAGES_AROUND = 3;
const MAX_SOURCE_MESSAGES = 200;

/**
 * The messages that a memory rests on, with those around them, oldest first: ids are those of its extraction's
 * conversation. Uses extractions_pkey, messages_id_key and messages_pkey.
 */
export async function listSourceMessages(
  sql: Sql,
  memory: Readonly<{ tenantId: string; conversationId: string; messageIds: readonly string[] }>,
): Promise<(MessageRow & Readonly<{ isSource: boolean }>)[]> {
  const { rows } = await sql.query<MessageRow & { isSource: boolean }>(
    `with sources as materialized (
       select seq from messages where tenant_id = $1::uuid and conversation_id = $2::text and id = any($3::text[])
     ), around as (
       select distinct near.seq from sources
       cross join lateral generate_series(sources.seq - ${MESSAGES_AROUND}, sources.seq + ${MESSAGES_AROUND}) as near (seq)
     )
     select ${MESSAGE_COLUMNS}, seq in (select s.seq from sources s) as "isSource"
     from messages where tenant_id = $1::uuid and conversation_id = $2::text and seq in (select a.seq from around a)
     order by seq limit ${MAX_SOURCE_MESSAGES}`,
    [memory.tenantId, memory.conversationId, memory.messageIds],
  );
  return rows;
}
