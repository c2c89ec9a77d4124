import type { Candidate } from '../types.ts';

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const PUNCTUATION = /[、。，；：！？（）「」『』【】《》]/g;
/** Punctuation around words. `+`, `#`, `%` and `-` can belong to a word: C++, C#, 5 %, -5. */
const EDGES = new Set('.,;:!?…"\'“”„«»()[]{}*_`~|<>—–¿¡');
const RULE = /^[-=#>+]+$/;

/** Characters of a piece. A list of all words of a long text takes many times the memory of the text. */
const PIECE = 10_000;
/** Where a piece ends that can end nowhere: a longer word is taken for several. */
const MAX_PIECE = 20_000;
/** Chinese doubles. A few signs stand for eighteen characters each: a text of those has the form of its beginning. */
const MAX_GROWTH = 2.5;
/** What a piece may end before: white space, or a character that is a word, and that no character before it combines with. */
const PIECE_END = /\s|[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]/g;

/**
 * The form in which one text is searched for in another: words in lower case with one space around each, without
 * punctuation around them; each Chinese, Japanese and Korean character is a word. The spaces make only whole words
 * match: "age is 4" is not in "age is 42". Empty for a text without words.
 */
export function matchingText(text: string): string {
  let form = '';
  for (let start = 0; start < text.length && form.length <= MAX_GROWTH * text.length;) {
    const room = text.slice(start, start + MAX_PIECE);
    PIECE_END.lastIndex = PIECE;
    const piece = room.slice(0, PIECE_END.exec(room)?.index);
    const words = wordsOf(piece);
    if (words.length > 0) form += ` ${words.join(' ')}`;
    start += piece.length;
  }
  return form === '' ? '' : `${form} `;
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(PUNCTUATION, ' ')
    .replaceAll(CJK, ' $& ')
    .split(/\s+/)
    .map(trimEdges)
    .filter((word) => word !== '' && !RULE.test(word));
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
