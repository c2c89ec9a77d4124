import type { AuthenticationGuard } from '@factmill/auth';
import { AppError, isAppError } from '@factmill/errors';
import { LRUCache } from 'lru-cache';
import { isIPv6 } from 'node:net';
import { createFairQueue } from './fair-queue.ts';
import { createTenantActivity } from './tenant-activity.ts';
import type { CountLimited } from './limit-metrics.ts';

export type GuardDeps = Readonly<{
  /** Failures of one address, or for one key, that are answered with 401; 0: all. */
  maxFailures: number;
  count: CountLimited;
  now: () => number;
}>;

const WINDOW_MS = 60_000;
/** Addresses and keys whose failures are counted at once; beyond that the ones seen longest ago are forgotten. */
const MAX_COUNTED = 20_000;
const KEY_ID = /^fm_([0-9a-f]{16})_/;

/**
 * Limits failed authentication for each address and each key id, in this process. Over the limit the answer is 429,
 * and keys are looked up one after the other, so that guessing takes at most one connection of the database. Keys that
 * are good pass from any address at any time: they may share it with a stranger, behind a proxy for example.
 */
export function createAuthenticationGuard(deps: GuardDeps): AuthenticationGuard {
  const failures = new LRUCache<string, number>({
    max: MAX_COUNTED,
    ttl: WINDOW_MS,
    // The window begins with the first failure.
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: { now: deps.now },
  });
  const lookUps = createFairQueue({
    slots: 1,
    share: 1,
    activity: createTenantActivity(0, deps.now),
    maxWaiting: 1_000,
    maxWaitMs: 5_000,
  });

  return async ({ address, credential }, check) => {
    if (deps.maxFailures === 0 || credential === null) return check();
    const from = `address ${networkOf(address)}`;
    const keyId = KEY_ID.exec(credential)?.[1];
    const counted = keyId === undefined ? [from] : [from, `key ${keyId}`];
    const isOver = counted.some((name) => (failures.get(name) ?? 0) >= deps.maxFailures);
    const release = isOver ? await lookUps.acquire(from) : null;
    try {
      return await check();
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'unauthorized') throw error;
      for (const name of counted) failures.set(name, (failures.get(name) ?? 0) + 1);
      if (!isOver) throw error;
      deps.count('auth', 'none');
      const waitMs = Math.max(...counted.map((name) => failures.getRemainingTTL(name)));
      throw new AppError('rate_limited', 'Too many requests with a wrong API key; correct the key first.', {
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
      });
    } finally {
      release?.();
    }
  };
}

/** An IPv4 address, or the /64 of an IPv6 address: whoever has one of these has all of it. */
export function networkOf(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/s, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return [...groups, ...(tail === undefined ? [] : zeros), ...rest].slice(0, 4).join(':');
}
