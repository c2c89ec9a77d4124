import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exactShares } from './exact-terms.ts';

const TEXTS = [
  'Entry 4321 is about the clock tower.',
  'Entry 4355 is about the clock tower.',
  'The user met Anna in Perth.',
  'The user plays chess with guest13.',
  'The user plays chess with guest1.',
];

describe('exactShares', () => {
  test('an identifier is meant as it stands, not as one that looks like it', () => {
    expect(exactShares('Entry 4321', TEXTS)).toEqual([1, 0, 0, 0, 0]);
    expect(exactShares('who is guest13?', TEXTS)).toEqual([0, 0, 0, 1, 0]);
    expect(exactShares('serial ZX-90', ['ZX-90 is here', 'ZX-91 is here'])?.map(Math.round)).toEqual([1, 0]);
  });

  test('a name counts half as much, whatever its case in the query', () => {
    expect(exactShares('Where did I meet Anna?', TEXTS)).toEqual([0, 0, 0.5, 0, 0]);
    expect(exactShares('what happened in perth', TEXTS)).toEqual([0, 0, 0.5, 0, 0]);
  });

  test('what many texts have counts less than what few have', () => {
    const texts = ['I met Anna', 'I saw Anna', 'I know Anna and Boris', 'something'];
    const shares = exactShares('did Anna or did Boris call?', texts) ?? [];
    expect(shares[2]).toBeGreaterThan(2 * (shares[0] ?? 0));
    expect(shares[0]).toBeGreaterThan(0);
  });

  test('without numbers and names there is nothing to hold to', () => {
    expect(exactShares('what do I like?', TEXTS)).toBeNull();
    expect(exactShares('Tell me about chess', TEXTS)).toBeNull();
    expect(exactShares('Who is Zoe? Is it Zoe?', TEXTS)).toEqual([0, 0, 0, 0, 0]);
  });

  test('a name that half of the texts have, as the user’s own, is worth next to nothing', () => {
    const texts = ['Maya sails', 'Maya paints', 'home: Lisbon', 'job: nurse', 'Maya met Boris', 'a cat'];
    const [maya = 0, , , , boris = 0] = exactShares('Where did Maya meet Boris?', texts) ?? [];
    expect(maya).toBeGreaterThan(0);
    expect(boris).toBeGreaterThan(20 * maya);
  });

  test('is from 0 to 1 for every text, whatever the texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '.', '王'), maxLength: 30 });
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 8 }), (query, texts) => {
        const shares = exactShares(query, texts) ?? texts.map(() => 0);
        expect(shares).toHaveLength(texts.length);
        for (const share of shares) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1.000_001);
        }
      }),
    );
  });
});
