import { describe, expect, test } from '@jest/globals';
import { createProgressTracker, isStuck } from './progress.ts';

const THRESHOLD_MS = 60_000;

function trackerAt(startMs: number, concurrency = 2) {
  let now = startMs;
  const tracker = createProgressTracker({ clock: () => now, concurrency });
  return {
    tracker,
    advance: (ms: number) => {
      now += ms;
    },
    stuck: (oldestWaitingAgeMs: number) =>
      isStuck(tracker.read(), { now, oldestWaitingAgeMs, thresholdMs: THRESHOLD_MS }),
  };
}

describe('isStuck', () => {
  test('work waits, slots are free, nothing was taken for the threshold', () => {
    const { advance, stuck } = trackerAt(1_000_000);
    expect(stuck(THRESHOLD_MS + 1)).toBe(false);
    advance(THRESHOLD_MS + 1);
    expect(stuck(THRESHOLD_MS)).toBe(false);
    expect(stuck(THRESHOLD_MS + 1)).toBe(true);
  });

  test('a backlog in front of a worker that takes jobs is not', () => {
    const { tracker, advance, stuck } = trackerAt(0);
    for (let job = 0; job < 10; job += 1) {
      advance(THRESHOLD_MS - 1);
      tracker.taken();
      expect(stuck(10 * THRESHOLD_MS)).toBe(false);
      tracker.ended();
    }
  });

  test('a worker whose slots are all taken is not, one with a free slot is', () => {
    const { tracker, advance, stuck } = trackerAt(0);
    tracker.taken();
    advance(THRESHOLD_MS * 2);
    expect(stuck(THRESHOLD_MS * 2)).toBe(true);
    tracker.taken();
    advance(THRESHOLD_MS * 2);
    expect(tracker.read()).toMatchObject({ running: 2, freeSlots: 0 });
    expect(stuck(THRESHOLD_MS * 2)).toBe(false);
  });

  test('a paused worker is not, and has the threshold to start again', () => {
    const { tracker, advance, stuck } = trackerAt(0);
    tracker.paused(THRESHOLD_MS * 5);
    advance(THRESHOLD_MS * 5);
    expect(stuck(THRESHOLD_MS * 5)).toBe(false);
    tracker.paused(0);
    advance(THRESHOLD_MS);
    expect(stuck(THRESHOLD_MS * 6)).toBe(false);
    advance(1);
    expect(stuck(THRESHOLD_MS * 6)).toBe(true);
  });
});
