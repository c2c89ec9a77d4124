import type { SearchChannel } from '@factmill/contracts';
import type { CandidateRow, MemoryRow } from '@factmill/database';

/** A stored message that competes with memories, and its form as one. */
export type Turn = Readonly<{
  conversationId: string;
  messageId: string;
  role: string;
  pending: boolean;
  memory: MemoryRow;
  /** The part of it that was found, which has a vector; null while the turn is not indexed. */
  partId: string | null;
}>;

/** What one channel found, best first. `value` is the channel's own measure: a cosine, or a share from 0 to 1. */
export type ChannelHits = Readonly<{
  channel: SearchChannel;
  hits: readonly Readonly<{ row: CandidateRow; value: number; similarity?: number; turn?: Turn }>[];
}>;

/** A memory (or a turn in a memory's form) with what the channels say about it. */
export type Candidate = Readonly<{
  id: string;
  row: CandidateRow;
  turn: Turn | null;
  values: ReadonlyMap<SearchChannel, number>;
  /** Cosine to the query, where it was found by meaning. */
  similarity: number | undefined;
}>;

/** Every memory that a channel found, once. */
export function toCandidates(found: readonly ChannelHits[]): Candidate[] {
  type Entry = Omit<Candidate, 'values' | 'similarity'> & {
    values: Map<SearchChannel, number>;
    similarity: number | undefined;
  };
  const byId = new Map<string, Entry>();
  for (const { channel, hits } of found) {
    for (const { row, value, turn, similarity = channel === 'vector' ? value : undefined } of hits) {
      const known = byId.get(row.id);
      if (known !== undefined) {
        known.values.set(channel, value);
        known.similarity ??= similarity;
        continue;
      }
      const values = new Map([[channel, value]]);
      byId.set(row.id, { id: row.id, row, turn: turn ?? null, values, similarity });
    }
  }
  return [...byId.values()];
}
