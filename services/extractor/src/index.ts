export { createExtractor } from './create-extractor.ts';
export type { Extractor } from './create-extractor.ts';
