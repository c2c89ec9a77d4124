import type { Candidate } from '../types.ts';

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const PUNCTUATION = /[、。，；：！？（）「」『』【】《》]/g;
/** Punctuation around words. `+`, `#`, `%` and `-` can belong to a word: C++, C#, 5 %, -5. */
const EDGES = new Set('.,;:!?…"\'“”„«»()[]{}*_`~|<>—–¿¡');
const RULE = /^[-=#>+]+$/;

/**
 * The form in which one text is searched for in another: words in lower case with one space around each, without
 * punctuation around them; each Chinese, Japanese and Korean character is a word. The spaces make only whole words
 * match: "age is 4" is not in "age is 42". Empty for a text without words.
 */
export function matchingText(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(PUNCTUATION, ' ')
    .replaceAll(CJK, ' $& ')
    .split(/\s+/)
    .map(trimEdges)
    .filter((word) => word !== '' && !RULE.test(word));
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

function trimEdges(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && EDGES.has(word.charAt(start))) start += 1;
  while (end > start && EDGES.has(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}

/** Shorter texts occur in too many others by chance. */
const MIN_CHARACTERS = 10;
/** A memory never contains a longer chunk. */
const MAX_CHUNK_CHARACTERS = 500;
/** A shorter answer means nothing without its question: a document may use the same words for something else. */
const MIN_ANSWER_WORDS = 4;

/** A chunk in the form to search for in memories; null when it is too short or too long. */
export function chunkMatchingText(content: string): string | null {
  const form = matchingText(content);
  const { length } = form.trim();
  return length >= MIN_CHARACTERS && length <= MAX_CHUNK_CHARACTERS ? form : null;
}

/** A memory's statement in the form to search for in documents; null when finding it would prove nothing. */
export function statementMatchingText(memory: Pick<Candidate, 'content' | 'answer'>): string | null {
  const form = matchingText(memory.answer ?? memory.content).trim();
  if (form.length < MIN_CHARACTERS) return null;
  if (memory.answer !== null && form.split(' ').length < MIN_ANSWER_WORDS) return null;
  return ` ${form} `;
}
