import type { SearchFilters } from '@factmill/contracts';
import {
  type ChatTurn,
  memoriesAsOf,
  memoryAsOf,
  restsBeside,
  toTurnValue,
  visible,
} from '@factmill/database';

/** Where a search looks: the memories of a conversation, or those that belong to no conversation. */
export type SearchScope = Readonly<{ conversationId: string }> | 'global';

/** Whose memories are searched, which of them, and as of when. */
export type SearchTarget = Readonly<{
  tenantId: string;
  /** Null searches all users of the tenant; the caller has checked the permission. */
  userId: string | null;
  filters: SearchFilters;
  /** Without one, everything of the user. */
  scope?: SearchScope;
  /** Leaves out what is kept for other conversations than this; empty: for any. */
  visibleToConversation?: string | undefined;
  /** Leaves out what rests on this turn alone. */
  besidesTurn?: ChatTurn | undefined;
  /** The memories as they were known at a moment, and valid at one; without it, as they are. */
  asOf?: Readonly<{ validAt: Date; knownAt: Date }>;
  /** Leaves out memories that begin to hold later. */
  begunBy?: Date;
  /** Leaves out turns that were said later. */
  saidBy?: Date;
}>;

/** Where a statement finds the memories of a target. */
export type MemorySource = Readonly<{
  /** For `from`: the table, or the memories as they were. */
  relation: string;
  /**
   * For `from` or a lateral join: the memory with an id, whether or not it may be returned. Read by its id alone
   * (memories_pkey): with the filters beside it, a planner without statistics reads all memories of the user instead.
   */
  byId: (id: string) => string;
  /** The predicate for an alias of the relation. */
  where: (alias: string) => string;
  values: readonly unknown[];
  /** Whether more is asked of a memory than that it is visible and whose it is. */
  isFiltered: boolean;
  /** Different for targets whose statements differ; part of a prepared statement's name, of which 63 characters count. */
  variant: string;
}>;

/**
 * A condition on the memories of a target: in SQL, with its value's place in the statement, and by facets of an index,
 * of which a memory has at least one of each group.
 */
type Condition = Readonly<{
  letter: string;
  value: unknown;
  sql: (alias: string, place: string) => string;
  facets: readonly (readonly string[])[];
}>;

/** What the memories of a target have, by the facets of an index: at least one of each group. */
export function facetsAsked(target: SearchTarget): (readonly string[])[] {
  const conditions = conditionsOf(target).filter(({ value }) => value !== undefined);
  return [
    ...(target.scope === 'global' ? [['scope:global']] : []),
    ...conditions.flatMap(({ facets }) => facets),
  ];
}

/**
 * The memories of a target that a search may return. The statement has the tenant in `$1`, the user in `$2` and the
 * values of the source from `$first` on. It has only the conditions that the target asks for: each is checked for
 * thousands of memories.
 *
 * @param anyUser plan the statement without regard to who the user is: a prepared one then keeps its plan
 */
export function memoriesOf(
  target: SearchTarget,
  first: number,
  { anyUser = false }: Readonly<{ anyUser?: boolean }> = {},
): MemorySource {
  const { scope, asOf, userId } = target;
  const conditions = conditionsOf(target).filter(({ value }) => value !== undefined);
  const moments = asOf === undefined ? [] : [asOf.validAt, asOf.knownAt];
  const at = (offset: number) => `$${first + offset}`;
  const moment = {
    validAt: `${at(conditions.length)}::timestamptz`,
    knownAt: `${at(conditions.length + 1)}::timestamptz`,
  };
  const isGlobal = scope === 'global';
  return {
    relation: asOf === undefined ? 'memories' : memoriesAsOf(userId, moment),
    byId: (id) =>
      asOf === undefined
        ? `(select * from memories where id = ${id} and tenant_id = $1::uuid offset 0)`
        : memoryAsOf(id, moment),
    values: [...conditions.map(({ value }) => value), ...moments],
    isFiltered: isGlobal || conditions.length > 0,
    variant: `_${userId === null ? 'A' : ''}${isGlobal ? 'G' : ''}${asOf === undefined ? '' : 'T'}${conditions.map(({ letter }) => letter).join('')}`,
    where: (alias) =>
      [
        `${alias}.tenant_id = $1::uuid`,
        whose(userId, alias, anyUser),
        ...(asOf === undefined ? [visible(alias)] : []),
        ...(isGlobal ? [`${alias}.scope = 'global'`] : []),
        ...conditions.map(({ sql }, index) => sql(alias, at(index))),
      ].join('\n    and '),
  };
}

/**
 * For `from`: the current memories of `$1` that have one of the keys of words (memories_words_idx).
 *
 * @param keys SQL: an array of what `search_key` makes of a word
 */
export const memoriesWithKeys = ({ byId }: MemorySource, keys: string) => `(
    select m.* from memories_with_keys($1::uuid, ${keys}) as found (id) cross join lateral ${byId('found.id')} as m)`;

function whose(userId: string | null, alias: string, anyUser: boolean): string {
  if (userId === null) return '$2::text is null';
  return `${alias}.user_id = ${anyUser ? '(select $2::text)' : '$2::text'}`;
}

function conditionsOf(target: SearchTarget): Condition[] {
  const { kinds, categories, tags, tiers, project } = target.filters;
  const { visibleToConversation, besidesTurn } = target;
  const conversation = conversationOf(target);
  const anyOf = (name: string, values: readonly (string | number)[] = []) => [
    values.map((value) => `${name}:${value}`),
  ];
  return [
    {
      letter: 'k',
      value: kinds,
      sql: (m, at) => `${m}.kind = any(${at}::text[])`,
      facets: anyOf('kind', kinds),
    },
    {
      letter: 'c',
      value: categories,
      sql: (m, at) => `${m}.category = any(${at}::text[])`,
      facets: anyOf('category', categories),
    },
    {
      letter: 'g',
      value: tags,
      sql: (m, at) => `${m}.tags @> ${at}::text[]`,
      facets: (tags ?? []).map((tag) => [`tag:${tag}`]),
    },
    {
      letter: 't',
      value: tiers,
      sql: (m, at) => `${m}.tier = any(${at}::integer[])`,
      facets: anyOf('tier', tiers),
    },
    {
      letter: 'p',
      value: project,
      sql: (m, at) => `${m}.project = ${at}::text`,
      facets: [[`project:${project}`]],
    },
    {
      letter: 'v',
      value: conversation,
      sql: (m, at) => `(${m}.conversation_id = ${at}::text or ${m}.extraction_id in (
      select e.id from extractions e where e.tenant_id = $1::uuid and e.conversation_id = ${at}::text))`,
      facets: [[`of:${conversation}`, `learned in:${conversation}`]],
    },
    {
      letter: 's',
      value: visibleToConversation,
      sql: (m, at) => `${m}.conversation_id in ('', ${at}::text)`,
      facets: [['of:', `of:${visibleToConversation}`]],
    },
    {
      letter: 'o',
      value: toTurnValue(besidesTurn) ?? undefined,
      sql: restsBeside,
      facets: [],
    },
    {
      letter: 'b',
      value: target.begunBy,
      sql: (m, at) => `${m}.valid_from <= ${at}::timestamptz`,
      facets: [],
    },
  ];
}

/** A conversation's memories are those kept for it only, and those that were learned in it. */
function conversationOf({ filters, scope }: SearchTarget): string | undefined {
  if (scope !== undefined && scope !== 'global') return scope.conversationId;
  return filters.conversation_id;
}
