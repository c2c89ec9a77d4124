export {
  ARCHIVE_SCORE,
  categoryDecay,
  decayedScore,
  DEFAULT_HALF_LIFE_DAYS,
  FADING_CATEGORIES,
  HALF_LIFE_DAYS,
} from './category-decay.ts';
export { mergeVectorThenText } from './merge-vector-then-text.ts';
export type { MergedHit, SearchChannel, TextHit, VectorHit } from './merge-vector-then-text.ts';
export { MAX_QUERY_TERMS, queryPhrase, queryTerms } from './query-terms.ts';
export { buildContext } from './context/context-block.ts';
export type { ContextBlock, ContextFormat, ContextInput, ContextMemory } from './context/context-block.ts';
export { expandQuery } from './context/expand-query.ts';
