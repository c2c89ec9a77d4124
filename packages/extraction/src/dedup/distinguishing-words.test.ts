import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addsNoWords, agreeInWords, distinguishingWords, inventedWords } from './distinguishing-words.ts';

describe('agreeInWords', () => {
  test.each([
    ['The user lives in Utrecht.', 'The user lives in Utrecht'],
    ['The user has a dog called Bruno.', 'The user has a dog named Bruno.'],
    ['The user drinks coffee black, without sugar.', 'The user drinks black coffee without sugar.'],
    ['The team meeting is every Tuesday at ten.', 'The team meeting is on Tuesdays at 10.'],
    ['User is allergic to peanuts.', 'The user is allergic to peanuts.'],
    ['The user’s rent is 1,200 euros.', "The user's rent is 1200 euros."],
    ['The user does not smoke.', "The user doesn't smoke."],
    ['Anna moved on the 3rd of May.', 'Anna moved on 3 May.'],
  ])('%s = %s', (left, right) => {
    expect(agreeInWords(left, right)).toBe(true);
  });

  test.each([
    ['The user lives in Utrecht.', 'The user lives in Rotterdam.'],
    ['Maya owns a boat.', 'Lena owns a boat.'],
    ['The user likes coffee.', 'The user does not like coffee.'],
    ['The user likes coffee.', "The user doesn't like coffee."],
    ['The user smokes.', 'The user stopped smoking.'],
    ['The user eats fish.', 'The user eats everything except fish.'],
    ['The user has two children.', 'The user has three children.'],
    ['birthday: 14 March', 'birthday: 15 March'],
    ['The meeting is every Tuesday at ten.', 'The meeting is every Thursday at ten.'],
    ['The meeting is at 10:30.', 'The meeting is at 10:45.'],
    ['The user travels to Japan in April.', 'The user travels to Japan in May.'],
    ['The code word number 17 is zebra17.', 'The code word number 18 is zebra18.'],
    ['the user lives in lisbon', 'the user lives in porto'],
    ['用户住在北京。', '用户住在上海。'],
    ['Пользователь живёт в Москве.', 'Пользователь живёт в Перми.'],
  ])('%s ≠ %s', (left, right) => {
    expect(agreeInWords(left, right)).toBe(false);
  });

  test('is the same both ways, and a text agrees with itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        expect(agreeInWords(left, right)).toBe(agreeInWords(right, left));
        expect(agreeInWords(left, left)).toBe(true);
        expect(addsNoWords(left, left)).toBe(true);
        expect(inventedWords(left, [left])).toEqual([]);
      }),
    );
  });
});

test('addsNoWords: the other may say more, but not the opposite', () => {
  expect(addsNoWords('The user has a dog.', 'The user has a dog called Bruno.')).toBe(true);
  expect(addsNoWords('The user has a dog called Bruno.', 'The user has a dog.')).toBe(false);
  expect(addsNoWords('The user eats meat.', 'The user does not eat meat.')).toBe(false);
});

test('inventedWords finds what no source names, in any form of it', () => {
  const sources = ['The user lives in Lisbon with Ana.', 'The user moved to Porto in May 2024.'];
  expect(inventedWords('Ana and the user moved from Lisbon to Porto in May 2024.', sources)).toEqual([]);
  expect(inventedWords('The user lives in Madrid since 2025.', sources)).toEqual(['madrid', '#2025']);
});

test('reads a long text in time proportional to its length', () => {
  const before = process.cpuUsage();
  distinguishingWords("a'".repeat(200_000) + ' Bruno 1,1'.repeat(20_000));
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
