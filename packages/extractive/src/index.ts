export { extractInTurns } from './extract.ts';
export { namedPeriods, type NamedPeriods } from './named-periods.ts';
