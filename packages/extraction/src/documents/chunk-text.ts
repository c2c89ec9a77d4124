/** Tokens of a text by some model's count, or more. White space alone has none. */
type CountTokens = (text: string) => number;

export type ChunkOptions = Readonly<{
  /** The largest chunk. */
  maxTokens: number;
  countTokens: CountTokens;
}>;

/**
 * Where a text may be cut, best first: paragraphs, lines, sentences, words. Each match includes the white space
 * after it, so that no character is lost between pieces.
 */
const BOUNDARIES: readonly RegExp[] = [
  /\n[^\S\n]*\n\s*/g,
  /\n\s*/g,
  /[.!?…](?:["'”’)\]]{0,3})\s+|[。！？；]["'”’」』）]{0,3}\s*/g,
  /\s+/g,
];

/** Characters that combine with the one before them: a cut before them would split a visible character. */
const JOINED = /^[\p{M}\p{Emoji_Modifier}\u200d]/u;
/** How far a cut moves to keep a visible character whole. */
const MAX_STEPS_BACK = 32;

/**
 * A sentence without white space after it is a piece of its own from this share of `maxTokens` on, in characters.
 * Shorter ones are joined with the next, because each such piece has the tokens of its whole chunk counted again.
 */
const MIN_SHARE = 1 / 8;

/** First guess of characters per token when a word is longer than a chunk. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Cuts a text into chunks that fit an embedding model: at paragraphs if they fit, else at lines, sentences, words,
 * and only inside a word longer than a chunk between characters. Chunks do not overlap and join to the text; each
 * has a visible character if the text has. Deterministic; linear time; a caller that must not block can pause
 * between chunks.
 */
export function* chunkText(text: string, { maxTokens, countTokens }: ChunkOptions): Generator<string> {
  let current = '';
  let currentTokens = 0;

  /** Adds the piece to the current chunk if that can take it. */
  const append = (piece: string, tokens: number): boolean => {
    // Tokens of two parts of one word may not add up to those of the whole.
    const apart = tokens === 0 || currentTokens === 0 || /\s$/.test(current);
    const together = apart ? currentTokens + tokens : countTokens(current + piece);
    if (together > maxTokens && tokens > 0) return false;
    current += piece;
    currentTokens = together;
    return true;
  };
  function* flush(): Generator<string> {
    // White space before the first word gets no chunk of its own.
    if (currentTokens === 0) return;
    yield current;
    current = '';
    currentTokens = 0;
  }
  function* add(piece: string, level: number): Generator<string> {
    const tokens = countTokens(piece);
    if (append(piece, tokens)) return;
    yield* flush();
    if (append(piece, tokens)) return;
    const boundary = BOUNDARIES[level];
    if (boundary !== undefined) {
      const minLength = maxTokens * MIN_SHARE;
      for (const part of splitAfter(piece, boundary, minLength)) yield* add(part, level + 1);
      return;
    }
    for (const part of cutWord(piece, { maxTokens, countTokens })) {
      if (append(part, countTokens(part))) continue;
      yield* flush();
      current += part;
      currentTokens = countTokens(current);
    }
  }

  yield* add(text, 0);
  if (current !== '') yield current;
}

/** The pieces of a text that end where the boundary matches; shorter ones only after white space. */
function* splitAfter(text: string, boundary: RegExp, minLength: number): Generator<string> {
  let start = 0;
  for (const match of text.matchAll(boundary)) {
    const end = match.index + match[0].length;
    if (end - start < minLength && !/\s$/.test(match[0])) continue;
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** Pieces of a word that is too long for one chunk. A single character is never cut, however many tokens it has. */
function* cutWord(word: string, { maxTokens, countTokens }: ChunkOptions): Generator<string> {
  let start = 0;
  let guess = maxTokens * CHARACTERS_PER_TOKEN;
  while (start < word.length) {
    let end = cutNear(word, start, start + guess);
    while (countTokens(word.slice(start, end)) > maxTokens) {
      const shorter = cutNear(word, start, start + Math.floor((end - start) / 2));
      if (shorter >= end) break;
      end = shorter;
    }
    yield word.slice(start, end);
    // The next characters are probably like these.
    guess = Math.min(2 * (end - start), maxTokens * CHARACTERS_PER_TOKEN);
    start = end;
  }
}

/** Where to cut at or shortly before `end`, but after `start`, without splitting a character. */
function cutNear(word: string, start: number, end: number): number {
  if (end >= word.length) return word.length;
  const earliest = Math.max(start + 1, end - MAX_STEPS_BACK);
  for (let cut = end; cut >= earliest; cut -= 1) if (isWhole(word, cut)) return cut;
  // Only combining marks: cut between code points.
  const cut = Math.max(start + 1, end);
  return isLowSurrogate(word, cut) ? cut + 1 : cut;
}

function isWhole(word: string, cut: number): boolean {
  return !isLowSurrogate(word, cut) && !JOINED.test(word.slice(cut, cut + 2)) && word[cut - 1] !== '\u200d';
}

function isLowSurrogate(word: string, index: number): boolean {
  const code = word.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
