const DAY_MS = 86_400_000;

/** Beyond this many half-lives a score is below 2^-1000: no score can tell such ages apart. */
const MAX_HALF_LIVES = 1_000;

/**
 * Days after which a memory of a category counts half. Source C names the categories, says that each decays
 * exponentially, and gives no half-lives. They are derived from its one number, the archiving of `temp` and `debug`
 * at a score of 0.001: with usual importance (0.5), `debug` gets there after 9 days and `temp` after 27. The other
 * half-lives follow how long such things stay true: identity longest, then setup, then decisions and solutions,
 * then events and topics.
 */
export const HALF_LIFE_DAYS = {
  identity: 1_460,
  credential: 730,
  config: 365,
  decision: 180,
  solution: 120,
  event: 30,
  conversation: 14,
  temp: 3,
  debug: 1,
} as const satisfies Readonly<Record<string, number>>;

/** For every other category: a fact whose lifetime is unknown. */
export const DEFAULT_HALF_LIFE_DAYS = 365;

/** Categories whose memories are archived once they have faded to `ARCHIVE_SCORE` (source C). */
export const FADING_CATEGORIES = ['temp', 'debug'] as const;
export const ARCHIVE_SCORE = 0.001;

const byCategory: ReadonlyMap<string, number> = new Map(Object.entries(HALF_LIFE_DAYS));

/**
 * How much a memory of a category still counts: 1 when new, half after its half-life, never below 0. A date in the
 * future counts as new. Categories are compared in lower case.
 */
export function categoryDecay(memory: Readonly<{ category: string; ageMs: number }>): number {
  const halfLifeDays = byCategory.get(memory.category.toLowerCase()) ?? DEFAULT_HALF_LIFE_DAYS;
  const halfLives = Math.max(0, memory.ageMs) / (halfLifeDays * DAY_MS);
  return 2 ** -Math.min(halfLives, MAX_HALF_LIVES);
}

/** Importance (0 to 1) after decay, independent of any query. 0 to 1. */
export function decayedScore(
  memory: Readonly<{ category: string; ageMs: number; importance: number }>,
): number {
  return Math.min(1, Math.max(0, memory.importance)) * categoryDecay(memory);
}
