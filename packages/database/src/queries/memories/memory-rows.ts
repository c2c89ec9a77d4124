import { GLOBAL_SCOPE, type Memory, type MemoryKind, type MemoryState } from '@factmill/contracts';
import { jsonBytes, textBytes } from '../fitting.ts';

/** A stored memory without internal columns. */
export type MemoryRow = Readonly<{
  id: string;
  userId: string;
  tier: number;
  kind: MemoryKind;
  category: string;
  key: string | null;
  value: string | null;
  content: string;
  question: string | null;
  answer: string | null;
  tags: string[];
  project: string | null;
  topic: string | null;
  importance: number;
  confidence: number;
  source: string;
  sourceContext: string | null;
  /** The conversation that it belongs to; empty for none. */
  conversationId: string;
  /** Where it was said and by whom, when its messages agree. */
  channel: string | null;
  sender: string | null;
  /** Of an event: the day on which it was told, `YYYY-MM-DD`, and the estimated tokens of its messages. */
  eventDate: string | null;
  sourceTokens: number | null;
  statedAt: Date;
  createdAt: Date;
  updatedAt: Date;
  lastAccessedAt: Date | null;
  /** When it was stored or last stated again. */
  lastVerifiedAt: Date | null;
  accessCount: number;
  expiresAt: Date | null;
  validFrom: Date;
  validTo: Date | null;
  archivedAt: Date | null;
  deletedAt: Date | null;
  /** The memory that took its place, or that it was merged into. */
  supersededBy: string | null;
  extractionId: string | null;
  messageIds: string[];
  metadata: Record<string, unknown>;
}>;

/** The columns of a memory that ranking needs. */
export type CandidateRow = Pick<
  MemoryRow,
  'id' | 'category' | 'key' | 'content' | 'importance' | 'statedAt' | 'validFrom'
>;

/** Select list of a CandidateRow for a table alias. */
export function candidateColumns(alias: string): string {
  return `${alias}.id, ${alias}.category, ${alias}.key, ${alias}.content, ${alias}.importance,
    ${alias}.stated_at as "statedAt", ${alias}.valid_from as "validFrom"`;
}

/** Select list of a MemoryRow for a table alias. */
export function memoryColumns(alias: string): string {
  return `${alias}.id, ${alias}.user_id as "userId", ${alias}.tier, ${alias}.kind, ${alias}.category,
    ${alias}.key, ${alias}.value, ${alias}.content, ${alias}.question, ${alias}.answer, ${alias}.tags,
    ${alias}.project, ${alias}.topic, ${alias}.importance, ${alias}.confidence, ${alias}.source,
    ${alias}.source_context as "sourceContext", ${alias}.conversation_id as "conversationId",
    ${alias}.channel, ${alias}.sender, ${alias}.event_date as "eventDate",
    ${alias}.source_tokens as "sourceTokens", ${alias}.stated_at as "statedAt",
    ${alias}.created_at as "createdAt", ${alias}.updated_at as "updatedAt",
    ${alias}.last_accessed_at as "lastAccessedAt", ${alias}.last_verified_at as "lastVerifiedAt",
    ${alias}.access_count as "accessCount",
    ${alias}.expires_at as "expiresAt", ${alias}.valid_from as "validFrom", ${alias}.valid_to as "validTo",
    ${alias}.archived_at as "archivedAt", ${alias}.deleted_at as "deletedAt",
    ${alias}.superseded_by as "supersededBy", ${alias}.extraction_id as "extractionId",
    ${alias}.message_ids as "messageIds", ${alias}.metadata`;
}

/** Bytes of a MemoryRow, for `fitting`. */
export const MEMORY_BYTES = `1000 + ${textBytes('page.content', 'page.value', 'page.question', 'page.answer', 'page."sourceContext"')}
  + pg_column_size(page.tags) + pg_column_size(page."messageIds") + ${jsonBytes('page.metadata')}`;

/** The predicate of lists: current and not expired, including memories that begin later. */
export function listed(alias: string): string {
  return `${alias}.is_current and (${alias}.expires_at is null or ${alias}.expires_at > now())`;
}

/** The predicate of searches, contexts and summaries: memories in force now. */
export function visible(alias: string): string {
  return `${listed(alias)} and ${begun(alias)}`;
}

/**
 * Whether a memory holds already. A memory that holds since it was said does so at once, whatever the clock of the
 * process that stored it shows.
 */
export function begun(alias: string): string {
  return `(${alias}.valid_from <= now() or ${alias}.valid_from <= ${alias}.stated_at)`;
}

/** A scope of the REST contract in the column's form: a conversation's id, or empty. */
export function toConversationId(scope: string): string {
  return scope === GLOBAL_SCOPE ? '' : scope;
}

/** The predicate of a list by state. */
export function inState(alias: string, state: Exclude<MemoryState, 'expired'> | 'all'): string {
  switch (state) {
    case 'current':
      return listed(alias);
    case 'superseded':
      return `${alias}.valid_to is not null and ${alias}.archived_at is null and ${alias}.deleted_at is null`;
    case 'archived':
      return `${alias}.archived_at is not null and ${alias}.deleted_at is null`;
    case 'deleted':
      return `${alias}.deleted_at is not null`;
    default:
      return 'true';
  }
}

function stateOf({ deletedAt, archivedAt, validTo, expiresAt }: MemoryRow): MemoryState {
  if (deletedAt !== null) return 'deleted';
  if (archivedAt !== null) return 'archived';
  if (validTo !== null) return 'superseded';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'current';
}

/** A row in the form of the REST contract. */
export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    user_id: row.userId,
    tier: row.tier,
    kind: row.kind,
    category: row.category,
    key: row.key,
    value: row.value,
    content: row.content,
    question: row.question,
    answer: row.answer,
    tags: row.tags,
    project: row.project,
    topic: row.topic,
    importance: Math.round(row.importance * 1_000) / 1_000,
    confidence: row.confidence,
    source: row.source,
    source_context: row.sourceContext,
    scope: row.conversationId === '' ? GLOBAL_SCOPE : row.conversationId,
    channel: row.channel,
    sender: row.sender,
    event_date: row.eventDate,
    source_tokens: row.sourceTokens,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_accessed_at: row.lastAccessedAt?.toISOString() ?? null,
    last_verified_at: row.lastVerifiedAt?.toISOString() ?? null,
    access_count: row.accessCount,
    expires_at: row.expiresAt?.toISOString() ?? null,
    valid_from: row.validFrom.toISOString(),
    valid_to: row.validTo?.toISOString() ?? null,
    archived: row.archivedAt !== null,
    state: stateOf(row),
    superseded_by: row.supersededBy,
    provenance: { extraction_id: row.extractionId, message_ids: row.messageIds },
    metadata: row.metadata,
  };
}
