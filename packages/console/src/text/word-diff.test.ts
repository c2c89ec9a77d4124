import { expect, test } from '@jest/globals';
import { changedFields, diffTexts } from './word-diff.ts';

test('names the words that changed, and keeps the rest', () => {
  expect(diffTexts('The user lives in Trondheim.', 'The user lives in Bergen.')).toEqual([
    { kind: 'same', text: 'The user lives in ' },
    { kind: 'removed', text: 'Trondheim' },
    { kind: 'added', text: 'Bergen' },
    { kind: 'same', text: '.' },
  ]);
});

test('shows texts that share almost nothing one after the other', () => {
  expect(diffTexts('Likes green tea with milk', 'Works as a nurse')).toEqual([
    { kind: 'removed', text: 'Likes green tea with milk' },
    { kind: 'added', text: 'Works as a nurse' },
  ]);
});

test.each([
  ['', '', []],
  ['same', 'same', [{ kind: 'same', text: 'same' }]],
  ['', 'new', [{ kind: 'added', text: 'new' }]],
])('of %j and %j', (before, after, parts) => {
  expect(diffTexts(before, after)).toEqual(parts);
});

test('both texts can be read from the parts again', () => {
  const [before, after] = ['She has two cats, and a dog.', 'She has three cats and a small dog!'];
  const parts = diffTexts(before, after);
  const without = (kind: string) => parts.filter((part) => part.kind !== kind).map((part) => part.text);
  expect(without('added').join('')).toBe(before);
  expect(without('removed').join('')).toBe(after);
});

test('lists changed fields, the content first, without bookkeeping', () => {
  const before = { category: 'home', content: 'a', tags: ['x'], updated_at: '1', valid_to: null };
  const after = { category: 'work', content: 'b', tags: ['x'], updated_at: '2', valid_to: null };
  expect(changedFields(before, after).map(({ field }) => field)).toEqual(['content', 'category']);
  expect(changedFields(null, { content: 'b' })).toEqual([{ field: 'content', before: '', after: 'b' }]);
});
