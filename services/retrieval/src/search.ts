import type { SearchRequest, SearchResult } from '@factmill/contracts';
import {
  type DatabasePool,
  type MemoryRow,
  searchByText,
  searchByVector,
  toMemory,
} from '@factmill/database';
import { type MergedHit, mergeVectorThenText, queryPhrase, queryTerms } from '@factmill/ranking';
import { createDuration, withSpan } from '@factmill/telemetry';
import type { EmbedQuery } from './embed-query.ts';

export type SearchFor = Readonly<{ tenantId: string; userId: string; request: SearchRequest }>;

export type Found = Readonly<{
  results: SearchResult[];
  /** How many each channel found, before they were put together. */
  vectorHits: number;
  textHits: number;
  /** Why there was no vector channel, or null. */
  embeddingUnavailable: string | null;
}>;

export type Search = (search: SearchFor) => Promise<Found>;

export type SearchDeps = Readonly<{ database: DatabasePool; embedQuery: EmbedQuery }>;

/**
 * Vector search first, within the model's own cutoff; where that leaves room, memories that contain the query or
 * its words follow (D7). Without a vector the text channel answers alone (B11).
 */
export function createSearch({ database, embedQuery }: SearchDeps): Search {
  const recordDuration = createDuration(
    'factmill_search_duration_seconds',
    'Time of one search, by what it used',
  );

  return (search) =>
    withSpan('search', { attributes: { 'factmill.limit': search.request.limit } }, async (span) => {
      const startedAt = performance.now();
      const { tenantId, userId, request } = search;
      const { query, limit, filters = {} } = request;
      const scope = { tenantId, userId, filters, limit };

      const embedded = await withSpan('embed query', {}, () => embedQuery(query));
      const byVector =
        'unavailable' in embedded
          ? []
          : await withSpan('search by vector', {}, () =>
              searchByVector(database, {
                ...scope,
                model: embedded.profile.id,
                dimensions: embedded.profile.dimensions,
                vector: embedded.vector,
                minSimilarity: request.min_similarity ?? embedded.profile.minSimilarity,
              }),
            );
      const byText =
        byVector.length >= limit
          ? []
          : await withSpan('search by text', {}, () =>
              searchByText(database, { ...scope, phrase: queryPhrase(query), terms: queryTerms(query) }),
            );

      const merged = mergeVectorThenText<MemoryRow>(
        byVector.map((row) => ({ id: row.id, item: row, similarity: row.similarity })),
        byText.map((row) => ({ id: row.id, item: row, score: row.textScore })),
        limit,
      );
      const embeddingUnavailable = 'unavailable' in embedded ? embedded.unavailable : null;
      span.setAttributes({
        'factmill.vector_hits': byVector.length,
        'factmill.text_hits': byText.length,
        'factmill.results': merged.length,
        'factmill.degraded': embeddingUnavailable !== null,
      });
      recordDuration(performance.now() - startedAt, {
        vector: embeddingUnavailable === null,
        text: byVector.length < limit,
      });
      return {
        results: merged.map(toResult),
        vectorHits: byVector.length,
        textHits: byText.length,
        embeddingUnavailable,
      };
    });
}

function toResult(hit: MergedHit<MemoryRow>): SearchResult {
  return {
    memory: toMemory(hit.item),
    score: hit.score,
    ...(hit.similarity === undefined ? {} : { similarity: hit.similarity }),
    channels: [...hit.channels],
  };
}
