import { meaningfulWords } from '../attribution.ts';
import { contentHash, normaliseText } from '../content-hash.ts';
import type { Candidate, KnownMemory } from '../types.ts';
import { agreeInWords } from './distinguishing-words.ts';

/** The fields of candidates and memories that are compared. */
export type Statement = Pick<KnownMemory, 'kind' | 'key' | 'value' | 'content'> & {
  answer?: string | null;
};

/**
 * Whether two texts that are nearly equal by embedding are the same statement. Pure and symmetric. Similarity alone
 * cannot separate 14 March from 15 March: numbers, dates, names and negations must agree. Keyed facts must have the
 * same value, and answers the same words, because everything around them is alike anyway.
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
 * Order of precedence among duplicates; negative when `left` is kept. Keyed facts come before questions before the
 * rest, because later statements can replace them; then the longer text. It depends on the two texts only, so the
 * result is the same in whatever order extractions finish.
 */
export function comparePrecedence(left: Statement, right: Statement): number {
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
