export { extractInTurns } from './extract.ts';
