import type { SearchTarget } from '../queries/search-filters.ts';

/** The vectors of one user, or of the whole tenant. */
export function ownerOf({ userId }: SearchTarget): string {
  return `e.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : 'e.user_id = $2::text'}`;
}
