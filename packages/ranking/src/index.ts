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
export { classicRelevance } from './classic-relevance.ts';
export { collapseDuplicates } from './collapse-duplicates.ts';
export type { Collapsed } from './collapse-duplicates.ts';
export { compareText, fuseRanks, RANK_CONSTANT } from './fuse-ranks.ts';
export type { Contribution, Fused, RankedList } from './fuse-ranks.ts';
export { keyMatch } from './key-match.ts';
export { blendRecency, recencyOf } from './recency.ts';
export { sigmoid, toRelevances } from './rerank-relevance.ts';
export { selectDiverse } from './select-diverse.ts';
export type { SimilarityOf } from './select-diverse.ts';
export { shouldRetrieve } from './should-retrieve.ts';
export type { GateDecision, GateReason } from './should-retrieve.ts';
export { withinTokenBudget } from './token-budget.ts';
export { wordingScores } from './wording.ts';
