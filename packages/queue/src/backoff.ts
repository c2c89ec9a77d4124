/** How long to wait between attempts. */
export type RetryPolicy =
  | Readonly<{ kind: 'fixed'; intervalMs: number }>
  | Readonly<{ kind: 'exponential'; baseMs: number; capMs: number }>;

export type RetryDelayInput = Readonly<{
  /** 1 after the first failed attempt. */
  attempt: number;
  policy: RetryPolicy;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The provider's Retry-After. */
  retryAfterSeconds?: number | undefined;
}>;

/** The longest Retry-After that is obeyed: a provider's mistake must not park work for days. */
const RETRY_AFTER_CAP_MS = 3_600_000;

/** 2^30 × any base is beyond any cap; a larger exponent only risks Infinity. */
const MAX_EXPONENT = 30;

/**
 * Milliseconds until the next attempt, a whole number.
 *
 * - fixed: the interval.
 * - exponential: between half and all of min(cap, base × 2^(attempt−1)). The jitter keeps jobs that failed
 *   together from coming back together; the lower half keeps a wait from collapsing to nothing.
 * - a Retry-After (at most one hour is believed) is a lower bound: never earlier, later if the policy says so.
 */
export function retryDelayMs(input: RetryDelayInput): number {
  const { attempt, policy, random, retryAfterSeconds } = input;
  const own = policy.kind === 'fixed' ? policy.intervalMs : exponentialMs(attempt, policy, random);
  const asked = Math.min(Math.max(retryAfterSeconds ?? 0, 0) * 1_000, RETRY_AFTER_CAP_MS);
  return Math.ceil(Math.max(own, asked));
}

function exponentialMs(
  attempt: number,
  policy: Readonly<{ baseMs: number; capMs: number }>,
  random: () => number,
): number {
  const exponent = Math.min(Math.max(attempt - 1, 0), MAX_EXPONENT);
  const ceilingMs = Math.min(policy.capMs, policy.baseMs * 2 ** exponent);
  return ceilingMs / 2 + (ceilingMs / 2) * random();
}
