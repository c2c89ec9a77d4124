import { UNKNOWN_USER } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Principal } from './principal.ts';
import { assertPermission } from './permissions.ts';

export type ResolvedUser = Readonly<{
  /** The user that the request names or its key is locked to; else null. */
  requested: string | null;
  /** The user when neither the request nor an existing conversation names one. */
  fallback: string;
}>;

/**
 * Precedence (A10): request > existing conversation (decided by the code that reads it) > the key's pinned user >
 * the key's name > configured default > `unknown`. A locked key always means its own user.
 *
 * @throws AppError `user_locked` when the request names another user than the key is locked to
 */
export function resolveUser(
  requested: string | undefined,
  principal: Principal,
  defaultUserId: string,
): ResolvedUser {
  return {
    requested: ownerOf(requested, principal),
    fallback: principal.pinnedUserId ?? principal.keyName ?? (defaultUserId || UNKNOWN_USER),
  };
}

/** The user of a request that has no conversation. */
export function effectiveUser(resolved: ResolvedUser): string {
  return resolved.requested ?? resolved.fallback;
}

/**
 * The owner that a resource must have when a request names it by id: the user that the request names or its key is
 * locked to; null for any user of the tenant.
 *
 * @throws AppError `user_locked`, as `resolveUser`
 */
export function ownerOf(requested: string | undefined, principal: Principal): string | null {
  const { isLocked, pinnedUserId } = principal;
  if (!isLocked) return requested ?? null;
  if (requested !== undefined && requested !== pinnedUserId) throw userLocked();
  return pinnedUserId;
}

/**
 * The user whose entries a list shows. Null means all users of the tenant: the request says `all_users`, or names
 * no user and its key has none.
 *
 * @throws AppError `forbidden` without `memory.read_all`; `user_locked`
 */
export function userOrAll(
  asked: Readonly<{ user_id?: string | undefined; all_users?: boolean | undefined }>,
  principal: Principal,
): string | null {
  const named = ownerOf(asked.user_id, principal);
  if (asked.all_users !== true) {
    const user = named ?? principal.pinnedUserId;
    if (user !== null) return user;
  }
  assertAllUsers(principal);
  return asked.user_id ?? null;
}

/** @throws AppError `user_locked`, or `forbidden` naming `memory.read_all` */
export function assertAllUsers(principal: Principal): void {
  if (principal.isLocked) throw userLocked();
  assertPermission(principal, 'memory.read_all');
}

function userLocked(): AppError {
  return new AppError(
    'user_locked',
    'This API key is locked to one user; leave user_id out, or use a key that is not locked.',
  );
}
