import { estimateTokens } from '../token-estimate.ts';
import type { Compressible } from './compressible.ts';

/** What one question to the model is about: memories of one project and topic. */
export type Partition = Readonly<{
  project: string | null;
  topic: string | null;
  memories: readonly Compressible[];
}>;

/** Fewer memories than this have hardly anything to merge and are not worth a call. */
const MIN_PARTITION_MEMORIES = 4;

/** Estimated tokens of memories in one question: about 80 statements. */
export const PARTITION_TOKENS = 1_000;

/** Output limit of an answer: all of a partition said once more, and the JSON around it. */
export const COMPRESSION_REPLY_TOKENS = 2_500;

/** Splits memories, in their order, into runs of at most `tokens`; one that is larger alone stands alone. */
export function splitByTokens<M extends Pick<Compressible, 'content'>>(
  memories: readonly M[],
  tokens: number = PARTITION_TOKENS,
): M[][] {
  const runs: M[][] = [];
  let used = 0;
  for (const memory of memories) {
    const cost = estimateTokens(memory.content) + 4;
    const last = runs.at(-1);
    if (last === undefined || used + cost > tokens) {
      runs.push([memory]);
      used = cost;
    } else {
      last.push(memory);
      used += cost;
    }
  }
  return runs;
}

/**
 * Memories by project and topic, split where they are too many for one question (those of one category stay
 * together), without what is too small.
 */
export function partitionMemories(memories: readonly Compressible[]): Partition[] {
  const groups = new Map<string, Compressible[]>();
  for (const memory of memories) {
    const key = JSON.stringify([memory.project, memory.topic]);
    groups.set(key, [...(groups.get(key) ?? []), memory]);
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const { project = null, topic = null } = group[0] ?? {};
      return splitByTokens(group.toSorted(byCategory))
        .filter((run) => run.length >= MIN_PARTITION_MEMORIES)
        .map((run) => ({ project, topic, memories: run }));
    });
}

function byCategory(a: Compressible, b: Compressible): number {
  if (a.category !== b.category) return a.category < b.category ? -1 : 1;
  return a.statedAt.getTime() - b.statedAt.getTime() || (a.id < b.id ? -1 : 1);
}
