import { type Permission, PERMISSIONS } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { LRUCache } from 'lru-cache';
import { parseApiKey, sameHash, sha256 } from './api-key.ts';

/** Who is asking. */
export type Principal = Readonly<{
  tenantId: string;
  /** Null for AUTH=none and for the administrator's key of the environment. */
  keyId: string | null;
  /** The key's name, a fallback for the user (A10). */
  keyName: string | null;
  pinnedUserId: string | null;
  permissions: ReadonlySet<Permission>;
}>;

export type StoredKey = Readonly<{
  id: string;
  tenantId: string;
  secretSha256: Buffer;
  name: string;
  permissions: readonly Permission[];
  userId: string | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}>;

export type AuthenticatorDeps = Readonly<{
  mode: 'required' | 'none';
  /** A key from the environment with all permissions in the default tenant; null when not set. */
  adminKey: string | null;
  defaultTenantId: string;
  findKey: (id: string) => Promise<StoredKey | null>;
  now: () => Date;
}>;

export type Authenticator = Readonly<{
  /**
   * @param credential the presented key, or null when there was none
   * @throws AppError `unauthorized`; `database_unavailable` when the key cannot be looked up
   */
  authenticate: (credential: string | null) => Promise<Principal>;
  /** Forgets a key at once on this process; others follow within CACHE_MS. */
  forget: (keyId: string) => void;
}>;

/** How long a looked-up key is believed: the longest a revoked key keeps working on another process. */
const CACHE_MS = 10_000;
const EVERYTHING: ReadonlySet<Permission> = new Set(PERMISSIONS);

type Known = { key: StoredKey; principal: Principal } | { key: null; principal: null };

const UNKNOWN: Known = { key: null, principal: null };

/** Checks keys against the store, with a short cache that also remembers unknown ids. */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const cache = new LRUCache<string, Known>({ max: 10_000, ttl: CACHE_MS });
  const isAdminKey = createAdminCheck(deps.adminKey);
  const everyone: Principal = {
    tenantId: deps.defaultTenantId,
    keyId: null,
    keyName: null,
    pinnedUserId: null,
    permissions: EVERYTHING,
  };

  async function lookUp(id: string): Promise<Known> {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const key = await deps.findKey(id);
    const known = key === null ? UNKNOWN : { key, principal: principalOfKey(key) };
    cache.set(id, known);
    return known;
  }

  return {
    async authenticate(credential) {
      if (credential !== null && isAdminKey(credential)) return everyone;
      const presented = credential === null ? null : parseApiKey(credential);
      if (presented === null) {
        // Without authentication a foreign bearer token is not ours to judge (it may be meant for an upstream).
        if (deps.mode === 'none') return everyone;
        throw new AppError(
          'unauthorized',
          credential === null
            ? 'Send an API key as Authorization: Bearer fm_… or X-API-Key: fm_….'
            : 'This is not a Factmill API key; keys start with fm_.',
        );
      }
      const { key, principal } = await lookUp(presented.id);
      if (key === null || !sameHash(key.secretSha256, presented.secretSha256) || key.revokedAt !== null) {
        throw new AppError('unauthorized', 'The API key is not known or has been revoked.');
      }
      if (key.expiresAt !== null && key.expiresAt <= deps.now()) {
        throw new AppError('unauthorized', 'The API key has expired.');
      }
      return principal;
    },
    forget(keyId) {
      cache.delete(keyId);
    },
  };
}

function principalOfKey(key: StoredKey): Principal {
  return {
    tenantId: key.tenantId,
    keyId: key.id,
    keyName: key.name,
    pinnedUserId: key.userId,
    permissions: new Set(key.permissions),
  };
}

/** Only the length of the key can be told from how long the answer takes; it saves a hash for most requests. */
function createAdminCheck(adminKey: string | null): (credential: string) => boolean {
  if (adminKey === null) return () => false;
  const adminHash = sha256(adminKey);
  return (credential) => credential.length === adminKey.length && sameHash(sha256(credential), adminHash);
}
