import type { SearchFilters } from '@factmill/contracts';
import type { MemoryRow } from '@factmill/database';
import { createHash } from 'node:crypto';

export type TurnRow = Readonly<{
  conversationId: string;
  userId: string;
  project: string | null;
  messageId: string;
  role: string;
  content: string;
  createdAt: Date;
  pending: boolean;
  /** Null while the turn is not indexed. */
  partId: string | null;
  score: number;
  /** A memory that was found already and rests on the message. */
  memoryId: string | null;
}>;

const FORM = { tier: 3, kind: 'note', category: 'conversation' } as const;

/** Whether messages in a memory's form pass the filters, apart from their project and conversation. */
export function mayBeTurns({ kinds, categories, tiers, tags }: SearchFilters): boolean {
  return (
    tags === undefined &&
    (kinds?.includes(FORM.kind) ?? true) &&
    (categories?.includes(FORM.category) ?? true) &&
    (tiers?.includes(FORM.tier) ?? true)
  );
}

/** A stored message in a memory's form: a note of low confidence in its conversation, with an id made from its own. */
export function turnToRow(turn: TurnRow): MemoryRow {
  return {
    id: idOf(turn),
    userId: turn.userId,
    ...FORM,
    key: null,
    value: null,
    content: turn.content,
    question: null,
    answer: null,
    tags: [],
    project: turn.project,
    topic: null,
    importance: 0.5,
    confidence: 50,
    source: 'turn',
    sourceContext: null,
    conversationId: turn.conversationId,
    channel: null,
    sender: null,
    eventDate: null,
    sourceTokens: null,
    statedAt: turn.createdAt,
    createdAt: turn.createdAt,
    updatedAt: turn.createdAt,
    lastAccessedAt: null,
    lastVerifiedAt: null,
    accessCount: 0,
    expiresAt: null,
    validFrom: turn.createdAt,
    validTo: null,
    archivedAt: null,
    deletedAt: null,
    supersededBy: null,
    extractionId: null,
    messageIds: [turn.messageId],
    metadata: {},
  };
}

/** Always the same for a message, and no memory's (UUID version 8). */
export function idOf({ conversationId, messageId }: Pick<TurnRow, 'conversationId' | 'messageId'>): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([conversationId, messageId]))
    .digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
