import { expect, test } from '@jest/globals';
import { expandQuery } from './expand-query.ts';

test.each([['How tall am I?'], ["What's my job?"], ['Tell me about my dog']])('%s is expanded', (query) => {
  expect(expandQuery(` ${query} `)).toBe(`${query} height weight physical attributes user facts`);
});

test.each([['How tall is the tower?'], [''], [`I ${'really '.repeat(20)}wonder`], ['Miami timing']])(
  '%s stays as it is',
  (query) => {
    expect(expandQuery(query)).toBe(query.trim());
  },
);
