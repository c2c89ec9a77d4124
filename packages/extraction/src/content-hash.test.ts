import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contentHash, normaliseKey, normaliseText } from './content-hash.ts';

describe('contentHash', () => {
  test.each([
    ['The user lives in Berlin.', 'the user  lives in berlin'],
    ['Likes tea!!', ' likes tea '],
    ['ﬁsh', 'fish'],
    ['Ångström', 'A\u030Angstro\u0308m'],
    ['a\n\tb', 'A B...'],
  ])('%j equals %j', (a, b) => {
    expect(contentHash(a)).toBe(contentHash(b));
  });

  test.each([
    ['a', 'b'],
    ['likes tea', 'likes teas'],
    ['?', '!'],
    ['3.5', '35'],
  ])('%j differs from %j', (a, b) => {
    expect(contentHash(a)).not.toBe(contentHash(b));
  });

  test('is hex SHA-256, and the normal form is stable', () => {
    expect(contentHash('')).toMatch(/^[0-9a-f]{64}$/);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(contentHash(normaliseText(text))).toBe(contentHash(text));
      }),
    );
  });
});

describe('normaliseKey', () => {
  test.each([
    ['favoriteColor', 'favorite_color'],
    ['Favorite Colour', 'favorite_colour'],
    ['  home-town ', 'home_town'],
    ['größe', 'größe'],
    ['名前', '名前'],
    ['__proto__', 'proto'],
    ['!!!', ''],
    ['a'.repeat(300), 'a'.repeat(100)],
  ])('%j → %j', (key, expected) => {
    expect(normaliseKey(key)).toBe(expected);
  });

  test('is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        const once = normaliseKey(key);
        expect(normaliseKey(once)).toBe(once);
      }),
    );
  });
});
