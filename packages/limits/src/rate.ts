import type { RedisClient } from '@factmill/redis';
import { LRUCache } from 'lru-cache';
import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';

/** Points a second, and how many seconds' worth may come at once on top of that in `BURST_WINDOW_S`. */
export type Rate = Readonly<{ perSecond: number; burstSeconds: number }>;

/** Whose rate it is. `id` is an id of a key or of a tenant. */
export type RateOwner = Readonly<{ of: 'key' | 'tenant'; id: string }>;

export type Verdict = Readonly<{ isAllowed: boolean; remaining: number; resetMs: number }>;

export type Rates = Readonly<{
  /** Takes points, or says when there will be some again. Never rejects. */
  take: (owner: RateOwner, rate: Rate, points: number) => Promise<Verdict>;
}>;

const BURST_WINDOW_S = 60;
const WINDOW_MS = 1_000;
/** A process fetches up to this share of a second's points at once. */
const MAX_HANDFUL = 1 / 20;
/** A handful is so much of what was taken in the window before, so that little of it is left over. */
const HANDFUL = 1 / 10;
/** Owners whose handfuls are kept; one that is forgotten fetches its next points one request at a time. */
const MAX_OWNERS = 10_000;

type Hand = { left: number; taken: number; takenBefore: number; until: number; verdict: Verdict };
type Limiter = Pick<BurstyRateLimiter, 'consume'>;

/**
 * Rates that all processes share over Redis; without it, or while it does not answer, each process counts for itself.
 * Busy owners fetch their points by the handful, so that most requests do not wait for Redis. Points of a handful that
 * are left at the end of its second are lost, never used later: the rate is not exceeded.
 */
export function createRates(
  deps: Readonly<{ redis: RedisClient | null; keyPrefix: string; now: () => number }>,
): Rates {
  const { now } = deps;
  const limiters = new Map<string, Limiter>();
  const hands = new LRUCache<string, Hand>({ max: MAX_OWNERS });

  function limiterOf(of: RateOwner['of'], rate: Rate): Limiter {
    const { perSecond, burstSeconds } = rate;
    const name = `${of}:${perSecond}:${burstSeconds}`;
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const steady = createLimiter(deps, `${name}:rate`, perSecond, WINDOW_MS / 1_000);
    const burst = createLimiter(deps, `${name}:burst`, perSecond * burstSeconds, BURST_WINDOW_S);
    const limiter = burstSeconds === 0 ? steady : new BurstyRateLimiter(steady, burst);
    limiters.set(name, limiter);
    return limiter;
  }

  function handOf(key: string): Hand {
    const at = now();
    const hand = hands.get(key);
    if (hand !== undefined && at < hand.until) return hand;
    const isNext = hand !== undefined && at < hand.until + WINDOW_MS;
    const fresh: Hand = {
      left: 0,
      taken: 0,
      takenBefore: isNext ? hand.taken : 0,
      until: at + WINDOW_MS,
      verdict: { isAllowed: true, remaining: 0, resetMs: WINDOW_MS },
    };
    hands.set(key, fresh);
    return fresh;
  }

  return {
    async take(owner, rate, wanted) {
      // One request may cost more than a second's points where the rate is very low.
      const points = Math.min(wanted, rate.perSecond);
      const hand = handOf(`${owner.of} ${owner.id}`);
      if (hand.left >= points) {
        hand.left -= points;
        hand.taken += points;
        const { remaining, resetMs } = hand.verdict;
        return { isAllowed: true, remaining: remaining + hand.left, resetMs };
      }
      const busy = Math.max(hand.taken, hand.takenBefore);
      const handful = Math.floor(Math.min(busy * HANDFUL, rate.perSecond * MAX_HANDFUL));
      const fetched = Math.max(points, handful);
      const verdict = await consume(limiterOf(owner.of, rate), owner.id, fetched);
      if (!verdict.isAllowed) return verdict;
      hand.left += fetched - points;
      hand.taken += points;
      hand.verdict = verdict;
      return { ...verdict, remaining: verdict.remaining + hand.left };
    },
  };
}

async function consume(limiter: Limiter, id: string, points: number): Promise<Verdict> {
  try {
    return toVerdict(await limiter.consume(id, points), true);
  } catch (thrown) {
    // Anything else is a fault of the limiter, and no reason to refuse a request.
    if (!(thrown instanceof RateLimiterRes)) return { isAllowed: true, remaining: 0, resetMs: WINDOW_MS };
    return toVerdict(thrown, false);
  }
}

function toVerdict({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean): Verdict {
  return { isAllowed, remaining: Math.max(0, remainingPoints), resetMs: Math.max(0, msBeforeNext) };
}

function createLimiter(
  { redis, keyPrefix }: Readonly<{ redis: RedisClient | null; keyPrefix: string }>,
  name: string,
  points: number,
  duration: number,
) {
  const options = { points, duration, keyPrefix: `${keyPrefix}:limit:${name}` };
  const inProcess = new RateLimiterMemory(options);
  if (redis === null) return inProcess;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: inProcess,
  });
}
