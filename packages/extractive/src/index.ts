export { extractFromMessages, extractInTurns, type ExtractOptions } from './extract.ts';
