/** Events of a few seconds are counted together. */
export const SLOT_SECONDS = 5;
/** Five minutes of them. */
const SLOTS = 60;

/** How many events of each type there were, by slot. */
export type Slots = ReadonlyMap<number, Readonly<Record<string, number>>>;

export function slotOf(nowMs: number): number {
  return Math.floor(nowMs / (SLOT_SECONDS * 1_000));
}

/** Counts one event more, and forgets what is too old to be shown. */
export function countBySlot(slots: Slots, type: string, slot: number): Slots {
  const next = new Map([...slots].filter(([other]) => other > slot - SLOTS));
  const counts = next.get(slot) ?? {};
  next.set(slot, { ...counts, [type]: (counts[type] ?? 0) + 1 });
  return next;
}

/** Times in Unix seconds, and events per second of each group of types, up to now. */
export function toRates(
  slots: Slots,
  nowMs: number,
  groups: Readonly<Record<string, readonly string[]>>,
): Readonly<{ times: number[]; rates: Readonly<Record<string, number[]>> }> {
  const last = slotOf(nowMs);
  const places = Array.from({ length: SLOTS }, (_, index) => last - SLOTS + 1 + index);
  const rateOf = (types: readonly string[]) =>
    places.map((place) => {
      const counts = slots.get(place) ?? {};
      return types.reduce((sum, type) => sum + (counts[type] ?? 0), 0) / SLOT_SECONDS;
    });
  return {
    times: places.map((place) => place * SLOT_SECONDS),
    rates: Object.fromEntries(Object.entries(groups).map(([name, types]) => [name, rateOf(types)])),
  };
}
