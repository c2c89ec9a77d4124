import { meaningfulWords } from '../attribution.ts';
import { contentHash, normaliseText } from '../content-hash.ts';
import type { Candidate, KnownMemory } from '../types.ts';
import { agreeInWords } from './distinguishing-words.ts';

/** What is compared of candidates and memories. */
export type Statement = Pick<KnownMemory, 'kind' | 'key' | 'value' | 'content'> & {
  answer?: string | null;
};

/**
 * Whether two texts that an embedding model finds as good as equal may count as one. Pure and symmetric. Similarity
 * alone does not tell 14 March from 15 March: numbers, dates, names and negations have to agree; facts with keys have
 * to have the same value, and answers the same words, as everything around them is alike anyway.
 */
export function isSameStatement(left: Statement, right: Statement): boolean {
  if ((left.kind === 'event') !== (right.kind === 'event')) return false;
  if (left.key !== null && right.key !== null) {
    if (normaliseText(left.value ?? '') !== normaliseText(right.value ?? '')) return false;
  }
  if (left.kind === 'qa' && right.kind === 'qa' && !haveSameWords(left.answer, right.answer)) return false;
  return agreeInWords(left.content, right.content);
}

function haveSameWords(left: string | null | undefined, right: string | null | undefined): boolean {
  const a = meaningfulWords(left ?? '');
  const b = meaningfulWords(right ?? '');
  return a.size === b.size && [...a].every((word) => b.has(word));
}

/**
 * Which of two duplicates stands for both; negative when `left` does. A keyed fact before a question before anything
 * else, as later statements can replace it; then the fuller wording. Depends on nothing but the two texts, so that
 * neither the order in which extractions finish nor how often something was said matters.
 */
export function compareStanding(left: Statement, right: Statement): number {
  return (
    rankOf(left) - rankOf(right) ||
    (left.key !== null && right.key !== null ? compareText(left.key, right.key) : 0) ||
    right.content.length - left.content.length ||
    compareText(contentHash(left.content), contentHash(right.content))
  );
}

function rankOf(statement: Pick<Candidate, 'kind' | 'key'>): number {
  if (statement.key !== null) return 0;
  return statement.kind === 'qa' ? 1 : 2;
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
