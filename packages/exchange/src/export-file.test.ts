import { expect, test } from '@jest/globals';
import { readExport, writeExport } from './export-file.ts';

const ROWS = [
  '{"type":"a","text":"hidden 1"}',
  '{"type":"a","text":"hidden 2"}',
  '{"type":"b","n":12345678901234567890}',
];

async function* rows() {
  for (const line of ROWS) yield { type: (JSON.parse(line) as { type: string }).type, line };
}

async function written(): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of writeExport({ userId: 'maya' }, rows(), new Date(0))) parts.push(part);
  return parts.join('').split('\n');
}

async function read(lines: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { line } of readExport(lines, () => undefined)) found.push(line);
  return found;
}

test('what is written is read as it was, and its sum does not depend on the time', async () => {
  const lines = await written();
  expect(await read(lines)).toEqual(ROWS);
  const later: string[] = [];
  for await (const part of writeExport({ userId: 'maya' }, rows(), new Date(1))) later.push(part);
  expect(later.at(-1)).toBe(`${lines.at(-2)}\n`);
});

test.each<[string, (lines: string[]) => string[], RegExp]>([
  ['nothing', () => [], /not an export of Factmill/],
  ['another header', (lines) => ['{"format":"x"}', ...lines.slice(1)], /not an export of Factmill/],
  ['a line that is missing', (lines) => lines.toSpliced(2, 1), /lines are missing/],
  [
    'a changed line',
    (lines) => lines.toSpliced(1, 1, lines[1]?.replace('1', '9') ?? ''),
    /not those that were written/,
  ],
  [
    'two lines in another order',
    ([header = '', a = '', b = '', ...rest]) => [header, b, a, ...rest],
    /not those/,
  ],
  ['no end', (lines) => lines.slice(0, -2), /its last line is missing/],
  ['something after the end', (lines) => [...lines, 'hidden'], /^Line 7 .* after the end/],
  ['something that is no row', (lines) => lines.toSpliced(2, 0, 'hidden'), /^Line 3 .* no row/],
])('%s is found, and nothing of it is shown', async (_what, harm, sentence) => {
  const reading = read(harm(await written()));
  await expect(reading).rejects.toThrow(sentence);
  await expect(reading).rejects.not.toThrow(/hidden/);
});
