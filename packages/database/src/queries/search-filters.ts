import type { SearchFilters } from '@factmill/contracts';
import { visible } from './memory-rows.ts';

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
  seenFrom?: string | undefined;
  /** The memories as they were known at a moment, and valid at one; without it, as they are. */
  asOf?: Readonly<{ validAt: Date; knownAt: Date }>;
}>;

/** Where a statement finds the memories of a target. */
export type MemorySource = Readonly<{
  /** For `from`: the table, or the memories as they were. */
  relation: string;
  /** The predicate for an alias of the relation. */
  where: (alias: string) => string;
  values: readonly unknown[];
  /** Different for targets whose statements differ; part of a prepared statement's name. */
  variant: string;
}>;

/**
 * The memories of a target that a search may return. Its statement has the tenant in `$1`, the user in `$2` and
 * the source's values from `$first` on.
 */
export function memoriesOf(target: SearchTarget, first: number): MemorySource {
  const { filters, scope, asOf, userId } = target;
  const values: unknown[] = [
    filters.kinds ?? null,
    filters.categories ?? null,
    filters.tags ?? null,
    filters.tiers ?? null,
    filters.project ?? null,
    conversationOf(target),
    target.seenFrom ?? null,
  ];
  const at = (offset: number) => `$${first + offset}`;
  const relation =
    asOf === undefined
      ? 'memories'
      : `memories_as_of($1::uuid, $2::text, ${at(7)}::timestamptz, ${at(8)}::timestamptz)`;
  if (asOf !== undefined) values.push(asOf.validAt, asOf.knownAt);
  return {
    relation,
    values,
    variant: `${userId === null ? '_all' : ''}${scope === 'global' ? '_global' : ''}${asOf === undefined ? '' : '_as_of'}`,
    where: (alias) => `${alias}.tenant_id = $1::uuid
    and ${userId === null ? '$2::text is null' : `${alias}.user_id = $2::text`}
    and ${asOf === undefined ? visible(alias) : 'true'}
    and (${at(0)}::text[] is null or ${alias}.kind = any(${at(0)}::text[]))
    and (${at(1)}::text[] is null or ${alias}.category = any(${at(1)}::text[]))
    and (${at(2)}::text[] is null or ${alias}.tags @> ${at(2)}::text[])
    and (${at(3)}::integer[] is null or ${alias}.tier = any(${at(3)}::integer[]))
    and (${at(4)}::text is null or ${alias}.project = ${at(4)}::text)
    and (${at(5)}::text is null or ${alias}.conversation_id = ${at(5)}::text or ${alias}.extraction_id in (
      select e.id from extractions e where e.tenant_id = $1::uuid and e.conversation_id = ${at(5)}::text))
    and (${at(6)}::text is null or ${alias}.conversation_id in ('', ${at(6)}::text))
    ${scope === 'global' ? `and ${alias}.scope = 'global'` : ''}`,
  };
}

/** A conversation's memories are those kept for it only, and those that were learned in it. */
function conversationOf({ filters, scope }: SearchTarget): string | null {
  if (scope !== undefined && scope !== 'global') return scope.conversationId;
  return filters.conversation_id ?? null;
}
