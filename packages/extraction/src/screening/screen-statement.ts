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

/** The key of a statement, and the other texts stored with it. */
type Naming = Readonly<{ key?: string | null; others?: readonly (string | null)[] }>;

/**
 * Judges a text that a model made of existing texts (a merged memory, a compressed one, a sentence of a summary) as
 * strictly as an item of a first reply: marks of an attack, and addresses and rights that no source names. Null
 * when it passes.
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

/** A memory that a model wants to save by the tool. */
export type ToolSave = Readonly<{
  key?: string | undefined;
  texts: readonly (string | undefined)[];
  statement: string;
}>;

/**
 * Judges a memory that a model saves by the tool; its source is unknown. Refuses marks of an attack, claims of
 * rights, and addresses that can carry data away. Null when it passes.
 */
export function screenToolSave({ key, texts, statement }: ToolSave): StatementRefusal | null {
  const given = texts.filter((text) => text !== undefined);
  const stated: Stated = {
    raw: [...given, ...(key === undefined ? [] : [key.replaceAll('_', ' ')])],
    statements: [statement],
    key: key === undefined ? null : normaliseKey(plainForm(key)),
    question: null,
  };
  // A keyed value may be a wish: `style: always use tabs`.
  const mark = markOf(stated, { order: key !== undefined });
  if (mark !== null) return mark;
  if (given.some((text) => linksWithBaggage(text))) return 'unsupported_link';
  return claimedPrivilege(stated.key, [plainForm(statement)]) === null ? null : 'unsupported_privilege';
}
