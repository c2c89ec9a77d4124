import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { types } from 'pg';
import { parseInt8, parseNumbers, parseTimestamptz } from './column-types.ts';

test('an int8 is a number as long as a number can hold it', () => {
  expect(parseInt8('-42')).toBe(-42);
  expect(parseInt8('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parseInt8('9007199254740993')).toBe(9_007_199_254_740_993n);
});

const FLOAT8_ARRAY: number = 1022;
const pgTimestamptz = types.getTypeParser(types.builtins.TIMESTAMPTZ, 'text') as (text: string) => unknown;
const pgNumbers = types.getTypeParser(FLOAT8_ARRAY, 'text') as (text: string) => unknown;

test('a timestamptz is what pg makes of it', () => {
  expect(parseTimestamptz('2026-02-28 03:04:05.678912+00')).toEqual(new Date('2026-02-28T03:04:05.678Z'));
  const two = (least: number, most: number) =>
    fc.integer({ min: least, max: most }).map((value) => String(value).padStart(2, '0'));
  const year = fc.oneof(
    fc.integer({ min: 1900, max: 2100 }).map(String),
    fc.integer({ min: 1, max: 270_000 }).map((value) => String(value).padStart(4, '0')),
  );
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,6}$/));
  const end = fc.constantFrom('+00', '+00', '+00', '+02', '-03:30', '+05:53:28', '+00 BC');
  fc.assert(
    fc.property(
      fc.tuple(year, two(1, 12), two(1, 28), two(0, 23), two(0, 59), two(0, 59), fraction, end),
      ([year, month, day, hour, minute, second, fraction, end]) => {
        const text = `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction}${end}`;
        expect(parseTimestamptz(text)).toEqual(pgTimestamptz(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each(['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '1883-01-01 00:00:00-07:52:58'])(
  'the unusual timestamptz %s is what pg makes of it',
  (text) => {
    expect(parseTimestamptz(text)).toEqual(pgTimestamptz(text));
  },
);

test.each([
  '{}',
  '{1}',
  '{-1,0,22}',
  '{0.5,-1e-07,1.25e+20}',
  '{1,NULL,3}',
  '{NaN,Infinity}',
  '{{1,2},{3,4}}',
  '[0:1]={1,2}',
])('the numbers %s are what pg makes of them', (text) => {
  expect(parseNumbers(text)).toEqual(pgNumbers(text));
});
