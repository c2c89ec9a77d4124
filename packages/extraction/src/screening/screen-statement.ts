import { normaliseKey } from '../content-hash.ts';
import { linkedHosts, linksWithBaggage, namedHosts } from './links.ts';
import { type Allowed, type Mark, markOf, MARKS, type Stated } from './marks.ts';
import { plainForm } from './plain-form.ts';
import { claimedPrivilege } from './privileges.ts';

export type StatementRefusal = Mark | 'unsupported_link' | 'unsupported_privilege';
export const STATEMENT_REFUSALS: readonly StatementRefusal[] = [
  ...MARKS,
  'unsupported_link',
  'unsupported_privilege',
];

/** What a statement is kept under, and texts that are kept beside it. */
type Naming = Readonly<{ key?: string | null; others?: readonly (string | null)[] }>;

/**
 * Judges a text that a model made of texts that are there already (a merged memory, a compressed one, a sentence of a
 * summary) as strictly as an item of a first reply: the marks of an attack, and addresses and rights that none of the
 * sources names. Null when there is nothing against it.
 */
export function screenStatement(
  text: string,
  sources: readonly string[],
  { key = null, others = [], ...allowed }: Allowed & Naming = {},
): StatementRefusal | null {
  const raw = [
    text,
    ...others.filter((other) => other !== null),
    ...(key === null ? [] : [key.replaceAll('_', ' ')]),
  ];
  const mark = markOf(
    { raw, statements: [text], key: key === null ? null : normaliseKey(key), question: null },
    allowed,
  );
  if (mark !== null) return mark;
  const links = linkedHosts(raw.join('\n'));
  if (links.size > 0) {
    const named = namedHosts(sources.join('\n'));
    if ([...links].some((host) => !named.has(host))) return 'unsupported_link';
  }
  const claims = (one: string, by: string | null = null): boolean =>
    claimedPrivilege(by, [plainForm(one)]) !== null;
  return claims(text, key) && !sources.some((source) => claims(source)) ? 'unsupported_privilege' : null;
}

/** What a model asks a tool to save. */
export type ToolSave = Readonly<{
  key?: string | undefined;
  texts: readonly (string | undefined)[];
  statement: string;
}>;

/**
 * Judges what a model saves by a tool, of which nobody knows where it has it from: the marks of an attack, rights, and
 * addresses that can carry something away. Null when there is nothing against it.
 */
export function screenToolSave({ key, texts, statement }: ToolSave): StatementRefusal | null {
  const given = texts.filter((text) => text !== undefined);
  const stated: Stated = {
    raw: [...given, ...(key === undefined ? [] : [key.replaceAll('_', ' ')])],
    statements: [statement],
    key: key === undefined ? null : normaliseKey(plainForm(key)),
    question: null,
  };
  // What is kept under a key may be a wish: `style: always use tabs`.
  const mark = markOf(stated, { order: key !== undefined });
  if (mark !== null) return mark;
  if (given.some((text) => linksWithBaggage(text))) return 'unsupported_link';
  return claimedPrivilege(stated.key, [plainForm(statement)]) === null ? null : 'unsupported_privilege';
}
