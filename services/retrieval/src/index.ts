export { createRetrieval } from './create-retrieval.ts';
export type { Retrieval, RetrievalDeps } from './create-retrieval.ts';
