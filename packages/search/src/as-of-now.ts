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
 * Whether a user's memories are now as they were known and valid at a moment, but for those that begin to hold after it:
 * none has been written since it was known (memory_versions_user_idx), and none has ended since it was valid, or says
 * when it will (memories_ended_idx). Until a moment that is still to come, none begins (memories_valid_idx) or expires.
 */
export async function isAsNow(
  sql: Sql,
  { tenantId, userId, asOf }: Pick<SearchTarget, 'tenantId' | 'userId' | 'asOf'>,
): Promise<boolean> {
  if (asOf === undefined) return false;
  const { same } = await sql.one<{ same: boolean }>(
    `select coalesce((
       select v.created_at <= $3::timestamptz from memory_versions v
       where v.tenant_id = $1::uuid and v.user_id = $2::text
       order by v.created_at desc limit 1
     ), true) and not exists (
       select from (${endingAfter('$4::timestamptz')}) as m where m.valid_to is not null or m.expires_at <= now()
     ) and ($4::timestamptz <= now() or coalesce((
       select m.valid_from > $4::timestamptz from memories m
       where m.tenant_id = $1::uuid and m.user_id = $2::text and m.is_current and m.valid_from > now()
       order by m.valid_from limit 1
     ), true) and not exists (
       select from (${endingAfter('now()')}) as m where m.valid_to is null and m.expires_at <= $4::timestamptz
     )) as same`,
    [tenantId, userId, asOf.knownAt, asOf.validAt],
    { name: 'is_as_now' },
  );
  return same;
}

/**
 * The user's memories that end after a moment, or did. In order, as the index has them: without it a plan for any user
 * expects to meet one soon, and reads the whole table.
 */
const endingAfter = (moment: string) => `
  select m.valid_to, m.expires_at from memories m
  where m.tenant_id = $1::uuid and m.user_id = $2::text and least(m.valid_to, m.expires_at) > ${moment}
  order by least(m.valid_to, m.expires_at) offset 0`;
