import type { Compressible } from './compressible.ts';
import type { Group } from './read-groups.ts';
import { MIN_COVERAGE, wordCoverage } from './word-coverage.ts';

const MIN_CHARACTERS = 10;
const MAX_CHARACTERS = 2_000;

/** Why a statement cannot stand for the memories that it is said to rest on, or null. */
export function refusalOfStatement(text: string | null, from: readonly Compressible[]): string | null {
  if (text === null || text.length < MIN_CHARACTERS || text.endsWith('?')) return 'not_a_statement';
  const said = from.map((memory) => memory.content).join('\n');
  if (text.length > Math.min(MAX_CHARACTERS, 2 * said.length + 100)) return 'too_long';
  return wordCoverage(text, said) < MIN_COVERAGE ? 'unsupported' : null;
}

/** The memories a group names, each once; or why they cannot be had. */
export function sourcesOf(
  group: Group,
  source: (number: number) => Compressible | undefined,
): readonly Compressible[] | string {
  const numbers = [...new Set(group.from)];
  if (numbers.length === 0) return 'without_source';
  const memories = numbers.map(source);
  return memories.every((memory) => memory !== undefined) ? memories : 'unknown_source';
}
