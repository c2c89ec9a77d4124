// A door of its own: the thread that cuts documents needs these and not the rules that read sentences.
export { chunkText } from './chunk-text.ts';
export { excerptsOf } from './excerpts.ts';
export { chunkMatchingText, matchingText, statementMatchingText } from './matching-text.ts';
export { boundTokens } from './token-bound.ts';
