import { isConnectTimeout, type Sql } from '@factmill/database';
import { searchByFullText } from './channels/by-full-text.ts';
import type { FullTextHits } from './channels/full-text-hits.ts';
import { searchByVector, searchExactly } from './channels/by-vector.ts';
import type { FirstStage } from './channels/channel.ts';
import type { FullTextSearch } from './channels/full-text-hits.ts';
import type { QueryVector, VectorRow } from './channels/nearest.ts';
import type { UserKey } from './resident/load-user-index.ts';
import type { ResidentIndexes } from './resident/resident-indexes.ts';
import { NOT_RESIDENT, type ResidentHits, type ResidentSearch } from './resident/resident-search.ts';
import { searchResident } from './resident/search-resident.ts';
import type { SearchTarget } from './target.ts';

export type FirstStageDeps = Readonly<{
  database: Sql;
  /** Without them each channel always asks by a statement of its own. */
  residents: ResidentIndexes | undefined;
  target: SearchTarget;
  /** Null when there is no vector. */
  vector: () => Promise<QueryVector | null>;
  /** Null when the text channel is not asked. */
  text: FullTextSearch | null;
  /** Words that are asked for when those of the query bring little. */
  relatedTerms: readonly string[];
}>;

const NO_HITS: FullTextHits = { rows: [], unknownTerms: [], mayNameProject: true };

/**
 * One statement for both channels of a user whose index is resident. Everyone else, and what an index cannot answer:
 * one statement for each channel.
 */
export function openFirstStage(deps: FirstStageDeps): FirstStage {
  const { database, residents, target, vector, text, relatedTerms } = deps;
  const user = residents === undefined ? null : presentUserOf(target);
  const resident = once(async () =>
    residents === undefined || user === null
      ? NOT_RESIDENT
      : askResident(residents, user, async () => ({
          vector: (await vector())?.search ?? null,
          text,
          relatedTerms,
        })),
  );

  async function askResident(
    indexes: ResidentIndexes,
    user: UserKey,
    ask: () => Promise<Omit<ResidentSearch, 'target'>>,
  ): Promise<ResidentHits> {
    const index = indexes.get(user);
    if (index === undefined) {
      indexes.recordMiss(user);
      return NOT_RESIDENT;
    }
    const search = { target, ...(await ask()) };
    const isOfModel = search.vector === null || search.vector.model === index.model;
    const hits = isOfModel
      ? await searchResident(database, index, search, indexes.findLexemes).catch((error: unknown) => {
          // Waiting for a connection once more would bring none either. Otherwise one of the channels may answer.
          if (isConnectTimeout(error)) throw error;
          return NOT_RESIDENT;
        })
      : 'outdated';
    if (hits !== 'outdated') return hits;
    indexes.evict(user);
    indexes.recordMiss(user);
    return NOT_RESIDENT;
  }

  const nearest = once(async (): Promise<VectorRow[]> => {
    const { vector: rows } = await resident();
    if (rows !== null && rows !== 'incomplete') return rows;
    const asked = await vector();
    if (asked === null) return [];
    return rows === 'incomplete'
      ? searchExactly(database, asked.search)
      : searchByVector(database, asked.search);
  });

  /** What the model reads of the nearest, on one side of the cutoff. */
  async function nearestWhere(isWanted: (similarity: number, cutoff: number) => boolean) {
    const [rows, asked] = [await nearest(), await vector()];
    if (asked === null) return [];
    return rows.filter(
      ({ similarity, content }) => isWanted(similarity, asked.cutoff) && asked.reads(content),
    );
  }

  return {
    vector: once(() => nearestWhere((similarity, cutoff) => similarity >= cutoff)),
    belowCutoff: once(() => nearestWhere((similarity, cutoff) => similarity < cutoff)),
    fullText: once(async () => {
      const { text: hits } = await resident();
      if (hits !== null) return hits;
      return text === null ? NO_HITS : searchByFullText(database, text);
    }),
    related: once(async () => {
      if (text === null || relatedTerms.length === 0) return NO_HITS;
      const known = (await resident()).related;
      if (known !== null) return known;
      const related = { ...text, terms: relatedTerms };
      // A miss has been recorded already.
      const isResident = user !== null && residents?.get(user) !== undefined;
      const { text: hits } = isResident
        ? await askResident(residents, user, async () => ({ vector: null, text: related, relatedTerms: [] }))
        : NOT_RESIDENT;
      return hits ?? searchByFullText(database, related);
    }),
    mayHaveTurns: async () => (await resident().catch(() => NOT_RESIDENT)).hasTurns !== false,
  };
}

/** The user of a search in what one user has now; null for any other. */
function presentUserOf({ tenantId, userId, asOf }: SearchTarget): UserKey | null {
  return userId === null || asOf !== undefined ? null : { tenantId, userId };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}
