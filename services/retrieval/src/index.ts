export { createRetrieval } from './create-retrieval.ts';
