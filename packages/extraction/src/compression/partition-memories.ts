import { estimateTokens } from '../token-estimate.ts';
import type { Compressible } from './compressible.ts';

/** The memories of one question: of one project and topic. */
export type Partition = Readonly<{
  project: string | null;
  topic: string | null;
  memories: readonly Compressible[];
}>;

/** Fewer memories have hardly anything to merge and are not worth a call. */
const MIN_PARTITION_MEMORIES = 4;

/** Estimated tokens of memories in one question: about 80 statements. */
export const PARTITION_TOKENS = 1_000;

/** Output limit of an answer: every memory of a partition once, with the JSON around it. */
export const COMPRESSION_REPLY_TOKENS = 2_500;

/** Splits memories, in order, into runs of at most `tokens`. A larger memory gets a run of its own. */
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
 * Groups memories by project and topic. Too many for one question are split, with memories of one category
 * together; groups that are too small are dropped.
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
