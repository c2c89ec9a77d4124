import type { MemoryKind } from '@factmill/contracts';

export type NewMemory = Readonly<{
  id: string;
  tenantId: string;
  userId: string;
  tier: number;
  kind: MemoryKind;
  category: string;
  key: string | null;
  value: string | null;
  content: string;
  question: string | null;
  answer: string | null;
  tags: readonly string[];
  project: string | null;
  topic: string | null;
  importance: number;
  confidence: number;
  source: string;
  sourceContext: string | null;
  /** The conversation that it belongs to; absent or empty for none. */
  conversationId?: string;
  /** Hex SHA-256 of the normalised content. */
  contentHash: string;
  /** Hex SHA-256 of the normalised question of a Q/A memory; null for everything else. */
  subjectHash: string | null;
  statedAt: Date;
  validFrom: Date;
  /** Set for a statement that was already outdated when it arrived. */
  validTo: Date | null;
  supersededBy: string | null;
  expiresAt: Date | null;
  messageIds: readonly string[];
  /** Where it was said and by whom; absent: not known. */
  channel?: string | null;
  sender?: string | null;
  /** Of an event: its day, `YYYY-MM-DD`, and the estimated tokens of its messages. */
  eventDate?: string | null;
  sourceTokens?: number | null;
  metadata: Record<string, unknown>;
  /** Whether a vector should be computed for it. */
  wantsEmbedding: boolean;
}>;

/** The argument of add_memories. */
export function memoriesToJson(memories: readonly NewMemory[]): string {
  return JSON.stringify(memories.map(toRecord));
}

function toRecord(memory: NewMemory): Record<string, unknown> {
  return {
    id: memory.id,
    tenant_id: memory.tenantId,
    user_id: memory.userId,
    tier: memory.tier,
    kind: memory.kind,
    category: memory.category,
    key: memory.key,
    value: memory.value,
    content: memory.content,
    question: memory.question,
    answer: memory.answer,
    tags: memory.tags,
    project: memory.project,
    topic: memory.topic,
    importance: memory.importance,
    confidence: memory.confidence,
    source: memory.source,
    source_context: memory.sourceContext,
    conversation_id: memory.conversationId,
    content_hash: memory.contentHash,
    subject_hash: memory.subjectHash,
    stated_at: memory.statedAt,
    valid_from: memory.validFrom,
    valid_to: memory.validTo,
    superseded_by: memory.supersededBy,
    expires_at: memory.expiresAt,
    message_ids: memory.messageIds,
    channel: memory.channel,
    sender: memory.sender,
    event_date: memory.eventDate,
    source_tokens: memory.sourceTokens,
    metadata: memory.metadata,
    wants_embedding: memory.wantsEmbedding,
  };
}
