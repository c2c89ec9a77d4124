export { mergeVectorThenText } from './merge-vector-then-text.ts';
export type { MergedHit, SearchChannel, TextHit, VectorHit } from './merge-vector-then-text.ts';
export { MAX_QUERY_TERMS, queryPhrase, queryTerms } from './query-terms.ts';
