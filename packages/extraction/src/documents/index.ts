// A door of its own: the thread that cuts documents needs only these, not the rules.
export { chunkText } from './chunk-text.ts';
export { excerptsOf } from './excerpts.ts';
export { chunkMatchingText, matchingText, statementMatchingText } from './matching-text.ts';
export { boundTokens } from './token-bound.ts';
