import { readJson, type JsonArray, type JsonObject } from './tolerant-json.ts';

export type FoundJson = {
  /** The JSON containers in the text, in order, reasoning blocks left out. */
  values: (JsonObject | JsonArray)[];
  /** The text outside them, without code fences. */
  prose: string;
  /** All text except reasoning blocks and code fences. */
  text: string;
  /** False when a value or a reasoning block is truncated. */
  complete: boolean;
};

const REASONING_TAG = /^<(\/?)(?:think|thinking|reasoning|thought)>/i;
const REASONING_TAGS = new RegExp(REASONING_TAG.source.slice(1), 'gi');
const LONGEST_TAG = '</reasoning>'.length;

function withoutFences(parts: readonly string[]): string {
  return parts
    .join('\n')
    .replaceAll(/^[ \t]*```[\w-]*[ \t]*$/gm, '')
    .trim();
}

/** Index after the closing tag of the block that `tag` opens; -1 when it is never closed. */
function afterReasoning(text: string, start: number, tag: string): number {
  const close = new RegExp(`</${tag.slice(1)}`, 'gi');
  close.lastIndex = start;
  return close.test(text) ? close.lastIndex : -1;
}

/** A reply without its reasoning blocks. One that is never closed stays. */
export function withoutReasoning(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { 0: tag, 1: slash, index } of text.matchAll(REASONING_TAGS)) {
    if (index < from || slash === '/') continue;
    const after = afterReasoning(text, index, tag);
    if (after < 0) break;
    kept.push(text.slice(from, index));
    from = after;
  }
  return kept.join('') + text.slice(from);
}

/**
 * Finds the JSON in a model's reply: skips prose and code fences around it, drops `<think>` blocks, and drops
 * everything before a closing tag without an opening one (some models' templates swallow it). A tag inside a JSON
 * string is content. One pass over the text; a container is read at most once per nesting level.
 */
export function findJson(text: string): FoundJson {
  let values: (JsonObject | JsonArray)[] = [];
  let prose: string[] = [];
  let textFrom = 0;
  let texts: string[] = [];
  let complete = true;
  let proseFrom = 0;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '<') {
      const tag = REASONING_TAG.exec(text.slice(index, index + LONGEST_TAG));
      if (tag === null) {
        index += 1;
      } else if (tag[1] === '/') {
        values = [];
        prose = [];
        texts = [];
        complete = true;
        index += tag[0].length;
        proseFrom = index;
        textFrom = index;
      } else {
        prose.push(text.slice(proseFrom, index));
        texts.push(text.slice(textFrom, index));
        const after = afterReasoning(text, index, tag[0]);
        index = after < 0 ? text.length : after;
        proseFrom = index;
        textFrom = index;
        if (after < 0) complete = false;
      }
    } else if (character === '{' || character === '[') {
      const read = readJson(text, index);
      if (read === null) {
        index += 1;
      } else {
        prose.push(text.slice(proseFrom, index));
        values.push(read.node);
        complete &&= read.complete;
        index = Math.max(read.end, index + 1);
        proseFrom = index;
      }
    } else {
      index += 1;
    }
  }
  prose.push(text.slice(proseFrom));
  texts.push(text.slice(textFrom));
  return {
    values,
    prose: withoutFences(prose),
    text: withoutFences(texts),
    complete,
  };
}
