// A door of its own: the thread that cuts documents needs only this, not the endpoint clients.
export { chunkingOf } from './embedding/chunking-of.ts';
export { createLocalTokenCounter, type TokenCounter } from './embedding/local-token-counter.ts';
