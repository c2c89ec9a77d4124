// A door of its own: the thread that cuts documents needs these and not the client of the endpoints.
export { chunkingOf } from './embedding/chunking-of.ts';
export { createLocalTokenCounter, type TokenCounter } from './embedding/local-token-counter.ts';
