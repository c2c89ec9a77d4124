export { searchByVector } from './channels/by-vector.ts';
export { searchRecent } from './channels/recent.ts';
export type { EmbedQuery } from './embedded-query.ts';
export { createResidentIndexes } from './resident/resident-indexes.ts';
export { createSearch } from './search.ts';
export type { Search } from './search.ts';
export { type MemoryNumbers, withPreset } from './with-preset.ts';
