import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RETRIEVE } from './messages-to-retrieve.fixture.ts';
import { SKIP } from './messages-to-skip.fixture.ts';
import { shouldRetrieve } from './should-retrieve.ts';

describe('shouldRetrieve', () => {
  test('decides most of the labelled messages as labelled', () => {
    const missed = RETRIEVE.filter((text) => !shouldRetrieve(text).retrieve);
    const needless = SKIP.filter((text) => shouldRetrieve(text).retrieve);
    const hits = RETRIEVE.length - missed.length;
    const precision = hits / (hits + needless.length);
    const recall = hits / RETRIEVE.length;
    process.stdout.write(
      `gate: ${RETRIEVE.length + SKIP.length} messages, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}\n` +
        [
          ...missed.map((text) => `  missed: ${text}\n`),
          ...needless.map((text) => `  needless: ${text}\n`),
        ].join(''),
    );
    expect(new Set([...RETRIEVE, ...SKIP]).size).toBeGreaterThanOrEqual(200);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['', 'empty'],
    ['Thanks!', 'acknowledgement'],
    ['const a = 1;\nconst b = 2;', 'code'],
    ['Do you remember the hotel?', 'memory_word'],
    ['Where is the hotel', 'question'],
    ['my shoes are wet', 'personal'],
    ['compare two hotels', 'request'],
    ['warm outside', 'chatter'],
    ['favourite tea', 'topic'],
    ['The trip to Lisbon', 'topic'],
    ['过敏', 'topic'],
    ['再来一次', 'chatter'],
    ['Tea.', 'chatter'],
    ['The train to the coast leaves at nine in the morning', 'statement'],
    ['好的', 'acknowledgement'],
    ['上次那家酒店', 'memory_word'],
    ['酒店在哪', 'question'],
  ])('%j is taken as %s', (text, reason) => {
    expect(shouldRetrieve(text).reason).toBe(reason);
  });

  test('answers for any text, long ones in no time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(typeof shouldRetrieve(text).retrieve).toBe('boolean');
      }),
    );
    const before = process.cpuUsage();
    for (const part of ['a ', '`', '```\n', 'import x\n', '好', '(', 'how are you '])
      shouldRetrieve(part.repeat(20_000));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
