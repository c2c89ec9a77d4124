/** One channel's candidates, best first, and how much the channel counts. */
export type RankedList<Channel extends string = string> = Readonly<{
  channel: Channel;
  weight: number;
  ids: readonly string[];
  /** For channels that say yes or no: every candidate has the first rank, and so much (0 to 1) of its score. */
  shares?: readonly number[];
}>;

/** The rank of a candidate in a channel (1 is best) and what it adds to the score. */
type Contribution<Channel extends string = string> = Readonly<{
  channel: Channel;
  rank: number;
  score: number;
}>;

export type Fused<Channel extends string = string> = Readonly<{
  id: string;
  /** 0 to 1; 1 means first in every channel. */
  score: number;
  contributions: readonly Contribution<Channel>[];
}>;

/**
 * How fast a rank loses weight: the 11th counts half of the first. Ten finds more on the LoCoMo conversations 26
 * and 30 than the usual 60, which hardly separates the first from the tenth (ADR 13).
 */
const RANK_CONSTANT = 10;

/**
 * Reciprocal rank fusion: every list adds `weight / (constant + rank)`, scaled so that the first of all lists gets
 * 1. Ranks are compared instead of scores, because scores of different channels are not comparable. The result has
 * every id once, best first, equal scores by id, whatever the order of the lists.
 */
export function fuseRanks<Channel extends string>(
  lists: readonly RankedList<Channel>[],
  constant: number = RANK_CONSTANT,
): Fused<Channel>[] {
  const most = sumOf(lists.map(({ weight }) => weight)) / (constant + 1);
  const byId = new Map<string, Contribution<Channel>[]>();
  for (const { channel, weight, ids, shares } of lists) {
    let place = 0;
    for (const id of new Set(ids)) {
      const share = shares === undefined ? 1 : (shares[place] ?? 0);
      place += 1;
      const rank = shares === undefined ? place : 1;
      const contribution = {
        channel,
        rank,
        score: most === 0 ? 0 : (share * weight) / (constant + rank) / most,
      };
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

/** Sums in sorted order, because floating point sums depend on the order. Sorts its input. */
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
