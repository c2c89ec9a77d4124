import { createHash, randomUUID } from 'node:crypto';

/**
 * A note as a worker stores it, for `insertMemories` of `@factmill/database`. A test spreads it and writes what is
 * different after it.
 */
export function newMemory(tenantId: string, userId: string, content: string) {
  const statedAt = new Date();
  return {
    id: randomUUID(),
    tenantId,
    userId,
    tier: 2,
    kind: 'note' as const,
    category: 'general',
    key: null,
    value: null,
    content,
    question: null,
    answer: null,
    tags: [],
    project: null,
    topic: null,
    importance: 0.5,
    confidence: 70,
    source: 'test',
    sourceContext: null,
    contentHash: createHash('sha256').update(content).digest('hex'),
    subjectHash: null,
    statedAt,
    validFrom: statedAt,
    validTo: null,
    supersededBy: null,
    expiresAt: null,
    messageIds: [],
    metadata: {},
    wantsEmbedding: false,
  };
}
