import type { JsonNode } from '@factmill/http';

/** Bytes from `start` up to, not including, `end` are replaced by a text. */
export type Edit = Readonly<{ start: number; end: number; by: string }>;

/** No key that is looked up is longer. */
const MAX_KEY_BYTES = 1_024;

/** The key of a member, unescaped; empty for a very long one. */
export function keyOf(bytes: Buffer, { keyStart, keyEnd }: JsonNode): string {
  if (keyEnd - keyStart > MAX_KEY_BYTES) return '';
  return String(JSON.parse(bytes.toString('utf8', keyStart, keyEnd)));
}

/** The members of an object by key; of a repeated key the last one, as in JSON.parse. */
export function membersByKey(bytes: Buffer, object: JsonNode): ReadonlyMap<string, JsonNode> {
  return isObject(bytes, object)
    ? new Map((object.children ?? []).map((member) => [keyOf(bytes, member), member]))
    : new Map();
}

/** The value at a node. */
export function parseNode(bytes: Buffer, { start, end }: JsonNode): unknown {
  return JSON.parse(bytes.toString('utf8', start, end));
}

export function isObject(bytes: Buffer, { start }: JsonNode): boolean {
  return bytes[start] === 0x7b;
}

export function isArray(bytes: Buffer, { start }: JsonNode): boolean {
  return bytes[start] === 0x5b;
}

export function isString(bytes: Buffer, { start }: JsonNode): boolean {
  return bytes[start] === 0x22;
}

/** Cuts members out of an object. Remaining members keep the white space after them. */
export function removeMembers(object: JsonNode, isRemoved: (member: JsonNode) => boolean): Edit[] {
  const members = object.children ?? [];
  const lastKept = members.findLast((member) => !isRemoved(member));
  return members.flatMap((member, index) => {
    if (!isRemoved(member)) return [];
    const next = members[index + 1];
    const isBehindAll = lastKept === undefined || member.keyStart > lastKept.keyStart;
    if (!isBehindAll) return [{ start: member.keyStart, end: next?.keyStart ?? member.end, by: '' }];
    const previousEnd = members[index - 1]?.end ?? member.keyStart;
    return [{ start: previousEnd, end: member.end, by: '' }];
  });
}

/**
 * The text with its edits, which must not overlap, in pieces: bytes outside the edits are not copied and stay
 * unchanged.
 */
export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, by } of edits.toSorted((left, right) => left.start - right.start)) {
    pieces.push(bytes.subarray(from, start), Buffer.from(by));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return pieces.filter(({ length }) => length > 0);
}

/** A JSON object's text with one more member at its end. `value` is JSON text. */
export function withMember(text: string, key: string, value: string): string {
  const before = text.slice(0, text.lastIndexOf('}')).trimEnd();
  const isEmpty = before.endsWith('{');
  return `${before}${isEmpty ? '' : ','}${JSON.stringify(key)}:${value}${text.slice(before.length)}`;
}
