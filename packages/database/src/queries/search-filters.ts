import type { SearchFilters } from '@factmill/contracts';
import { visible } from './memory-rows.ts';

/**
 * The predicate for a user's memories that a search may return: `$1` tenant, `$2` user, `$first` to
 * `$first + 4` the values of `filterValues`.
 */
export function searchable(alias: string, first: number): string {
  return `${alias}.tenant_id = $1::uuid and ${alias}.user_id = $2::text and ${visible(alias)}
    and ($${first}::text[] is null or ${alias}.kind = any($${first}::text[]))
    and ($${first + 1}::text[] is null or ${alias}.category = any($${first + 1}::text[]))
    and ($${first + 2}::text[] is null or ${alias}.tags @> $${first + 2}::text[])
    and ($${first + 3}::integer[] is null or ${alias}.tier = any($${first + 3}::integer[]))
    and ($${first + 4}::text is null or ${alias}.project = $${first + 4}::text)`;
}

export function filterValues(filters: SearchFilters): readonly unknown[] {
  return [
    filters.kinds ?? null,
    filters.categories ?? null,
    filters.tags ?? null,
    filters.tiers ?? null,
    filters.project ?? null,
  ];
}
