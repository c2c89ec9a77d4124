import { expect, test } from '@jest/globals';
import { withoutVocatives } from './vocatives.ts';

test.each([
  ['Melanie, I moved to Ulm.', 'I moved to Ulm.'],
  ['I moved to Ulm, Mel!', 'I moved to Ulm!'],
  ['Dogs, buddy, are loyal.', 'Dogs, are loyal.'],
  ['I met Melanie in Ulm.', 'I met Melanie in Ulm.'],
  ['I like Rome, Melbourne and Ulm.', 'I like Rome, Melbourne and Ulm.'],
])('%s', (sentence, expected) => {
  expect(withoutVocatives(sentence, ['Melanie'])).toBe(expected);
});

test('names are no patterns', () => {
  expect(withoutVocatives('I moved to Ulm, (a+.', ['(a+'])).toBe('I moved to Ulm.');
  expect(withoutVocatives('I moved to Ulm.', ['', '[', '\\'])).toBe('I moved to Ulm.');
});
