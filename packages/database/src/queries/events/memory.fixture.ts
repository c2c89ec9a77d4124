import { createHash } from 'node:crypto';
import type { NewMemory } from '../memories/new-memory.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

/** A note with a text of its own. */
export function aMemory({ id, userId }: Readonly<{ id: string; userId: string }>): NewMemory {
  const date = new Date();
  return {
    id,
    tenantId: DEFAULT_TENANT_ID,
    userId,
    tier: 2,
    kind: 'note',
    category: 'general',
    key: null,
    value: null,
    content: `secret ${id}`,
    question: null,
    answer: null,
    tags: [],
    project: null,
    topic: null,
    importance: 0.5,
    confidence: 50,
    source: 'user',
    sourceContext: null,
    contentHash: createHash('sha256').update(id).digest('hex'),
    subjectHash: null,
    statedAt: date,
    validFrom: date,
    validTo: null,
    supersededBy: null,
    expiresAt: null,
    messageIds: [],
    metadata: {},
    wantsEmbedding: false,
  };
}
