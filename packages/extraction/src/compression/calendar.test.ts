import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addDays,
  instantOf,
  latestPeriod,
  localDateOf,
  periodOf,
  startOfDay,
  toCronPattern,
} from './calendar.ts';

const DAILY = { weekday: null, hour: 3, minute: 0 };
const WEEKLY = { weekday: 1, hour: 4, minute: 0 };
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
];

describe('instantOf', () => {
  test.each([
    ['2026-01-15', 3, 0, 'Europe/Berlin', '2026-01-15T02:00:00.000Z'],
    ['2026-07-15', 3, 0, 'Europe/Berlin', '2026-07-15T01:00:00.000Z'],
    // Clocks went from 02:00 to 03:00: 02:30 is skipped, 03:00 is not.
    ['2026-03-29', 2, 30, 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29', 3, 0, 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    // Clocks went from 03:00 back to 02:00: the first 02:30.
    ['2026-10-25', 2, 30, 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25', 3, 0, 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-03-08', 2, 30, 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-01-15', 0, 0, 'Asia/Kolkata', '2026-01-14T18:30:00.000Z'],
    ['2026-01-15', 0, 0, 'Pacific/Kiritimati', '2026-01-14T10:00:00.000Z'],
  ])('%s %i:%i in %s', (date, hour, minute, timeZone, expected) => {
    expect(instantOf(date, hour, minute, timeZone).toISOString()).toBe(expected);
  });

  test('a day without a midnight begins when it begins', () => {
    // Summer time began at midnight.
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString()).toBe('2018-11-04T03:00:00.000Z');
  });

  test('a day lasts from its start to the start of the next', () => {
    const day = fc.date({
      min: new Date('1995-01-01T00:00:00Z'),
      max: new Date('2040-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), day, (timeZone, instant) => {
        const date = localDateOf(instant, timeZone);
        expect(startOfDay(date, timeZone).getTime()).toBeLessThanOrEqual(instant.getTime());
        expect(startOfDay(addDays(date, 1), timeZone).getTime()).toBeGreaterThan(instant.getTime());
      }),
    );
  });
});

describe('latestPeriod', () => {
  test.each([
    ['2026-05-13T02:59:59Z', 'UTC', '2026-05-11', '2026-05-12T03:00:00.000Z', '2026-05-12T00:00:00.000Z'],
    ['2026-05-13T03:00:00Z', 'UTC', '2026-05-12', '2026-05-13T03:00:00.000Z', '2026-05-13T00:00:00.000Z'],
    [
      '2026-05-13T01:30:00Z',
      'Europe/Berlin',
      '2026-05-12',
      '2026-05-13T01:00:00.000Z',
      '2026-05-12T22:00:00.000Z',
    ],
    [
      '2026-03-29T12:00:00Z',
      'Europe/Berlin',
      '2026-03-28',
      '2026-03-29T01:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
    ],
  ])('daily at %s in %s', (now, timeZone, date, dueAt, until) => {
    const period = latestPeriod(DAILY, new Date(now), timeZone);
    expect([period.date, period.dueAt.toISOString(), period.until.toISOString()]).toEqual([
      date,
      dueAt,
      until,
    ]);
  });

  test.each([
    ['2026-05-11T03:59:00Z', '2026-05-03', '2026-05-04T04:00:00.000Z'],
    ['2026-05-11T04:00:00Z', '2026-05-10', '2026-05-11T04:00:00.000Z'],
    ['2026-05-17T23:00:00Z', '2026-05-10', '2026-05-11T04:00:00.000Z'],
  ])('weekly at %s', (now, date, dueAt) => {
    const period = latestPeriod(WEEKLY, new Date(now), 'UTC');
    expect([period.date, period.dueAt.toISOString()]).toEqual([date, dueAt]);
  });

  test('every day has one daily period, whatever the clocks do', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York']) {
      const seen = new Set<string>();
      const start = Date.parse('2026-01-01T12:00:00Z');
      for (let hour = 0; hour < 365 * 24; hour += 5) {
        const now = new Date(start + hour * 3_600_000);
        const period = latestPeriod({ weekday: null, hour: 2, minute: 30 }, now, timeZone);
        expect(now.getTime() - period.dueAt.getTime()).toBeLessThan(26 * 3_600_000);
        seen.add(period.date);
      }
      expect(Math.abs(seen.size - 366)).toBeLessThanOrEqual(1);
      expect([...seen].every((date, index, all) => index === 0 || all[index - 1] === addDays(date, -1))).toBe(
        true,
      );
    }
  });
});

test('periodOf covers the day that is asked for', () => {
  const period = periodOf('2026-05-12', new Date('2026-05-12T10:00:00Z'), 'Asia/Kolkata');
  expect(period).toEqual({
    date: '2026-05-12',
    dueAt: new Date('2026-05-12T10:00:00Z'),
    until: new Date('2026-05-12T18:30:00Z'),
  });
});

test('toCronPattern', () => {
  expect([toCronPattern(DAILY), toCronPattern(WEEKLY)]).toEqual(['0 3 * * *', '0 4 * * 1']);
});
