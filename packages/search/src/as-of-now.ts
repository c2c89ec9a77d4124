import type { Sql } from '@factmill/database';
import type { SearchTarget } from './target.ts';

type Moment = NonNullable<SearchTarget['asOf']>;

/** Until when turns count for what was known and valid at a moment. */
export function earlier({ validAt, knownAt }: Moment): Date {
  return validAt < knownAt ? validAt : knownAt;
}

/**
 * A target as of a moment as one of now: that finds the same as long as `isAsNow`, in a fraction of the time. Null for
 * targets of now, and of all users.
 */
export function toPresent({
  asOf,
  ...target
}: Omit<SearchTarget, 'scope'>): Omit<SearchTarget, 'scope'> | null {
  if (asOf === undefined || target.userId === null) return null;
  return { ...target, begunBy: asOf.validAt, saidBy: earlier(asOf) };
}

/**
 * Whether a user's memories still are as they were known and valid at a moment, but for those that begin to hold later:
 * none has been written since it was known (memory_versions_user_idx), and none has ended since it was valid, or says
 * when it will (memories_ended_idx).
 */
export async function isAsNow(
  sql: Sql,
  { tenantId, userId, asOf }: Pick<SearchTarget, 'tenantId' | 'userId' | 'asOf'>,
): Promise<boolean> {
  if (asOf === undefined) return false;
  const { same } = await sql.one<{ same: boolean }>(
    `select not exists (
       select from memory_versions v
       where v.tenant_id = $1::uuid and v.user_id = $2::text and v.created_at > $3::timestamptz
     ) and not exists (
       select from memories m
       where m.tenant_id = $1::uuid and m.user_id = $2::text and least(m.valid_to, m.expires_at) > $4::timestamptz
         and (m.valid_to is not null or m.expires_at <= now())
     ) as same`,
    [tenantId, userId, asOf.knownAt, asOf.validAt],
    { name: 'is_as_now' },
  );
  return same;
}
