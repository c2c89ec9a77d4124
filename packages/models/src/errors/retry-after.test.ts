import { describe, expect, test } from '@jest/globals';
import { parseRetryAfter } from './retry-after.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

describe('parseRetryAfter', () => {
  test.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.2' }, 2],
    [{ 'retry-after': '86400' }, 3600],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }, 90],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' }, 3600],
    [{ 'retry-after-ms': '2500', 'retry-after': '60' }, 3],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('%j gives %s s', (headers, expected) => {
    expect(parseRetryAfter(new Headers(headers), NOW_MS)).toBe(expected);
  });
});
