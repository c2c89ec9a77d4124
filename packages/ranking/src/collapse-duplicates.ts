import type { SimilarityOf } from './select-diverse.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^\p{ASCII}*$/u;

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
  /** The same for texts of the same words. */
  letters: number;
  /** Null until somebody asks. */
  words: string | null;
  numbers: string;
};

function toKept<Candidate extends Readonly<{ content: string }>>(
  candidate: Candidate,
  withNumbers: boolean,
): Kept<Candidate> {
  const { content } = candidate;
  // What is no ASCII has no letters before it is in compatible form.
  const words = ASCII.test(content) ? null : essenceOf(content);
  return {
    candidate,
    duplicateIds: [],
    letters: lettersOf(words ?? content),
    words,
    numbers: withNumbers ? numbersOf(content) : '',
  };
}

function essentialWords(kept: Kept<Readonly<{ content: string }>>): string {
  return (kept.words ??= essenceOf(kept.candidate.content));
}

/** By code: the lower case of letters and digits; 0 for those of articles, and for what is between words. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[^\Wanthe_]/.test(character) ? character.charCodeAt(0) : 0;
});

/**
 * A number made of the letters of a text, less those that articles have: words, which take ten times as long, are
 * compared only where it is the same.
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
