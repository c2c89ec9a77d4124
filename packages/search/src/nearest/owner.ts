import { toHalfvec } from '@factmill/database';
import type { SearchTarget } from '../target.ts';
import type { VectorSearch } from './search-by-vector.ts';

/** The vectors of one user, or of the whole tenant. */
export function ownerOf({ userId }: SearchTarget): string {
  return `e.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : 'e.user_id = $2::text'}`;
}

/** What is in `$1` to `$6` of a statement that compares. */
export function valuesOf(search: VectorSearch): unknown[] {
  const { tenantId, userId, model, vector, minSimilarity, limit } = search;
  return [tenantId, userId, model, toHalfvec(vector), minSimilarity, limit];
}
