import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chunkMatchingText, matchingText, statementMatchingText } from './matching-text.ts';

const contains = (whole: string, part: string) => matchingText(whole).includes(matchingText(part));

describe('matchingText', () => {
  test('a long text has the words of its lines, wherever it is read in pieces', () => {
    const word = fc.constantFrom(
      'tea',
      '茶',
      'か\u3099',
      'ﬁne',
      '한',
      '\u1112\u1161\u11ab',
      'e\u0301',
      '…',
      ' ',
      '\u3000',
    );
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 9_970, max: 10_030 }),
        (end, length) => {
          const text = end.join('');
          const whole = matchingText(`${'x'.repeat(length)}${text}`);
          // As far from the end of a piece as can be.
          const short = matchingText(`${'x'.repeat(9)}${text}`);
          expect(whole.replace(/x+/, '')).toBe(short.replace(/x+/, ''));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a word that never ends is read in parts', () => {
    const form = matchingText('\ufdfa'.repeat(1_000_000));
    expect(form.startsWith(' صلى الله عليه وسلم')).toBe(true);
    expect(form.length).toBeLessThan(3_000_000);
  });

  test.each([
    ['Home: Lisbon\nThe User lives  in\n“Lisbon”, since 2020.', 'the user lives in Lisbon.'],
    ['# Pets\n\n- **The dog** is called _Bruno_!', 'The dog is called Bruno'],
    ['我知道用户住在北京。', '用户住在北京'],
    ['The user’s diet is ﬁxed.', "The user's diet is fixed."],
  ])('%j contains %j', (whole, part) => {
    expect(contains(whole, part)).toBe(true);
  });

  test.each([
    ['The user is 42 years old.', 'The user is 4'],
    ['The user ran 3.5 km', 'The user ran 3'],
    ['The user likes C++.', 'The user likes C'],
    ['The user likes C#.', 'The user likes C.'],
    ['It was -5 degrees.', 'It was 5 degrees'],
    ['The user likes catnip.', 'The user likes cat'],
  ])('%j does not contain %j', (whole, part) => {
    expect(contains(whole, part)).toBe(false);
  });

  test('is its own form, and empty without words', () => {
    expect(matchingText(' -- … ** ')).toBe('');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const form = matchingText(text);
        expect(form === '' || (form.startsWith(' ') && form.endsWith(' '))).toBe(true);
        expect(form).not.toMatch(/\s\s/);
      }),
    );
  });
});

describe('what is looked for', () => {
  test.each([
    ['The user lives in Oslo.', null, ' the user lives in oslo '],
    ['Ski.', null, null],
    ['Q: What does the user like?\nA: The user likes fado.', 'The user likes fado.', ' the user likes fado '],
    ['Q: Which colour does the user like?\nA: dark green', 'dark green', null],
  ])('of %j with the answer %j it is %j', (content, answer, expected) => {
    expect(statementMatchingText({ content, answer })).toBe(expected);
  });

  test('a chunk is looked for in memories unless it is too short or too long to be part of one', () => {
    expect(chunkMatchingText('Yes.')).toBeNull();
    expect(chunkMatchingText('## The user lives in Oslo.\n')).toBe(' the user lives in oslo ');
    expect(chunkMatchingText('word '.repeat(200))).toBeNull();
  });
});
