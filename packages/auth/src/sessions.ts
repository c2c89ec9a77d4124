import { AppError, isAppError } from '@factmill/errors';
import { LRUCache } from 'lru-cache';
import { hash, randomBytes } from 'node:crypto';
import { parseApiKey, sameHash, sha256 } from './api-key.ts';
import {
  createAdminCheck,
  endOf,
  operatorOf,
  type Principal,
  principalOfKey,
  type StoredKey,
} from './principal.ts';

/** A session as it is stored: nothing in it opens anything. */
type StoredSession = Readonly<{
  tokenSha256: Buffer;
  /** Null: of the administrator's key of the environment. */
  keyId: string | null;
  /** SHA-256 of the token and the hash of the key's secret: the session ends with that secret. */
  keyProof: Buffer;
  /** When it was last used. */
  seenAt: Date;
  expiresAt: Date;
}>;

/** What a look-up finds: the session, and its key as it is now. */
type FoundSession = Readonly<{ session: StoredSession; key: StoredKey | null }>;

export type SessionsDeps = Readonly<{
  adminKey: string | null;
  defaultTenantId: string;
  find: (tokenSha256: Buffer) => Promise<FoundSession | null>;
  /** Stores when a session was used. What it rejects with is ignored. */
  noteUse: (session: StoredSession, at: Date) => Promise<void>;
  now: () => Date;
}>;

/** Sessions of the console: what a browser has in place of an API key. */
export type Sessions = Readonly<{
  /** A new session for a key that was just checked, to be stored. Null for a credential that is no key of ours. */
  issue: (credential: string | null) => Readonly<{ token: string; session: StoredSession }> | null;
  /**
   * Who has the session. Its permissions are those that the key has now.
   *
   * @throws AppError `session_ended`; `database_unavailable` when it cannot be looked up
   */
  check: (token: string) => Promise<Principal>;
  /** As `check`, for what goes on after its request: it is no use of the session, which may end of idleness meanwhile. */
  assertAlive: (token: string) => Promise<void>;
  /** Drops a session from this process's cache; other processes follow within CACHE_MS. */
  forget: (token: string) => void;
}>;

export const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** A session that is not used for this long ends. */
export const SESSION_IDLE_MS = 3_600_000;
/** How long a looked-up session and its key are believed: after this, a revoked key has ended it everywhere. */
const CACHE_MS = 5_000;
/** How exactly it is stored when a session was last used. */
const USE_NOTED_EVERY_MS = 60_000;
const MAX_SESSIONS = 10_000;
const TOKEN = /^[\w-]{43}$/;

type LookUp = { readonly found: Promise<FoundSession | null>; readonly atMs: number };

/** Checks sessions against the store, with a short cache that also remembers unknown tokens. */
export function createSessions(deps: SessionsDeps): Sessions {
  const lookUps = new LRUCache<string, LookUp>({ max: MAX_SESSIONS });
  const usedAt = new LRUCache<string, Readonly<{ seenMs: number; notedMs: number }>>({ max: MAX_SESSIONS });
  const isAdminKey = createAdminCheck(deps.adminKey);
  const adminSha256 = deps.adminKey === null ? null : sha256(deps.adminKey);

  function lookUp(token: string): Promise<FoundSession | null> {
    const known = lookUps.get(token);
    const atMs = deps.now().getTime();
    if (known !== undefined && atMs - known.atMs < CACHE_MS) return known.found;
    const found = deps.find(sha256(token));
    lookUps.set(token, { found, atMs });
    found.catch(() => lookUps.delete(token));
    return found;
  }

  /** Who has the session by its key; null when that does not open it any more. */
  function holderOf({ session, key }: FoundSession, token: string): Principal | null {
    const isOf = (secretSha256: Buffer | null | undefined) =>
      secretSha256 != null && sameHash(session.keyProof, proofOf(token, secretSha256));
    if (session.keyId === null) return isOf(adminSha256) ? operatorOf(deps.defaultTenantId) : null;
    if (key === null || key.revokedAt !== null) return null;
    const secret = [key.secretSha256, key.previousSha256].find(isOf);
    if (secret == null) return null;
    return { ...principalOfKey(key), expiresAt: endOf(key, secret) };
  }

  async function open(token: string): Promise<Readonly<{ principal: Principal; found: FoundSession }>> {
    const found = TOKEN.test(token) ? await lookUp(token) : null;
    const holder = found === null ? null : holderOf(found, token);
    if (found === null || holder === null) throw ended();
    const { session } = found;
    const untilMs = Math.min(session.expiresAt.getTime(), holder.expiresAt?.getTime() ?? Infinity);
    const seenMs = Math.max(session.seenAt.getTime(), usedAt.get(token)?.seenMs ?? 0);
    if (deps.now().getTime() >= Math.min(untilMs, seenMs + SESSION_IDLE_MS)) throw ended();
    return { principal: { ...holder, session: { expiresAt: new Date(untilMs) } }, found };
  }

  function noteUse(token: string, { session }: FoundSession, nowMs: number): void {
    const notedMs = usedAt.get(token)?.notedMs ?? -Infinity;
    const isDue = nowMs - notedMs >= USE_NOTED_EVERY_MS;
    usedAt.set(token, { seenMs: nowMs, notedMs: isDue ? nowMs : notedMs });
    if (isDue) deps.noteUse(session, new Date(nowMs)).catch(() => usedAt.delete(token));
  }

  return {
    issue(credential) {
      if (credential === null) return null;
      const isAdmin = isAdminKey(credential);
      const presented = isAdmin ? null : parseApiKey(credential);
      const secretSha256 = isAdmin ? adminSha256 : (presented?.secretSha256 ?? null);
      return secretSha256 === null
        ? null
        : issueFor(presented?.id ?? null, secretSha256, deps.now().getTime());
    },
    async check(token) {
      const { principal, found } = await open(token);
      noteUse(token, found, deps.now().getTime());
      return principal;
    },
    async assertAlive(token) {
      await open(token);
    },
    forget(token) {
      lookUps.delete(token);
      usedAt.delete(token);
    },
  };
}

function issueFor(keyId: string | null, secretSha256: Buffer, nowMs: number) {
  const token = randomBytes(32).toString('base64url');
  return {
    token,
    session: {
      tokenSha256: sha256(token),
      keyId,
      keyProof: proofOf(token, secretSha256),
      seenAt: new Date(nowMs),
      expiresAt: new Date(nowMs + SESSION_LIFETIME_MS),
    },
  };
}

/** Says nothing about the key to who has no token, and does not fit another token. */
function proofOf(token: string, secretSha256: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(token), secretSha256]), 'buffer');
}

function ended(): AppError {
  return new AppError('session_ended', 'The session has ended; sign in again.');
}

/** Whether a session, and nothing else, is missing. */
export function isSessionEnded(error: unknown): boolean {
  return isAppError(error) && error.code === 'session_ended';
}
