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
