import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('./logger-end.fixture.ts', import.meta.url));

test.each([
  ['runs to its end', 'return', 1_000],
  ['exits', 'exit', 1_000],
  ['crashes', 'throw', 1_000],
  ['is killed after a fatal line', 'kill', 1_001],
])('no line is lost when the process %s', (_, end, count) => {
  const { stdout } = spawnSync(process.execPath, [ENTRY, end], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
    Array.from({ length: count }, (_value, line) => line),
  );
});
