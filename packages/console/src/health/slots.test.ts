import { expect, test } from '@jest/globals';
import { countBySlot, SLOT_SECONDS, type Slots, slotOf, toRates } from './slots.ts';

const NOW = 1_700_000_000_000;

test('counts events per second in the slots of the last minutes', () => {
  let slots: Slots = new Map();
  for (const type of ['memory.created', 'memory.created', 'memory.updated']) {
    slots = countBySlot(slots, type, slotOf(NOW));
  }
  const { times, rates } = toRates(slots, NOW, {
    memories: ['memory.created', 'memory.updated'],
    failed: ['x'],
  });
  expect(rates['memories']?.at(-1)).toBe(3 / SLOT_SECONDS);
  expect(rates['memories']?.at(-2)).toBe(0);
  expect(rates['failed']?.every((rate) => rate === 0)).toBe(true);
  expect(times.at(-1)).toBe(slotOf(NOW) * SLOT_SECONDS);
});

test('forgets what is older than what is shown', () => {
  let slots: Slots = new Map();
  for (let slot = 0; slot < 500; slot += 1) slots = countBySlot(slots, 'a', slot);
  expect(slots.size).toBe(60);
});
