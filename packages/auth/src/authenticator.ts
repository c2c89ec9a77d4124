import { type Permission, PERMISSIONS, type PresetName } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { parseApiKey, sameHash, sha256 } from './api-key.ts';

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
}>;

export type AuthenticatorDeps = Readonly<{
  mode: 'required' | 'none';
  /** A key from the environment with all permissions, `operator` too, in the default tenant; null when not set. */
  adminKey: string | null;
  /** Whether the service listens on this machine only. Without authentication every caller is then an operator. */
  isLoopback: boolean;
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
  /** Drops a key from this process's cache at once; other processes follow within CACHE_MS. */
  forget: (keyId: string) => void;
}>;

/** How long a looked-up key stays cached. A revoked key keeps working on another process for at most this long. */
const CACHE_MS = 10_000;
/** How long a cached key stays valid while the store cannot be read, so that chats outlive an outage. */
const OUTAGE_CACHE_MS = 10 * 60_000;
/**
 * While a key is still cached, a request waits for a new look-up at most this long; a later request sees the
 * result.
 */
const PATIENCE_MS = 100;
const EVERYTHING: ReadonlySet<Permission> = new Set(PERMISSIONS);
const OF_A_TENANT: ReadonlySet<Permission> = new Set(PERMISSIONS.filter((name) => name !== 'operator'));

type Known = { key: StoredKey; principal: Principal } | { key: null; principal: null };
type Checked = Readonly<{ known: Known; atMs: number }>;
type LookUp = Readonly<{ known: Promise<Known>; takesLong: Promise<'takes long'> }>;

const UNKNOWN: Known = { key: null, principal: null };

/**
 * Checks keys against the store. A short cache also remembers unknown ids. While the store does not answer, keys
 * that were valid a few minutes ago stay valid.
 */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const cache = new LRUCache<string, Checked>({ max: 10_000 });
  const lookUps = new Map<string, LookUp>();
  const isAdminKey = createAdminCheck(deps.adminKey);
  const operator: Principal = {
    tenantId: deps.defaultTenantId,
    keyId: null,
    keyName: null,
    pinnedUserId: null,
    isLocked: false,
    preset: null,
    permissions: EVERYTHING,
  };
  const everyone = deps.isLoopback ? operator : { ...operator, permissions: OF_A_TENANT };

  async function knownOf(id: string): Promise<Known> {
    const checked = cache.get(id);
    const ageMs = checked === undefined ? Infinity : deps.now().getTime() - checked.atMs;
    if (checked !== undefined && ageMs < CACHE_MS) return checked.known;
    const lookUp = lookUps.get(id) ?? startLookUp(id);
    if (checked === undefined || checked.known.key === null || ageMs >= OUTAGE_CACHE_MS) return lookUp.known;
    try {
      const known = await Promise.race([lookUp.known, lookUp.takesLong]);
      return known === 'takes long' ? checked.known : known;
    } catch (error) {
      if (error instanceof AppError && error.code === 'database_unavailable') return checked.known;
      throw error;
    }
  }

  /** Starts one look-up per id; all requests for that id share it. */
  function startLookUp(id: string): LookUp {
    const known = find(id).finally(() => lookUps.delete(id));
    const lookUp = { known, takesLong: delay(PATIENCE_MS, 'takes long' as const, { ref: false }) };
    lookUps.set(id, lookUp);
    return lookUp;
  }

  async function find(id: string): Promise<Known> {
    const key = await deps.findKey(id);
    const known = key === null ? UNKNOWN : { key, principal: principalOfKey(key) };
    cache.set(id, { known, atMs: deps.now().getTime() });
    return known;
  }

  return {
    async authenticate(credential) {
      if (credential !== null && isAdminKey(credential)) return operator;
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
      const { key, principal } = await knownOf(presented.id);
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
      // A look-up under way may have read the key before the change.
      lookUps.delete(keyId);
    },
  };
}

function principalOfKey(key: StoredKey): Principal {
  return {
    tenantId: key.tenantId,
    keyId: key.id,
    keyName: key.name,
    pinnedUserId: key.userId,
    isLocked: key.userLocked,
    preset: key.preset,
    permissions: new Set(key.permissions),
  };
}

/** The answer time reveals only the length of the key. Comparing lengths first saves a hash for most requests. */
function createAdminCheck(adminKey: string | null): (credential: string) => boolean {
  if (adminKey === null) return () => false;
  const adminHash = sha256(adminKey);
  return (credential) => credential.length === adminKey.length && sameHash(sha256(credential), adminHash);
}
