import type { SimilarityOf } from './select-diverse.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^\p{ASCII}*$/u;
/** Longer texts are not split into words: a few hundred of them held up everybody for 0.1 s. */
const MAX_CUT = 1_000;

export type Deduplicated<Candidate> = Readonly<{ candidate: Candidate; duplicateIds: readonly string[] }>;

/**
 * Drops candidates that repeat an earlier one (G14): the same words in the same order, ignoring case, punctuation
 * and articles; or vectors at least `duplicateSimilarity` alike with the same numbers in the text. Candidates come
 * best first; each is kept, or listed in `duplicateIds` of a kept one. Each is compared with kept ones only, so
 * that a chain of small differences does not merge into one. Long texts are the same when they are equal.
 */
export function deduplicate<Candidate extends Readonly<{ id: string; content: string }>>(
  candidates: readonly Candidate[],
  similarity: Readonly<{ of: SimilarityOf; duplicateSimilarity: number }> | null,
): Deduplicated<Candidate>[] {
  const kept: Kept<Candidate>[] = [];
  const byLetters = new Map<number, Kept<Candidate>[]>();
  for (const candidate of candidates) {
    const entry = toKept(candidate, similarity !== null);
    const ofSameLetters = byLetters.get(entry.letters);
    const same =
      ofSameLetters?.find((one) => essentialWords(one) === essentialWords(entry)) ??
      (similarity === null
        ? undefined
        : kept.find(
            (one) =>
              one.numbers === entry.numbers &&
              (similarity.of(one.candidate.id, candidate.id) ?? -1) >= similarity.duplicateSimilarity,
          ));
    if (same !== undefined) {
      same.duplicateIds.push(candidate.id);
      continue;
    }
    kept.push(entry);
    if (ofSameLetters === undefined) byLetters.set(entry.letters, [entry]);
    else ofSameLetters.push(entry);
  }
  return kept;
}

type Kept<Candidate> = {
  candidate: Candidate;
  duplicateIds: string[];
  /** Hash of the letters: equal for texts of the same words. The length of a long text. */
  letters: number;
  /** Null until they are needed. */
  words: string | null;
  numbers: string;
};

function toKept<Candidate extends Readonly<{ content: string }>>(
  candidate: Candidate,
  withNumbers: boolean,
): Kept<Candidate> {
  const { content } = candidate;
  // Text beyond ASCII is compared in its compatibility form.
  const isPlain = content.length <= MAX_CUT && ASCII.test(content);
  const words = isPlain ? null : essenceOf(content);
  return {
    candidate,
    duplicateIds: [],
    letters: content.length > MAX_CUT ? content.length : lettersOf(words ?? content),
    words,
    numbers: withNumbers ? numbersOf(content) : '',
  };
}

function essentialWords(kept: Kept<Readonly<{ content: string }>>): string {
  return (kept.words ??= essenceOf(kept.candidate.content));
}

/**
 * By character code: letters and digits in lower case; 0 for letters of articles and for characters between words.
 */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[^\Wanthe_]/.test(character) ? character.charCodeAt(0) : 0;
});

/**
 * A hash of a text's letters, except those of articles. Comparing words takes ten times as long, so they are
 * compared only when this hash is equal.
 */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = LETTERS[code] ?? code;
    if (letter !== 0) letters = (letters * 31 + letter) | 0;
  }
  return letters;
}

/** Articles carry no meaning; every other word can reverse a statement (`he` or `she`, `not`). */
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** The words in order; the text itself when it has none, or is long. */
function essenceOf(content: string): string {
  if (content.length > MAX_CUT) return content;
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !ARTICLES.has(word)).join(' ') || content.trim();
}

function numbersOf(content: string): string {
  return (content.match(/\p{N}+/gu) ?? []).join(' ');
}
