/**
 * JSON as language models write it. Scalars keep their original text, so that reading invents nothing (`1.0` stays
 * `1.0`); `null` in any spelling is null. `complete` says whether a container was closed.
 */
export type JsonObject = { type: 'object'; entries: Map<string, JsonNode>; complete: boolean };
export type JsonArray = { type: 'array'; items: JsonNode[]; complete: boolean };
/** A container nested deeper than the limit: skipped, not read. */
type JsonTooDeep = { type: 'too-deep' };
export type JsonNode = string | null | JsonObject | JsonArray | JsonTooDeep;

/** `end` is the index after the last character that belongs to the value. */
export type JsonRead = { node: JsonObject | JsonArray; end: number; complete: boolean };

/** Replies need four levels; the limit bounds the stack of frames and the work of re-reading. */
const MAX_DEPTH = 16;

/**
 * After brackets in prose turn out not to be JSON, the text behind them is read again only if they are this short.
 * Without the bound, repeated reading would be quadratic.
 */
const MAX_PROSE_CHARACTERS = 256;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);
const NULLS = new Set(['null', 'none', 'undefined', 'nil']);
const QUOTES = new Set(['"', "'", '“']);
const BARE_END = /[\s,:，：[\]{}"]/;
/** Models that write Chinese or Japanese sometimes use full-width punctuation. */
const COMMAS = new Set([',', '，']);
const COLONS = new Set([':', '：']);
/** Models write this for "and so on". */
const ELLIPSIS = /^(?:\.{3}|…)$/;
const HEX4 = /^[0-9a-fA-F]{4}$/;

type Scalar = { value: string | null; end: number; complete: boolean };

/** A longer comment does not count: searching its end from every quote would be quadratic. */
const MAX_COMMENT_CHARACTERS = 1_000;

/** Index after the comment at `index`; `index` itself without a comment. */
function afterComment(text: string, index: number): number {
  const opening = text.charAt(index) === '/' ? text.charAt(index + 1) : '';
  if (opening !== '/' && opening !== '*') return index;
  const near = text.slice(index, index + MAX_COMMENT_CHARACTERS);
  const close = opening === '*' ? near.indexOf('*/', 2) : near.indexOf('\n');
  if (close >= 0) return index + close + (opening === '*' ? 2 : 1);
  return near.length < MAX_COMMENT_CHARACTERS ? text.length : index;
}

/** Index of the first character that is neither white space nor in a comment. */
function skipBlank(text: string, from: number): number {
  let index = from;
  for (;;) {
    while (index < text.length && text.charCodeAt(index) <= 32) index += 1;
    const after = afterComment(text, index);
    if (after === index) return index;
    index = after;
  }
}

/**
 * Whether the quote at `index` ends the string: only if a character that can follow a value comes next. A quote in
 * the middle of words is an unescaped one. A quote, a line break and another quote mean a missing comma.
 */
function closesString(text: string, index: number): boolean {
  const next = skipBlank(text, index + 1);
  if (next >= text.length) return true;
  const character = text.charAt(next);
  if (',:，：}]'.includes(character)) return true;
  return (character === '"' || character === '{') && text.slice(index + 1, next).includes('\n');
}

function readString(text: string, start: number): Scalar {
  const quote = text.charAt(start) === '“' ? '”' : text.charAt(start);
  const parts: string[] = [];
  let from = start + 1;
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === quote && closesString(text, index)) {
      parts.push(text.slice(from, index));
      return { value: parts.join(''), end: index + 1, complete: true };
    }
    if (character !== '\\') continue;
    parts.push(text.slice(from, index));
    const escaped = text.charAt(index + 1);
    const hex = text.slice(index + 2, index + 6);
    if (escaped === 'u' && HEX4.test(hex)) {
      parts.push(String.fromCharCode(Number.parseInt(hex, 16)));
      index += 5;
    } else {
      parts.push(ESCAPES.get(escaped) ?? escaped);
      index += 1;
    }
    from = index + 1;
  }
  return { value: null, end: text.length, complete: false };
}

function readBareword(text: string, start: number): Scalar {
  let end = start;
  while (end < text.length && !BARE_END.test(text.charAt(end))) end += 1;
  const word = text.slice(start, end);
  // At the end of the text the word may be truncated: `3` could have become `34`.
  return { value: NULLS.has(word.toLowerCase()) ? null : word, end, complete: end < text.length };
}

function readScalar(text: string, index: number): Scalar {
  const character = text.charAt(index);
  return QUOTES.has(character) ? readString(text, index) : readBareword(text, index);
}

/** Index after the container at `start`, whatever it contains. */
function skipContainer(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') index = readString(text, index).end - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

type Frame = { node: JsonObject | JsonArray; key: string | null };

/** Adds a value to the innermost container: as an item, or under the pending key. */
function attach(parent: Frame, node: JsonNode): void {
  if (parent.node.type === 'array') parent.node.items.push(node);
  else if (parent.key !== null) {
    parent.node.entries.set(parent.key, node);
    parent.key = null;
  }
}

function open(text: string, index: number): Frame {
  return text.charAt(index) === '{'
    ? { node: { type: 'object', entries: new Map(), complete: false }, key: null }
    : { node: { type: 'array', items: [], complete: false }, key: null };
}

/** Index after the colon when the scalar is a key. */
function afterColon(text: string, end: number): number {
  const next = skipBlank(text, end);
  return COLONS.has(text.charAt(next)) ? next + 1 : -1;
}

/**
 * Reads the container at `start` (`{` or `[`). Tolerates trailing and missing commas, comments, bare, single-quoted
 * and curly-quoted words, full-width punctuation, raw line breaks and unescaped quotes in strings. At the end of
 * the text, or at an intolerable character, it stops and returns what is complete. Returns null when there is no
 * JSON, as in prose with brackets. Iterative: nesting cannot exhaust the stack.
 */
export function readJson(text: string, start: number): JsonRead | null {
  const root = open(text, start);
  const stack: Frame[] = [root];
  let index = start + 1;
  let sawContent = false;
  const stopped = (at: number): JsonRead | null =>
    sawContent || at - start > MAX_PROSE_CHARACTERS ? { node: root.node, end: at, complete: false } : null;

  for (;;) {
    index = skipBlank(text, index);
    const frame = stack.at(-1) ?? root;
    const character = text.charAt(index);
    const inObject = frame.node.type === 'object';
    if (character === '') {
      sawContent = true;
      return stopped(index);
    }
    if (COMMAS.has(character)) {
      index += 1;
    } else if (character === '}' || character === ']') {
      if ((character === '}') !== inObject) return stopped(index);
      frame.node.complete = true;
      stack.pop();
      index += 1;
      if (stack.length === 0) return { node: root.node, end: index, complete: true };
    } else if (character === '{' || character === '[') {
      if (inObject && frame.key === null) return stopped(index);
      if (stack.length >= MAX_DEPTH) {
        // From here on the caller must not read again inside: deep nesting would become quadratic.
        sawContent = true;
        index = skipContainer(text, index);
        attach(frame, { type: 'too-deep' });
      } else {
        const child = open(text, index);
        attach(frame, child.node);
        stack.push(child);
        index += 1;
      }
    } else {
      const scalar = readScalar(text, index);
      if (!scalar.complete) {
        sawContent = true;
        return stopped(text.length);
      }
      const bare = !QUOTES.has(character);
      const word = text.slice(index, scalar.end);
      if (scalar.end === index) return stopped(index);
      if (bare && ELLIPSIS.test(word)) {
        index = scalar.end;
        continue;
      }
      if (inObject && frame.key === null) {
        const next = afterColon(text, scalar.end);
        if (next < 0) return stopped(scalar.end);
        frame.key = scalar.value ?? word;
        index = next;
      } else {
        // Bare words as items are prose in brackets, except numbers, booleans and null.
        if (bare && !inObject && !isLiteral(word)) return stopped(scalar.end);
        attach(frame, scalar.value);
        index = scalar.end;
      }
      sawContent = true;
    }
  }
}

function isLiteral(word: string): boolean {
  return /^(?:[-+]?[\d.][\d.eE+-]*|true|false)$/i.test(word) || NULLS.has(word.toLowerCase());
}
