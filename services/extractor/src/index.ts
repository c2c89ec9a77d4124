export { createExtractor } from './create-extractor.ts';
export type { Extractor } from './create-extractor.ts';
export type { ExtractorDeps } from './extractor-deps.ts';
