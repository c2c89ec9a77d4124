import { findUserDefaults, type Sql, type UserDefaults } from '@factmill/database';
import { LRUCache } from 'lru-cache';

/** What counts for a user where neither a request, a conversation nor a key says it. Rejects as the database does. */
export type UserDefaultsReader = (
  owner: Readonly<{ tenantId: string; userId: string }>,
) => Promise<UserDefaults>;

/** How long what was read is used: a change arrives within a second, and busy users cost no statement each time. */
const TRUSTED_MS = 1_000;
const MAX_USERS = 10_000;

export function createUserDefaults(deps: Readonly<{ database: Sql; now: () => number }>): UserDefaultsReader {
  const known = new LRUCache<string, Readonly<{ value: Promise<UserDefaults>; untilMs: number }>>({
    max: MAX_USERS,
  });
  return (owner) => {
    const key = `${owner.tenantId} ${owner.userId}`;
    const entry = known.get(key);
    if (entry !== undefined && deps.now() < entry.untilMs) return entry.value;
    const value = findUserDefaults(deps.database, owner);
    known.set(key, { value, untilMs: deps.now() + TRUSTED_MS });
    // The next request asks again.
    value.catch(() => known.delete(key));
    return value;
  };
}
