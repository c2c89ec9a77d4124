import { isConnectTimeout, type Sql } from '@factmill/database';
import { searchByFullText } from './channels/by-full-text.ts';
import { searchByVector, searchExactly } from './channels/by-vector.ts';
import type { FirstStage } from './channels/channel.ts';
import type { FullTextSearch } from './channels/full-text-hits.ts';
import type { VectorSearch } from './channels/nearest.ts';
import type { UserKey } from './resident/load-user-index.ts';
import type { ResidentIndexes } from './resident/resident-indexes.ts';
import { type ResidentHits, searchResident } from './resident/search-resident.ts';
import type { SearchTarget } from './target.ts';

export type FirstStageDeps = Readonly<{
  database: Sql;
  /** Without them each channel always asks by a statement of its own. */
  residents: ResidentIndexes | undefined;
  target: SearchTarget;
  /** Null when there is no vector. */
  vector: () => Promise<VectorSearch | null>;
  /** Null when the text channel is not asked. */
  text: FullTextSearch | null;
}>;

const NOT_RESIDENT: ResidentHits = { vector: null, text: null, hasTurns: null };

/**
 * One statement for both channels of a user whose index is resident. Everyone else, and what an index cannot answer:
 * one statement for each channel.
 */
export function openFirstStage({ database, residents, target, vector, text }: FirstStageDeps): FirstStage {
  const user = residents === undefined ? null : presentUserOf(target);
  const resident = once(async () =>
    residents === undefined || user === null ? NOT_RESIDENT : askResident(residents, user),
  );

  async function askResident(indexes: ResidentIndexes, user: UserKey): Promise<ResidentHits> {
    const index = indexes.get(user);
    if (index === undefined) {
      indexes.recordMiss(user);
      return NOT_RESIDENT;
    }
    const search = { target, vector: await vector(), text };
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

  return {
    vector: once(async () => {
      const { vector: rows } = await resident();
      if (rows !== null && rows !== 'incomplete') return rows;
      const search = await vector();
      if (search === null) return [];
      return rows === 'incomplete' ? searchExactly(database, search) : searchByVector(database, search);
    }),
    fullText: once(async () => {
      const { text: hits } = await resident();
      if (hits !== null) return hits;
      return text === null
        ? { rows: [], unknownTerms: [], mayNameProject: true }
        : searchByFullText(database, text);
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
