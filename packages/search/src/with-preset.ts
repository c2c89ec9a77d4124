import type { SearchRequest } from '@factmill/contracts';
import type { Preset } from '@factmill/extraction';

/** Numbers that stand in place of a preset's own; undefined: the preset's. */
export type MemoryNumbers = Readonly<{
  /** Memories of a chat or a context. */
  topK: number | undefined;
  recencyWeight: number | undefined;
  scoreThreshold: number | undefined;
  mmrLambda: number | undefined;
}>;

/**
 * The search with what its preset says where it says nothing itself. A request that names a mode gets the numbers of
 * that mode.
 *
 * @param preset null where SEARCH_MODE says how searches are answered
 */
export function withPreset(
  request: SearchRequest,
  preset: Preset | null,
  numbers: MemoryNumbers,
): SearchRequest {
  const overridden = {
    ...request,
    recency_weight: request.recency_weight ?? numbers.recencyWeight,
    min_relevance: request.min_relevance ?? numbers.scoreThreshold,
    mmr_lambda: request.mmr_lambda ?? numbers.mmrLambda,
  };
  if (preset === null || request.mode !== undefined) return overridden;
  const { mode, limit, channels, collapse } = preset.retrieval;
  return {
    ...overridden,
    mode,
    limit: request.limit ?? limit,
    channels: request.channels ?? (channels === 'vector' ? ['vector'] : undefined),
    collapse: request.collapse ?? collapse,
  };
}
