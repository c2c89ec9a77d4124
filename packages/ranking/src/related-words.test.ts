import { expect, test } from '@jest/globals';
import { relatedTerms } from './related-words.ts';

test.each([
  [['job'], 'nurse'],
  [['jobs'], 'work'],
  [['scared'], 'afraid'],
  [['medicines'], 'tablet'],
  [['race', 'preparing'], 'training'],
  [['pets'], 'dog'],
])('%j may be answered by %s', (terms, word) => {
  expect(relatedTerms(terms)).toContain(word);
});

test('what answers a question is no question of it, and what is asked is not added', () => {
  expect(relatedTerms(['nurse'])).toEqual([]);
  expect(relatedTerms(['zither', '2024', '王丽'])).toEqual([]);
  expect(relatedTerms(['boss', 'managers'])).toEqual(['supervisor', 'lead', 'chief']);
});
