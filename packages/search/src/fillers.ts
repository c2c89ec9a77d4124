import type { CandidateRow } from '@factmill/database';
import { deduplicate } from '@factmill/ranking';
import type { ChannelSearch } from './channels/channel.ts';
import { recentChannel } from './channels/recent.ts';
import type { SearchSettings } from './settings.ts';

/** What is no result of its own and only fills the results up. `similarity` is null for what is merely the latest. */
export type Filler = Readonly<{ row: CandidateRow; similarity: number | null }>;

/**
 * What comes behind the results when they are to be filled up: the memories below the cutoff, nearest first, then the
 * latest, from all scopes. A channel that fails adds nothing; it has been reported already.
 */
export async function findFillers(scopes: readonly ChannelSearch[]): Promise<Filler[]> {
  const near = await Promise.all(scopes.map(({ first }) => first.belowCutoff().catch(() => [])));
  const latest = await Promise.all(scopes.map((search) => recentChannel(search).catch(() => null)));
  return [
    ...near
      .flat()
      .map((row) => ({ row, similarity: row.similarity }))
      .toSorted((a, b) => b.similarity - a.similarity),
    ...latest.flatMap((hits) => (hits ?? []).map(({ row }) => ({ row, similarity: null }))),
  ];
}

/** Of a search that found nothing so many results are what is only just below the cutoff. */
const INSTEAD_OF_NONE = 5;

/**
 * The results, and behind them what fell short: up to the limit when that is asked for, else only where there is no
 * result. Each comes once, and without what a result says already.
 */
export function fillUp<
  Entry extends Readonly<{ id: string; content: string; duplicateIds: readonly string[] }>,
>(results: readonly Entry[], others: readonly Entry[], { collapse, limit, fill }: SearchSettings): Entry[] {
  if (others.length === 0 || (results.length > 0 && !fill)) return [...results];
  const least = Math.min(INSTEAD_OF_NONE, limit);
  const seen = new Set(results.flatMap(({ id, duplicateIds }) => [id, ...duplicateIds]));
  const filled = [...results, ...others.filter(({ id }) => !seen.has(id) && seen.add(id))];
  const kept = new Set(deduplicate(filled, null).map(({ candidate }) => candidate.id));
  const distinct = collapse ? filled.filter(({ id }) => kept.has(id)) : filled;
  return distinct.slice(0, Math.max(fill ? limit : least, results.length));
}
