// A door of its own: the thread that cuts documents needs these and not the rules that read sentences.
export { chunkText, type ChunkOptions } from './chunk-text.ts';
export { excerptsOf, type Excerpt, type ExcerptChunk } from './excerpts.ts';
export { chunkMatchingText, matchingText, statementMatchingText } from './matching-text.ts';
export { boundTokens } from './token-bound.ts';
