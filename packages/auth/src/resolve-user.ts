import { UNKNOWN_USER } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Principal } from './authenticator.ts';
import { assertPermission } from './permissions.ts';

export type ResolvedUser = Readonly<{
  /** The user that the request itself names, or that its key is locked to; else null. */
  requested: string | null;
  /** Who it is when neither the request nor an existing conversation says. */
  fallback: string;
}>;

/**
 * Precedence (A10): request > (existing conversation, decided where it is known) > the key's pinned user > the
 * key's name > configured default > `unknown`. A locked key answers for its own user, whatever else is there.
 *
 * @throws AppError `user_locked` when the key is locked to another user than the request names
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
 * Whose the thing has to be that a request names by its id: the user it names, or that its key is locked to; null for
 * any user of the tenant.
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
 * The user whose entries a list has; null for all of the tenant, which is asked for by `all_users`, or by naming no
 * user with a key that has none.
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
