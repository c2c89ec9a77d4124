import { type DatabasePool, DEFAULT_TENANT_ID, registerEmbeddingModel, type Sql } from '@factmill/database';
import type { FirstStage } from '../channels/channel.ts';
import type { FullTextSearch } from '../channels/full-text-hits.ts';
import type { VectorSearch } from '../channels/nearest.ts';
import { openFirstStage } from '../first-stage.ts';
import { untilPassed } from '../transactions.fixture.ts';
import { DIMENSIONS, write } from './resident.fixture.ts';
import type { ResidentIndexes } from './resident-indexes.ts';

export const ann = { tenantId: DEFAULT_TENANT_ID, userId: 'ann' };

/** Ann has 1,200 memories around twenty directions, Ben 400; what both have is spread over the tables. */
export async function fillTwoUsers(pool: DatabasePool): Promise<void> {
  await registerEmbeddingModel(pool, 'signed', DIMENSIONS);
  await pool.query('truncate memories cascade');
  await write(pool, 'ann', 0, 800);
  await write(pool, 'ben', 0, 400);
  await write(pool, 'ann', 800, 400);
  await pool.query('analyze memories, memory_embeddings');
  await untilPassed(pool);
}

export type Asked = Readonly<{
  vector?: readonly number[];
  terms?: readonly string[];
  relatedTerms?: readonly string[];
  limit?: number;
}> &
  Partial<Pick<FullTextSearch, 'userId' | 'filters' | 'scope' | 'visibleToConversation' | 'asOf' | 'query'>>;
export type Open = (sql: Sql, asked: Asked) => FirstStage;

/** Searches of Ann's memories with the indexes that are resident. */
export function residentSearches(pool: DatabasePool, residents: () => ResidentIndexes) {
  const open: Open = (sql, { vector, terms, relatedTerms = [], limit = 10, query, ...more }) => {
    const target = { ...ann, filters: {}, ...more };
    const byVector: VectorSearch | null =
      vector === undefined
        ? null
        : { ...target, model: 'signed', dimensions: DIMENSIONS, vector, minSimilarity: -1, limit };
    return openFirstStage({
      database: sql,
      residents: residents(),
      target,
      vector: async () => (byVector === null ? null : { search: byVector, cutoff: -1, reads: () => true }),
      text: terms === undefined ? null : { ...target, terms, query: query ?? terms.join(' '), limit },
      relatedTerms,
    });
  };
  const idsByVector = async (vector: readonly number[], limit = 10) =>
    (await open(pool, { vector, limit }).vector()).map((row) => row.id);
  const byTerms = (terms: readonly string[], more: Asked = {}) =>
    open(pool, { terms, limit: 20, ...more }).fullText();
  const contentsOf = async (...terms: string[]) => (await byTerms(terms)).rows.map((row) => row.content);

  /** Searches until Ann's index is resident. */
  async function load(): Promise<void> {
    for (const _ of [1, 2]) {
      await contentsOf('red');
      await residents().idle();
    }
    if (residents().get(ann) === undefined) throw new Error('The index was not loaded.');
  }

  return { open, idsByVector, byTerms, contentsOf, load };
}
