import { PERMISSIONS } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { parseApiKey } from './api-key.ts';
import {
  createAdminCheck,
  endOf,
  fits,
  operatorOf,
  type Principal,
  principalOfKey,
  type StoredKey,
} from './principal.ts';

export type AuthenticatorDeps = Readonly<{
  mode: 'required' | 'none';
  /** A key from the environment with all permissions, `operator` too, in the default tenant; null when not set. */
  adminKey: string | null;
  /** Whether the service listens on this machine only. Without authentication every caller is then an operator. */
  isLoopback: boolean;
  defaultTenantId: string;
  findKey: (id: string) => Promise<StoredKey | null>;
  /** Stores that a key was used; at most once a minute for each key. What it rejects with is ignored. */
  noteUse: (key: Pick<StoredKey, 'id' | 'tenantId'>) => Promise<void>;
  now: () => Date;
}>;

export type Authenticator = Readonly<{
  /**
   * @param credential the presented key, or null when there was none
   * @throws AppError `unauthorized`; `database_unavailable` when the key cannot be looked up
   */
  authenticate: (credential: string | null) => Promise<Principal>;
  /** The same by the key as it is stored now, for what outlives the request. */
  authenticateNow: (credential: string | null) => Promise<Principal>;
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
/** How exactly it is known when a key was last used. */
const USE_NOTED_EVERY_MS = 60_000;
const MAX_KEYS = 10_000;
const OF_A_TENANT = new Set(PERMISSIONS.filter((name) => name !== 'operator'));

type Known = { key: StoredKey; principal: Principal } | { key: null; principal: null };
type Checked = Readonly<{ known: Known; atMs: number }>;
type LookUp = Readonly<{ known: Promise<Known>; takesLong: Promise<'takes long'> }>;

const UNKNOWN: Known = { key: null, principal: null };

/**
 * Checks keys against the store. A short cache also remembers unknown ids. While the store does not answer, keys
 * that were valid a few minutes ago stay valid.
 */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const cache = new LRUCache<string, Checked>({ max: MAX_KEYS });
  const notedAt = new LRUCache<string, number>({ max: MAX_KEYS });
  const lookUps = new Map<string, LookUp>();
  const isAdminKey = createAdminCheck(deps.adminKey);
  const operator = operatorOf(deps.defaultTenantId);
  const everyone = deps.isLoopback ? operator : { ...operator, permissions: OF_A_TENANT };

  async function knownOf(id: string): Promise<Known> {
    const checked = cache.get(id);
    const ageMs = checked === undefined ? Infinity : deps.now().getTime() - checked.atMs;
    if (checked !== undefined && ageMs < CACHE_MS) return checked.known;
    const lookUp = lookUps.get(id) ?? startLookUp(id);
    if (checked === undefined || checked.known.key === null || ageMs >= OUTAGE_CACHE_MS) return lookUp.known;
    return soonOr(checked.known, lookUp);
  }

  /** What a look-up finds, or what is known while the store does not answer. */
  async function soonOr(known: Known, lookUp: LookUp): Promise<Known> {
    try {
      const found = await Promise.race([lookUp.known, lookUp.takesLong]);
      return found === 'takes long' ? known : found;
    } catch (error) {
      if (error instanceof AppError && error.code === 'database_unavailable') return known;
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

  /** The key as it is stored now, unless it has just been looked up. */
  async function renewed(id: string, known: Known): Promise<Known> {
    const isFresh = cache.get(id)?.atMs === deps.now().getTime();
    return isFresh ? known : soonOr(known, lookUps.get(id) ?? startLookUp(id));
  }

  function noteUse(key: StoredKey): void {
    const now = deps.now().getTime();
    if (now - (notedAt.get(key.id) ?? -Infinity) < USE_NOTED_EVERY_MS) return;
    notedAt.set(key.id, now);
    deps.noteUse(key).catch(() => notedAt.delete(key.id));
  }

  async function authenticate(credential: string | null): Promise<Principal> {
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
    const { secretSha256 } = presented;
    const cached = await knownOf(presented.id);
    // It may have been rotated since it was cached.
    const known =
      cached.key === null || fits(cached.key, secretSha256) ? cached : await renewed(presented.id, cached);
    const { key, principal } = known;
    if (key === null || key.revokedAt !== null || !fits(key, secretSha256)) {
      throw new AppError('unauthorized', 'The API key is not known or has been revoked.');
    }
    const until = endOf(key, secretSha256);
    if (until !== null && until <= deps.now()) {
      throw new AppError('unauthorized', 'The API key has expired.');
    }
    noteUse(key);
    return until === principal.expiresAt ? principal : { ...principal, expiresAt: until };
  }

  return {
    authenticate,
    async authenticateNow(credential) {
      const presented = credential === null || isAdminKey(credential) ? null : parseApiKey(credential);
      if (presented !== null) await find(presented.id);
      return authenticate(credential);
    },
    forget(keyId) {
      cache.delete(keyId);
      // A look-up under way may have read the key before the change.
      lookUps.delete(keyId);
    },
  };
}
