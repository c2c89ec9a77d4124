import { describe, expect, test } from '@jest/globals';
import { excerptsOf } from './excerpts.ts';

const chunk = (documentId: string, position: number, content: string) => ({
  documentId,
  title: documentId === 'a' ? 'Handbook' : null,
  position,
  content,
});

describe('excerptsOf', () => {
  test('joins what follows each other, marks what is left out, keeps documents apart', () => {
    const chunks = [
      chunk('a', 4, 'Four. '),
      chunk('b', 0, 'Other. '),
      chunk('a', 0, 'Zero. '),
      chunk('a', 1, 'One. '),
    ];
    expect(excerptsOf(chunks, 1_000)).toEqual([
      { title: 'Handbook', text: 'Zero. One. \n[…]\nFour.' },
      { title: null, text: 'Other.' },
    ]);
  });

  test('takes the best until the room is used up, and a first one that is too long in part', () => {
    expect(excerptsOf([chunk('a', 3, 'abc'), chunk('a', 2, 'def'), chunk('a', 1, 'ghi')], 5)).toEqual([
      { title: 'Handbook', text: 'defabc' },
    ]);
    expect(excerptsOf([chunk('b', 0, 'abcd😀ef')], 5)).toEqual([{ title: null, text: 'abcd' }]);
    expect(excerptsOf([], 5)).toEqual([]);
  });
});
