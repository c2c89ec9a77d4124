import { expect, test } from '@jest/globals';
import { parsePlainSearch, stringifyPlainSearch } from '../text/plain-search.ts';
import { isFiltered, nextOrder, parseMemoryFilters, toListQuery } from './memory-filters.ts';

const parse = (search: string) => parseMemoryFilters(parsePlainSearch(search));

test('an address and its filters say the same', () => {
  const search = '?user=123&state=archived&q=a%26b+%3Cc%3E&kind=qa&tag=x&tier=1&sort=importance&order=asc';
  const filters = parse(search);
  expect(filters).toMatchObject({ user: '123', state: 'archived', q: 'a&b <c>', kind: 'qa', tier: '1' });
  expect(parse(stringifyPlainSearch(filters))).toEqual(filters);
  expect(toListQuery(filters, true)).toEqual({
    user_id: '123',
    state: 'archived',
    q: 'a&b <c>',
    kind: 'qa',
    tag: 'x',
    tier: 1,
    sort_by: 'importance',
    order: 'asc',
  });
});

test('without filters the newest current memories are asked for', () => {
  const filters = parse('');
  expect(isFiltered(filters)).toBe(false);
  expect(toListQuery(filters, true)).toEqual({ all_users: true, sort_by: 'created_at', order: 'desc' });
  expect(toListQuery(filters, false)).toEqual({ sort_by: 'created_at', order: 'desc' });
});

test.each(['?kind=evil', '?tier=9', '?sort=password', '?order=up', '?state=__proto__'])(
  'what does not fit counts as not given: %s',
  (search) => {
    expect(parse(search)).toEqual(parse(''));
  },
);

test('a column is sorted, and then the other way round', () => {
  expect(nextOrder({ sort: 'created_at', order: 'desc' }, 'created_at')).toEqual({
    sort: 'created_at',
    order: 'asc',
  });
  expect(nextOrder({ sort: 'created_at', order: 'desc' }, 'content')).toEqual({
    sort: 'content',
    order: 'asc',
  });
  expect(nextOrder({ sort: 'content', order: 'asc' }, 'importance')).toEqual({
    sort: 'importance',
    order: 'desc',
  });
});

test('an address leaves out what is empty', () => {
  expect(stringifyPlainSearch({ a: '', b: undefined, c: 'x y', d: 0 })).toBe('?c=x+y&d=0');
  expect(stringifyPlainSearch({})).toBe('');
});
