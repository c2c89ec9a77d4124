import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chunkText } from './chunk-text.ts';
import { boundTokens } from './token-bound.ts';

/** One token per word of up to four letters, as simple as a counter can be that does not add up within words. */
const countWords = (text: string): number =>
  text.split(/\s+/).reduce((sum, word) => sum + Math.ceil([...word].length / 4), 0);

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'I ',
        'live in Lisbon. ',
        '\n',
        '\n\n',
        '   ',
        '我住在北京。',
        'Привет! ',
        '👩‍👩‍👧 ',
        'é',
        'x'.repeat(90),
      ),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe.each([
  ['words', countWords],
  ['the bound', boundTokens],
])('chunks by %s', (_name, countTokens) => {
  test('lose nothing, are within the limit, whole in Unicode, never blank, and the same every time', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 60 }), (whole, maxTokens) => {
        const chunks = [...chunkText(whole, { maxTokens, countTokens })];
        expect(chunks.join('')).toBe(whole);
        for (const chunk of chunks) {
          expect(countTokens(chunk)).toBeLessThanOrEqual(maxTokens);
          expect(chunk.isWellFormed()).toBe(whole.isWellFormed());
          if (whole.trim() !== '') expect(chunk.trim()).not.toBe('');
        }
        expect([...chunkText(whole, { maxTokens, countTokens })]).toEqual(chunks);
      }),
      { numRuns: 500 },
    );
  });
});

describe('chunkText', () => {
  const cut = (whole: string, maxTokens: number) => [
    ...chunkText(whole, { maxTokens, countTokens: countWords }),
  ];

  test('keeps what fits in one chunk', () => {
    expect(cut('One two.\n\nThree four.', 10)).toEqual(['One two.\n\nThree four.']);
    expect(cut('', 10)).toEqual([]);
  });

  test('prefers paragraphs, then lines, then sentences, then words', () => {
    expect(cut('aaa bbb ccc\n\nddd eee', 4)).toEqual(['aaa bbb ccc\n\n', 'ddd eee']);
    expect(cut('aaa bbb ccc\nddd eee', 4)).toEqual(['aaa bbb ccc\n', 'ddd eee']);
    expect(cut('Aa bb cc. Dd ee. Ff gg.', 5)).toEqual(['Aa bb cc. Dd ee. ', 'Ff gg.']);
    expect(cut('aaa bbb ccc ddd eee', 2)).toEqual(['aaa bbb ', 'ccc ddd ', 'eee']);
    expect(cut('我住在北京。我喜欢茶。我有狗。', 3)).toEqual(['我住在北京。我喜欢茶。', '我有狗。']);
  });

  test.each([
    ['short sentences', '我。', 1, 64],
    ['characters of many tokens', '\ufdfa', 18, 2],
  ])('counts the tokens of a chunk a few times: %s', (_what, unit, perCharacter, length) => {
    const whole = unit.repeat(10_000);
    let counted = 0;
    const countTokens = (text: string) => {
      counted += text.length;
      return perCharacter * text.length;
    };
    const chunks = [...chunkText(whole, { maxTokens: 64, countTokens })];
    expect(chunks.join('')).toBe(whole);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBe(length);
    expect(counted).toBeLessThan(20 * whole.length);
  });

  test('cuts a word that is longer than a chunk, but no visible character', () => {
    expect(cut('x'.repeat(20), 2).join('|')).toBe('xxxxxxxx|xxxxxxxx|xxxx');
    const family = '👩‍👩‍👧';
    for (const chunk of cut(family.repeat(20), 3)) {
      expect(chunk.startsWith('👩')).toBe(true);
      expect(chunk.endsWith('👧')).toBe(true);
    }
  });

  test.each(['word ', 'x', '\n', '。', '\u0301', '. '])('takes a million characters of %j', (unit) => {
    const whole = unit.repeat(1_000_000 / unit.length);
    const chunks = [...chunkText(whole, { maxTokens: 128, countTokens: boundTokens })];
    expect(chunks.join('')).toBe(whole);
  });
});
