import { UNKNOWN_USER } from '@factmill/contracts';
import type { Principal } from './authenticator.ts';

export type ResolvedUser = Readonly<{
  /** The user that the request itself names, or null. */
  requested: string | null;
  /** Who it is when neither the request nor an existing conversation says. */
  fallback: string;
}>;

/**
 * Precedence (A10): request > (existing conversation, decided where it is known) > the key's pinned user > the
 * key's name > configured default > `unknown`.
 */
export function resolveUser(
  requested: string | undefined,
  principal: Principal,
  defaultUserId: string,
): ResolvedUser {
  return {
    requested: requested ?? null,
    fallback: principal.pinnedUserId ?? principal.keyName ?? (defaultUserId || UNKNOWN_USER),
  };
}

/** The user of a request that has no conversation. */
export function effectiveUser(resolved: ResolvedUser): string {
  return resolved.requested ?? resolved.fallback;
}
