import type { SimilarityOf } from './select-diverse.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

export type Collapsed<Candidate> = Readonly<{ candidate: Candidate; duplicateIds: readonly string[] }>;

/**
 * Leaves the first of those that say the same (G14): the same words in the same order, whatever case, punctuation
 * and articles, or vectors at least `duplicateSimilarity` alike with the same numbers in the text. Of the
 * candidates, best first, each either stays or is named by one that does. Similarity is compared with what stays
 * only, so that a chain of small differences does not collapse into one.
 */
export function collapseDuplicates<Candidate extends Readonly<{ id: string; content: string }>>(
  candidates: readonly Candidate[],
  similarity: Readonly<{ of: SimilarityOf; duplicateSimilarity: number }> | null,
): Collapsed<Candidate>[] {
  type Kept = { candidate: Candidate; duplicateIds: string[]; words: string; numbers: string };
  const kept: Kept[] = [];
  const byWords = new Map<string, Kept>();
  for (const candidate of candidates) {
    const words = essenceOf(candidate.content);
    const numbers = numbersOf(candidate.content);
    const same =
      byWords.get(words) ??
      (similarity === null
        ? undefined
        : kept.find(
            (one) =>
              one.numbers === numbers &&
              (similarity.of(one.candidate.id, candidate.id) ?? -1) >= similarity.duplicateSimilarity,
          ));
    if (same !== undefined) {
      same.duplicateIds.push(candidate.id);
      continue;
    }
    const entry: Kept = { candidate, duplicateIds: [], words, numbers };
    kept.push(entry);
    byWords.set(words, entry);
  }
  return kept;
}

/** Articles say nothing; every other word can turn a statement around (`he` or `she`, `not`). */
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** The words in order; the text itself when it has none. */
function essenceOf(content: string): string {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !ARTICLES.has(word)).join(' ') || content.trim();
}

function numbersOf(content: string): string {
  return (content.match(/\p{N}+/gu) ?? []).join(' ');
}
