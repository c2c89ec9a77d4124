export { createExtractor } from './create-extractor.ts';
export type { Extractor, ExtractorDeps } from './create-extractor.ts';
