import { describe, expect, test } from '@jest/globals';
import { createRates, type Rate, type RateOwner } from './rate.ts';

const KEY = { of: 'key', id: 'a' } as const;

function createStand() {
  let at = 0;
  const rates = createRates({ redis: null, keyPrefix: 'test', now: () => at });
  return {
    pass: (ms: number) => (at += ms),
    /** How many of so many requests were let through. */
    allowed: async (rate: Rate, requests: number, points = 1, owner: RateOwner = KEY) => {
      let allowed = 0;
      for (let request = 0; request < requests; request += 1) {
        if ((await rates.take(owner, rate, points)).isAllowed) allowed += 1;
      }
      return allowed;
    },
    rates,
  };
}

describe('rates', () => {
  test('let through a second’s points and the burst, then refuse', async () => {
    const { allowed, rates } = createStand();
    const rate = { perSecond: 20, burstSeconds: 2 };
    expect(await allowed(rate, 100)).toBe(60);
    const verdict = await rates.take(KEY, rate, 1);
    expect(verdict.isAllowed).toBe(false);
    expect(verdict.resetMs).toBeLessThanOrEqual(1_000);
    expect(await allowed(rate, 5, 1, { of: 'key', id: 'b' })).toBe(5);
    expect(await allowed(rate, 5, 1, { of: 'tenant', id: 'a' })).toBe(5);
  });

  test('without a burst there is only the second', async () => {
    expect(await createStand().allowed({ perSecond: 10, burstSeconds: 0 }, 50)).toBe(10);
  });

  test('count points, not requests; one that costs more than a second has costs a second', async () => {
    expect(await createStand().allowed({ perSecond: 100, burstSeconds: 0 }, 50, 20)).toBe(5);
    expect(await createStand().allowed({ perSecond: 5, burstSeconds: 1 }, 50, 20)).toBe(2);
  });

  test('handfuls never let through more than the rate, nor much less', async () => {
    const { allowed } = createStand();
    const passed = await allowed({ perSecond: 1_000, burstSeconds: 0 }, 3_000);
    expect(passed).toBeLessThanOrEqual(1_000);
    expect(passed).toBeGreaterThan(900);
  });

  test('say what is left', async () => {
    const { rates, allowed } = createStand();
    const rate = { perSecond: 1_000, burstSeconds: 0 };
    expect((await rates.take(KEY, rate, 1)).remaining).toBe(999);
    await allowed(rate, 98);
    expect((await rates.take(KEY, rate, 1)).remaining).toBe(900);
  });
});
