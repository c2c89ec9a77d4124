/** One channel's candidates, best first, and how much the channel counts. */
export type RankedList<Channel extends string = string> = Readonly<{
  channel: Channel;
  weight: number;
  ids: readonly string[];
}>;

/** Where a channel had a candidate (1 is its best) and what that adds to the candidate's score. */
type Contribution<Channel extends string = string> = Readonly<{
  channel: Channel;
  rank: number;
  score: number;
}>;

export type Fused<Channel extends string = string> = Readonly<{
  id: string;
  /** 0 to 1; 1 is the first of every channel. */
  score: number;
  contributions: readonly Contribution<Channel>[];
}>;

/**
 * How fast a rank loses worth: the 11th counts half of the first. Ten finds more on the LoCoMo conversations 26 and
 * 30 than the usual 60, which hardly tells the first from the tenth (ADR 13).
 */
const RANK_CONSTANT = 10;

/**
 * Reciprocal rank fusion: every list adds `weight / (constant + rank)`, scaled so that the first of all lists has 1.
 * Ranks are compared, not scores, as the scores of different channels have nothing in common. Every id of a list is
 * in the result once, best first, equal scores by id: the order of lists does not matter.
 */
export function fuseRanks<Channel extends string>(
  lists: readonly RankedList<Channel>[],
  constant: number = RANK_CONSTANT,
): Fused<Channel>[] {
  const most = sumOf(lists.map(({ weight }) => weight)) / (constant + 1);
  const byId = new Map<string, Contribution<Channel>[]>();
  for (const { channel, weight, ids } of lists) {
    let rank = 0;
    for (const id of new Set(ids)) {
      rank += 1;
      const contribution = { channel, rank, score: most === 0 ? 0 : weight / (constant + rank) / most };
      const others = byId.get(id);
      if (others === undefined) byId.set(id, [contribution]);
      else others.push(contribution);
    }
  }
  return Array.from(byId, ([id, contributions]) => ({
    id,
    score: scoreOf(contributions),
    contributions,
  })).sort((a, b) => b.score - a.score || compareText(a.id, b.id));
}

function scoreOf(contributions: readonly Contribution[]): number {
  return Math.min(1, sumOf(contributions.map(({ score }) => score)));
}

/** In one order whatever the order of the lists, as sums of floating point numbers depend on it. Sorts the numbers. */
function sumOf(numbers: number[]): number {
  if (numbers.length > 2) numbers.sort((a, b) => a - b);
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
