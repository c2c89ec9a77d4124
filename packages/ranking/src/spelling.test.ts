import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { spellingSimilarity, stemSimilarity } from './spelling.ts';

describe('spellingSimilarity', () => {
  test.each([
    ['alergi', 'allergi'],
    ['allergc', 'allergi'],
    ['marathn', 'marathon'],
    ['freind', 'friend'],
    ['recieve', 'receive'],
    ['docter', 'doctor'],
    ['seperate', 'separate'],
    ['neccesary', 'necessary'],
    ['anniversery', 'anniversary'],
    ['catherine', 'katherine'],
    ['shcool', 'school'],
    ['hsopital', 'hospital'],
    ['fomr', 'form'],
    ['garrage', 'garage'],
    ['bycicl', 'bicycl'],
  ])('%s is a misspelt %s', (given, meant) => {
    const similarity = spellingSimilarity(given, meant);
    expect(similarity).toBeGreaterThan(0.65);
    expect(similarity).toBeLessThan(1);
  });

  test.each([
    ['kapitan', 'kapitän'],
    ['brulee', 'brûlée'],
    ['strasse', 'straße'],
    ['malmo', 'malmø'],
  ])('%s is %s without its accents', (given, meant) => {
    expect(spellingSimilarity(given, meant)).toBe(1);
  });

  test.each([
    ['race', 'rice'],
    ['house', 'horse'],
    ['mouse', 'house'],
    ['plant', 'plan'],
    ['train', 'brain'],
    ['cat', 'act'],
    ['summer', 'hammer'],
    ['tomorrow', 'borrow'],
  ])('%s is a word of its own beside %s', (given, meant) => {
    expect(spellingSimilarity(given, meant)).toBe(0);
  });

  test.each([
    ['alergies', 'allerg', true],
    ['restaraunts', 'restaur', true],
    ['apointments', 'appoint', true],
    ['training', 'trail', false],
    ['started', 'star', false],
    ['tomorrow', 'tomat', false],
  ])('the ending of %s does not keep it from the stem %s', (given, stem, isMeant) => {
    expect(stemSimilarity(given, stem) > 0).toBe(isMeant);
  });

  test('a word is compared as far as words of a language are long', () => {
    const [long, longer] = ['anniversary'.repeat(3), 'anniversary'.repeat(4)];
    expect(spellingSimilarity(`x${long}`, long)).toBeGreaterThan(0.9);
    expect(spellingSimilarity(`x${longer}`, longer)).toBe(0);
    expect(spellingSimilarity(longer, longer)).toBe(1);
  });

  test('mistakes are those of the whole table of distances', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 8, maxLength: 12 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        const longer = Math.max(one.length, other.length);
        const similarity = spellingSimilarity(`s${one}`, `s${other}`);
        const mistakes = distance(`s${one}`, `s${other}`);
        expect(similarity).toBe(mistakes <= 2 ? 1 - mistakes / (longer + 1) : 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is from 0 to 1, the same both ways, and 1 for the word itself, whatever the words', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'e', 'r', 't', 'ß', 'é'), maxLength: 10 }),
      fc.string({ unit: 'grapheme', maxLength: 10 }),
    );
    fc.assert(
      fc.property(word, word, (one, other) => {
        const similarity = spellingSimilarity(one, other);
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(spellingSimilarity(other, one)).toBe(similarity);
        expect(spellingSimilarity(one, one)).toBe(1);
      }),
    );
  });
});

/** Damerau and Levenshtein's distance where no part is changed twice, as it is written in books. */
function distance(a: string, b: string): number {
  const table = new Map<string, number>();
  const at = (i: number, j: number) => table.get(`${i} ${j}`) ?? Infinity;
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost];
      const least = Math.min(...ways, isSwapped ? at(i - 2, j - 2) + 1 : Infinity);
      table.set(`${i} ${j}`, i === 0 && j === 0 ? 0 : least);
    }
  }
  return at(a.length, b.length);
}
