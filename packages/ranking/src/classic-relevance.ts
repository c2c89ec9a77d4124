import { categoryDecay } from './category-decay.ts';

/** Shares of the classic relevance. Source C names the parts, not their weights: the words asked for count most. */
const TEXT = 0.6;
const PROJECT = 0.2;
const IMPORTANCE = 0.2;

/**
 * Relevance of the classic mode (C9): how well the text matches (0 to 1), whether it is of the project that the query
 * names, and its importance (0 to 1), all of it fading by category (C6). 0 to 1.
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
