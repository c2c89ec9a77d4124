import { expect, test } from '@jest/globals';
import { toFetchedRows } from './fetched-rows.ts';

test('finds every row of every page, and nothing behind them', () => {
  const pages = [['a', 'b'], [], ['c'], ['d', 'e', 'f']].map((data) => ({ data }));
  const rows = toFetchedRows({ pages });
  expect(Array.from({ length: rows.count }, (_, index) => rows.at(index)).join('')).toBe('abcdef');
  expect(rows.at(6)).toBeUndefined();
  expect(toFetchedRows(undefined)).toMatchObject({ count: 0 });
});
