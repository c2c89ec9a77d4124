import { expect, test } from '@jest/globals';
import { believedAt, changesOf, knownSpans, placeOf, rangeOf, type TimelineVersion } from './timeline.ts';

const at = (day: string) => Date.parse(`2026-${day}T00:00:00Z`);
const version = (
  memory_id: string,
  number: number,
  known: string,
  after: Readonly<Record<string, unknown>> | null,
): TimelineVersion => ({ memory_id, number, operation: 'ADD', after, created_at: `2026-${known}T00:00:00Z` });

const lives = (city: string, from: string, to: string | null) => ({
  content: `Lives in ${city}`,
  valid_from: `2026-${from}T00:00:00Z`,
  valid_to: to === null ? null : `2026-${to}T00:00:00Z`,
});

/** Trondheim, said in March; in May it is said that the move to Bergen was in April. */
const MOVED = [
  version('a', 1, '03-02', lives('Trondheim', '03-02', null)),
  version('a', 2, '05-01', lives('Trondheim', '03-02', '04-14')),
  version('b', 1, '05-01', lives('Bergen', '04-14', null)),
];

const believed = (valid: string, known: string) =>
  believedAt(MOVED, { validAt: at(valid), knownAt: at(known) }).map(({ content }) => content);

test.each([
  ['before anything was said', '02-01', '02-01', []],
  ['in April, as known in April', '04-20', '04-20', ['Lives in Trondheim']],
  ['in April, as known in June', '04-20', '06-01', ['Lives in Bergen']],
  ['in March, as known in June', '03-10', '06-01', ['Lives in Trondheim']],
  ['now', '06-01', '06-01', ['Lives in Bergen']],
])('%s', (_when, valid, known, expected) => {
  expect(believed(valid, known)).toEqual(expected);
});

test('what was archived or deleted is believed no more', () => {
  const gone = { ...lives('Bergen', '04-14', null), archived_at: '2026-06-01T00:00:00Z' };
  const versions = [...MOVED, version('b', 2, '06-01', gone), version('a', 3, '06-02', null)];
  expect(knownSpans(versions, at('06-03'))).toEqual([]);
  expect(knownSpans(versions, at('05-20'))).toHaveLength(2);
});

test('the range holds everything, and stops are in order and once each', () => {
  const range = rangeOf(MOVED, at('06-01'));
  expect(range.start).toBeLessThan(at('03-02'));
  expect(range.end).toBeGreaterThan(at('06-01'));
  expect(placeOf(range.start, range)).toBe(0);
  expect(placeOf(range.end + 1_000, range)).toBe(1);
  expect(changesOf(MOVED)).toEqual([at('03-02'), at('04-14'), at('05-01')]);
});
