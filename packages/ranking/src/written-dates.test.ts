import { describe, expect, test } from '@jest/globals';
import { type AskedPeriod, dateFit, dateTerms } from './written-dates.ts';

const period = (from: string, until: string, anyYear = false): AskedPeriod => ({
  from: new Date(from),
  until: new Date(until),
  anyYear,
});
const day = period('2026-05-16', '2026-05-17');
const month = period('2026-05-01', '2026-06-01');
/** Long before all periods. */
const validFrom = new Date('2020-02-02T12:00:00Z');
const fitOf = (content: string, asked: AskedPeriod) => dateFit([asked], { content, validFrom });

describe('dateFit', () => {
  test.each([
    'The user flies on 16 May 2026.',
    'The user flies on 16th of May, 2026.',
    'The flight is on May 16, 2026 at noon.',
    'The flight is on May 16th.',
    'Flight 2026-05-16',
    '用户2026年5月16日去旅行',
    '用户5月16日去旅行',
  ])('the day in: %s', (content) => {
    expect(fitOf(content, day)).toBe(1);
    expect(fitOf(content, month)).toBe(1);
    expect(fitOf(content, period('2026-05-17', '2026-05-18'))).toBe(0);
  });

  test.each([
    ['The user flies in May 2026.', 0.5],
    ['The user flew in the week of 11 May 2026.', 0.5],
    ['The user flies in May.', 0.5],
    ['The user will move in 2026.', 0],
    ['The user may fly.', 0],
    ['The user flew on 16 May 2025.', 0],
    ['The user flew on 31 June 2026.', 0],
    ['The user is called May.', 0],
  ])('what is less precise counts half where it is a month or less: %s', (content, fit) => {
    expect(fitOf(content, day)).toBe(fit);
  });

  test('a memory holds since a day of the period', () => {
    const holding = (since: string, asked: AskedPeriod) =>
      dateFit([asked], { content: 'x', validFrom: new Date(since) });
    expect(holding('2026-05-16T23:59:59Z', day)).toBe(1);
    expect(holding('2026-05-17T00:00:00Z', day)).toBe(0);
    expect(holding('2023-05-16T10:00:00Z', day)).toBe(0);
    expect(holding('2023-05-16T10:00:00Z', { ...day, anyYear: true })).toBe(1);
    expect(dateFit([], { content: 'on 16 May 2026', validFrom })).toBe(0);
    expect(dateFit([period('2026-01-01', '2026-01-02'), day], { content: 'on 16 May 2026', validFrom })).toBe(
      1,
    );
  });

  test('over the end of a year too', () => {
    const turn = period('2026-12-28', '2027-01-04', true);
    expect(fitOf('on 30 December', turn)).toBe(1);
    expect(fitOf('on 2 January 2027', { ...turn, anyYear: false })).toBe(1);
  });
});

test('the words of a date, for full text', () => {
  expect(dateTerms(day)).toEqual(['may', 'may', '5月', '2026-05']);
  expect(dateTerms({ ...day, anyYear: true })).toEqual(['may', 'may', '5月']);
  expect(dateTerms(period('2026-01-30', '2026-02-06'))).toEqual([
    'january', 'jan', '1月', '2026-01', 'february', 'feb', '2月', '2026-02',
  ]); // prettier-ignore
  expect(dateTerms(period('2026-01-01', '2027-01-01'))).toEqual(['2026']);
});
