import { type Permission, PERMISSIONS, type PresetName } from '@factmill/contracts';
import { sameHash, sha256 } from './api-key.ts';

/** The authenticated caller. */
export type Principal = Readonly<{
  tenantId: string;
  /** Null for AUTH=none and for the administrator's key of the environment. */
  keyId: string | null;
  /** The key's name, a fallback for the user (A10). */
  keyName: string | null;
  /** The user of requests that name none. */
  pinnedUserId: string | null;
  /** The pinned user is the only one that the key may reach. */
  isLocked: boolean;
  /** The preset of chats and searches with the key; null: none of its own. */
  preset: PresetName | null;
  permissions: ReadonlySet<Permission>;
  /** When the presented secret ends; null for never. */
  expiresAt: Date | null;
  /** Set when the caller brought a session of the console instead of the key. */
  session?: Readonly<{ expiresAt: Date }>;
}>;

export type StoredKey = Readonly<{
  id: string;
  tenantId: string;
  secretSha256: Buffer;
  name: string;
  permissions: readonly Permission[];
  userId: string | null;
  userLocked: boolean;
  preset: PresetName | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The secret before the last rotation, and until when it works; null without one. */
  previousSha256?: Buffer | null;
  previousUntil?: Date | null;
}>;

/** The caller who has the administrator's key, or is alone on this machine. */
export function operatorOf(tenantId: string): Principal {
  return {
    tenantId,
    keyId: null,
    keyName: null,
    pinnedUserId: null,
    isLocked: false,
    preset: null,
    permissions: new Set(PERMISSIONS),
    expiresAt: null,
  };
}

/** The caller who has this key. */
export function principalOfKey(key: StoredKey): Principal {
  return {
    tenantId: key.tenantId,
    keyId: key.id,
    keyName: key.name,
    pinnedUserId: key.userId,
    isLocked: key.userLocked,
    preset: key.preset,
    permissions: new Set(key.permissions),
    expiresAt: key.expiresAt,
  };
}

/** Whether a secret is that of the key, or the one before its rotation. */
export function fits({ secretSha256, previousSha256 }: StoredKey, presented: Buffer): boolean {
  return sameHash(secretSha256, presented) || (previousSha256 != null && sameHash(previousSha256, presented));
}

/** When a secret of the key ends; null for never. */
export function endOf({ secretSha256, expiresAt, previousUntil }: StoredKey, presented: Buffer): Date | null {
  if (sameHash(secretSha256, presented) || previousUntil == null) return expiresAt;
  return expiresAt !== null && expiresAt < previousUntil ? expiresAt : previousUntil;
}

/** The answer time reveals only the length of the key. Comparing lengths first saves a hash for most requests. */
export function createAdminCheck(adminKey: string | null): (credential: string) => boolean {
  if (adminKey === null) return () => false;
  const adminHash = sha256(adminKey);
  return (credential) => credential.length === adminKey.length && sameHash(sha256(credential), adminHash);
}
