import { createRandom, nextNormal } from './seeded-random.ts';

/** Users of one size, by name. */
export type SizedUsers = Readonly<{ memories: number; userIds: readonly string[] }>;

export type LargePlan = Readonly<{
  total: number;
  users: readonly Readonly<{ userId: string; memories: number }>[];
  /** The users that are searched, small ones first. */
  measured: readonly SizedUsers[];
}>;

const SIZES = [
  { memories: 100, count: 8 },
  { memories: 1_000, count: 2 },
  { memories: 5_000, count: 1 },
] as const;

/** Most memories of a user that is not searched. */
const MOST = 5_000;
/** Standard deviation of the logarithm of their sizes: half of these users have fewer than a third of the average. */
const SKEW = 1.5;

/**
 * How many memories each user has: the measured users, the same in databases of every size, one with `largest` (0:
 * none), and others from 1 to 5,000 by a log-normal distribution.
 */
export function planUsers(total: number, userCount: number, largest: number): LargePlan {
  const measured: SizedUsers[] = SIZES.map(({ memories, count }) => ({
    memories,
    userIds: Array.from({ length: count }, (_, index) => `has-${memories}-${index}`),
  }));
  if (largest > 0) measured.push({ memories: largest, userIds: [`has-${largest}-0`] });
  const known = measured.flatMap(({ memories, userIds }) => userIds.map((userId) => ({ userId, memories })));
  const left = total - known.reduce((sum, { memories }) => sum + memories, 0);
  const others = spread(left, userCount - known.length);
  return {
    total,
    measured,
    users: [...known, ...others.map((memories, index) => ({ userId: `other-${index}`, memories }))],
  };
}

/** Sizes of `count` users that together make `total`. */
function spread(total: number, count: number): number[] {
  const random = createRandom(1);
  const shares = Array.from({ length: count }, () => Math.exp(SKEW * nextNormal(random)));
  const sum = shares.reduce((all, share) => all + share, 0);
  const sizes = shares.map((share) => Math.min(MOST, Math.max(1, Math.round((share / sum) * total))));
  let difference = total - sizes.reduce((all, size) => all + size, 0);
  // Corrects, one by one, for rounding and the two bounds.
  for (let index = 0; difference !== 0; index = (index + 1) % count) {
    const step = Math.sign(difference);
    const size = (sizes[index] ?? 0) + step;
    if (size < 1 || size > MOST) continue;
    sizes[index] = size;
    difference -= step;
  }
  return sizes;
}
