import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { extractFromMessages } from './extract.ts';
import { parseReply } from '@factmill/extraction';

type Labelled = Readonly<{ sentence: string; isLasting: boolean }>;

/** Sentences of users to assistants, a line each: `+` states something lasting about them, `-` does not. */
function readLabelled(files: string): Labelled[] {
  const folder = new URL('labelled/', import.meta.url);
  return globSync(files, { cwd: folder }).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => /^[+-] /.test(line))
      .map((line) => ({ sentence: line.slice(2), isLasting: line.startsWith('+') })),
  );
}

function isKept(sentence: string): boolean {
  const createdAt = new Date('2026-02-02T09:00:00Z');
  const message = { id: 'm1', seq: 1, role: 'user' as const, content: sentence, createdAt };
  return parseReply(extractFromMessages([message])).candidates.length > 0;
}

test.each([
  ['English', 'lasting-*.txt', 300],
  ['Chinese', 'chinese*.txt', 300],
  ['other languages', 'other-languages*.txt', 230],
])('what states something lasting is kept, what does not is not: %s', (language, files, count) => {
  const labelled = readLabelled(files);
  expect(labelled.length).toBeGreaterThanOrEqual(count);
  const judged = labelled.map((one) => ({ ...one, kept: isKept(one.sentence) }));
  const kept = judged.filter(({ kept: is }) => is);
  const lasting = judged.filter(({ isLasting }) => isLasting);
  const right = kept.filter(({ isLasting }) => isLasting).length;
  const precision = right / kept.length;
  const recall = right / lasting.length;
  const wrong = judged.filter((one) => one.kept !== one.isLasting);
  process.stdout.write(
    `${language}: ${labelled.length} sentences, ${lasting.length} of them lasting: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}\n${wrong
      .map((one) => `  ${one.kept ? 'kept' : 'lost'}: ${one.sentence}\n`)
      .join('')}`,
  );
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recall).toBeGreaterThanOrEqual(0.95);
});
