export { searchRecent } from './channels/recent.ts';
export type { EmbedQuery } from './embedded-query.ts';
export { createKeptSigns } from './nearest/kept-signs.ts';
export { searchByVector } from './nearest/search-by-vector.ts';
export { createSearch } from './search.ts';
export type { Search } from './search.ts';
export { createKeptWords } from './words/kept-words.ts';
