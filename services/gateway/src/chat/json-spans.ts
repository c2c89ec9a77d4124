/** Where something stands in a JSON text: from `start` up to, not including, `end`. */
export type Span = Readonly<{ start: number; end: number }>;

/** One member of an object: `whole` is from the opening quote of its key to the end of its value. */
export type Member = Readonly<{ key: string; whole: Span; value: Span }>;

/**
 * The members of the object that begins at `start` (or after the white space there), in order, repeated keys
 * included. The text has to be valid JSON: this only finds places, so that a part can be replaced and every other
 * byte stays as it was sent.
 */
export function membersOf(text: string, start = 0): Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, start);
  if (text[at] !== '{') return members;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== '}') {
    const keyEnd = endOfValue(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.push({
      key: String(JSON.parse(text.slice(at, keyEnd))),
      whole: { start: at, end: valueEnd },
      value: { start: valueStart, end: valueEnd },
    });
    at = afterComma(text, valueEnd);
  }
  return members;
}

/** The items of the array that begins at `start`, in order. */
export function itemsOf(text: string, start: number): Span[] {
  const items: Span[] = [];
  let at = skipSpace(text, start);
  if (text[at] !== '[') return items;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    items.push({ start: at, end });
    at = afterComma(text, end);
  }
  return items;
}

/** The last member with that key, which is the one that JSON.parse keeps. */
export function memberOf(text: string, start: number, key: string): Member | undefined {
  return membersOf(text, start).findLast((member) => member.key === key);
}

/** The text with some spans replaced; they must not overlap. */
export function replaceSpans(
  text: string,
  replacements: readonly Readonly<{ span: Span; by: string }>[],
): string {
  let result = text;
  for (const { span, by } of replacements.toSorted((a, b) => b.span.start - a.span.start)) {
    result = result.slice(0, span.start) + by + result.slice(span.end);
  }
  return result;
}

/**
 * The object text (from its first character on) without the members whose key is refused by `keep`. What stays keeps
 * the white space that follows it.
 */
export function withoutMembers(text: string, keep: (key: string) => boolean): string {
  const members = membersOf(text);
  const kept = members.filter((member) => keep(member.key));
  if (kept.length === members.length) return text;
  const starts = new Map(members.map((member, index) => [member, members[index + 1]?.whole.start]));
  const [first] = members;
  const last = members.at(-1);
  if (first === undefined || last === undefined) return text;
  const inside = kept.map((member, index) => {
    const end = index === kept.length - 1 ? member.whole.end : starts.get(member);
    return text.slice(member.whole.start, end);
  });
  return text.slice(0, first.whole.start) + inside.join('') + text.slice(last.whole.end);
}

/** The object text with one more member at its end. `value` is JSON. */
export function withMember(text: string, key: string, value: string): string {
  const members = membersOf(text);
  const last = members.at(-1);
  const at = last === undefined ? text.indexOf('{') + 1 : last.whole.end;
  return `${text.slice(0, at)}${last === undefined ? '' : ','}${JSON.stringify(key)}:${value}${text.slice(at)}`;
}

const SPACE = /[ \t\r\n]/;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.test(text[at] ?? '')) at += 1;
  return at;
}

function afterComma(text: string, from: number): number {
  const at = skipSpace(text, from);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

/** By `indexOf`: an image in a message is a string of megabytes. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** Where the value that begins at `start` ends. Containers are skipped by depth, so nesting costs no stack. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1;
    return at;
  }
  let depth = 0;
  let at = start;
  do {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (depth > 0 && at < text.length);
  return at;
}
