import { inventedWords } from '../dedup/distinguishing-words.ts';
import { screenStatement } from '../screening/screen-statement.ts';
import type { Compressible } from './compressible.ts';
import type { Group } from './read-groups.ts';
import { MIN_COVERAGE, wordCoverage } from './word-coverage.ts';

const MIN_CHARACTERS = 10;
const MAX_CHARACTERS = 2_000;

/** Days, months, years and small numbers: a statement may date and count its sources. */
const COUNTS_AND_DATES = /^(?:@|#(?:\d{1,2}|(?:19|20)\d\d|[\d-]{10})$)/;

/**
 * Why a statement may not replace its sources, or null. It must be a statement, name nothing that no source names,
 * share enough words with them, and bear no mark of an attack.
 */
export function refusalOfStatement(
  { text, key, value, category }: Pick<Group, 'text' | 'key' | 'value' | 'category'>,
  from: readonly Compressible[],
): string | null {
  if (text === null || text.length < MIN_CHARACTERS || text.endsWith('?')) return 'not_a_statement';
  const said = from.map((memory) => memory.content).join('\n');
  if (text.length > Math.min(MAX_CHARACTERS, 2 * said.length + 100)) return 'too_long';
  const stated = value === null ? [text] : [text, value];
  if (stated.some((part) => wordCoverage(part, said) < MIN_COVERAGE)) return 'unsupported';
  const names = stated.flatMap((part) => inventedWords(part, [said]));
  if (names.some((word) => !COUNTS_AND_DATES.test(word))) return 'unsupported';
  return screenStatement(text, [said], { key, others: [value, category] });
}

/** The memories that a group names, each once; or why they cannot be used. */
export function sourcesOf(
  group: Group,
  source: (number: number) => Compressible | undefined,
): readonly Compressible[] | string {
  const numbers = [...new Set(group.from)];
  if (numbers.length === 0) return 'without_source';
  const memories = numbers.map(source);
  return memories.every((memory) => memory !== undefined) ? memories : 'unknown_source';
}
