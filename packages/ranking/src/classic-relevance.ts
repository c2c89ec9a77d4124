import { categoryDecay } from './category-decay.ts';

/**
 * Weights of the classic relevance. Source C names the parts, not their weights; the query's words get the largest.
 */
const TEXT = 0.6;
const PROJECT = 0.2;
const IMPORTANCE = 0.2;

/**
 * Relevance of the classic mode (C9): text score (0 to 1), whether the memory is of the project in the query, and
 * importance (0 to 1), all decayed by category (C6). 0 to 1.
 */
export function classicRelevance(
  memory: Readonly<{
    textScore: number;
    ofNamedProject: boolean;
    importance: number;
    category: string;
    ageMs: number;
  }>,
): number {
  const worth =
    TEXT * memory.textScore + PROJECT * (memory.ofNamedProject ? 1 : 0) + IMPORTANCE * memory.importance;
  return worth * categoryDecay(memory);
}
