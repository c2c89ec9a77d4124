import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelayMs, type RetryPolicy } from './backoff.ts';

const attempts = fc.integer({ min: 1, max: 10_000 });
const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policies: fc.Arbitrary<RetryPolicy> = fc.oneof(
  fc.record({ kind: fc.constant('fixed' as const), intervalMs: fc.integer({ min: 1, max: 600_000 }) }),
  fc.record({
    kind: fc.constant('exponential' as const),
    baseMs: fc.integer({ min: 1, max: 60_000 }),
    capMs: fc.integer({ min: 1, max: 3_600_000 }),
  }),
);

describe('retryDelayMs', () => {
  test('fixed: the interval, whatever the attempt', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 600_000 }), unit, (attempt, intervalMs, value) => {
        const policy = { kind: 'fixed', intervalMs } as const;
        expect(retryDelayMs({ attempt, policy, random: () => value })).toBe(intervalMs);
      }),
    );
  });

  test('exponential: between half and all of the doubled base, never above the cap', () => {
    fc.assert(
      fc.property(
        attempts,
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 3_600_000 }),
        unit,
        (attempt, baseMs, capMs, value) => {
          const policy = { kind: 'exponential', baseMs, capMs } as const;
          const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 30));
          const delayMs = retryDelayMs({ attempt, policy, random: () => value });
          expect(delayMs).toBeGreaterThanOrEqual(Math.floor(ceiling / 2));
          expect(delayMs).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });

  test('a Retry-After is waited for, up to an hour', () => {
    fc.assert(
      fc.property(
        attempts,
        policies,
        unit,
        fc.integer({ min: 0, max: 1_000_000 }),
        (attempt, policy, value, after) => {
          const own = retryDelayMs({ attempt, policy, random: () => value });
          const delayMs = retryDelayMs({ attempt, policy, random: () => value, retryAfterSeconds: after });
          expect(delayMs).toBe(Math.max(own, Math.min(after * 1_000, 3_600_000)));
        },
      ),
    );
  });

  test('always a whole number of milliseconds that is not negative', () => {
    const odd = fc.option(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 1e9 }), policies, unit, odd, (attempt, policy, value, after) => {
        const delayMs = retryDelayMs({ attempt, policy, random: () => value, retryAfterSeconds: after });
        expect(Number.isSafeInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
