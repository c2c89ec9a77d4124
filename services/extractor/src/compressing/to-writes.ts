import type { CompressibleMemory } from '@factmill/database';
import type { Candidate, CompressionDecision } from '@factmill/extraction';
import type { MemoryToWrite } from '@factmill/memories';

const MAX_CATEGORY_CHARACTERS = 64;
const MAX_TAGS = 64;

/** A decision that creates a memory. */
export type WritingDecision = Extract<CompressionDecision, { op: 'fact' | 'merge' | 'profile_add' }>;

export function isWriting(decision: CompressionDecision): decision is WritingDecision {
  return decision.op === 'fact' || decision.op === 'merge' || decision.op === 'profile_add';
}

/**
 * The memory that a decision creates. It inherits from its sources: their messages, the latest time any was stated,
 * the earliest any held, their tags, the highest importance and the lowest confidence.
 */
export function toWrite(
  decision: WritingDecision,
  current: ReadonlyMap<string, CompressibleMemory>,
  runId: string,
  now: Date,
): MemoryToWrite {
  const from = decision.from.flatMap((id) => current.get(id) ?? []);
  const weightiest = from.toSorted((a, b) => b.importance - a.importance)[0];
  const category = ('category' in decision ? decision.category : null) ?? weightiest?.category ?? 'general';
  const keyed = decision.op === 'fact' && decision.key !== null;
  const candidate: Candidate = {
    kind: keyed ? 'fact' : 'note',
    tier: decision.op === 'profile_add' ? 1 : 2,
    category: category.slice(0, MAX_CATEGORY_CHARACTERS),
    key: keyed ? decision.key : null,
    value: keyed ? decision.value : null,
    content: decision.text,
    question: null,
    answer: null,
    tags: [...new Set(from.flatMap((memory) => memory.tags))].slice(0, MAX_TAGS),
    importance: Math.max(0.5, ...from.map((memory) => memory.importance)),
    confidence: Math.min(100, ...from.map((memory) => memory.confidence)),
    source: 'compression',
    sourceContext: null,
    messageIds: [...new Set(from.flatMap((memory) => memory.messageIds))],
    statedAt: extreme(Math.max, from, (memory) => memory.statedAt) ?? now,
    validFrom: extreme(Math.min, from, (memory) => memory.validFrom) ?? now,
  };
  const [first] = from;
  return {
    candidate,
    project:
      decision.op === 'merge' ? decision.project : decision.op === 'fact' ? (first?.project ?? null) : null,
    topic: decision.op === 'merge' ? decision.topic : null,
    metadata: { compressed_from: decision.from, compression_run: runId },
  };
}

function extreme(
  choose: (...values: number[]) => number,
  memories: readonly CompressibleMemory[],
  of: (memory: CompressibleMemory) => Date,
): Date | null {
  return memories.length === 0 ? null : new Date(choose(...memories.map((memory) => of(memory).getTime())));
}
