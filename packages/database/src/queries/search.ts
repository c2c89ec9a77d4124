export { searchByText } from './search-by-text.ts';
export type { TextRow, TextSearch } from './search-by-text.ts';
export { EXACT_LIMIT, searchByVector } from './search-by-vector.ts';
export type { VectorRow, VectorSearch } from './search-by-vector.ts';
