import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_QUERY_TERMS, queryPhrase, queryTerms } from './query-terms.ts';
import { STOPWORDS } from './stopwords.ts';

describe('queryTerms', () => {
  test.each([
    ['What is the name of my dog?', ['name', 'dog']],
    ['Where does Anna’s brother live', ['anna', 'brother', 'live']],
    ["O'Brien don't 2024 C3PO", ["o'brien", '2024', 'c3po']],
    ['100% a_b \\ x', ['100', 'b', 'x']],
    ['ÉCOLE école Straße', ['école', 'straße']],
    ['東京に住む', ['東京', '京に', 'に住', '住む']],
    ['我的iPhone15坏', ['我的', 'iphone15', '坏']],
    ['ラーメン', ['ラー', 'ーメ', 'メン']],
    ['मेरा नाम', ['मेरा', 'नाम']],
    ['who am I?', []],
    ['… !? --', []],
  ])('%s', (query, terms) => {
    expect(queryTerms(query)).toEqual(terms);
  });

  test('of many terms the longest stay, in the order of the query', () => {
    const words = ['zz', ...Array.from({ length: MAX_QUERY_TERMS }, (_, index) => `word${index + 10}`)];
    expect(queryTerms(words.join(' '))).toEqual(words.slice(1));
  });

  test('terms are few, distinct, lower-case and never function words, whatever the query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (query) => {
        const terms = queryTerms(query);
        expect(terms.length).toBeLessThanOrEqual(MAX_QUERY_TERMS);
        expect(new Set(terms).size).toBe(terms.length);
        for (const term of terms) {
          expect(term).not.toBe('');
          expect(STOPWORDS.has(term)).toBe(false);
          expect(query.normalize('NFC').toLowerCase().replaceAll('’', "'")).toContain(term);
        }
      }),
    );
  });
});

test.each([
  ['  a blue car?! ', 'a blue car'],
  ['100%', '100%'],
  ['?', '?'],
  ['东京？', '东京'],
])('the phrase of "%s" is "%s"', (query, phrase) => {
  expect(queryPhrase(query)).toBe(phrase);
});
