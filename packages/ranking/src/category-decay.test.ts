import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ARCHIVE_SCORE,
  categoryDecay,
  decayedScore,
  DEFAULT_HALF_LIFE_DAYS,
  FADING_CATEGORIES,
  HALF_LIFE_DAYS,
} from './category-decay.ts';

const DAY_MS = 86_400_000;
const SOURCE_CATEGORIES = [
  'identity',
  'config',
  'credential',
  'decision',
  'solution',
  'event',
  'conversation',
  'temp',
  'debug',
];

describe('categoryDecay', () => {
  test('every category of source C has a half-life of its own', () => {
    expect(Object.keys(HALF_LIFE_DAYS).toSorted()).toEqual(SOURCE_CATEGORIES.toSorted());
    expect(new Set(Object.values(HALF_LIFE_DAYS)).size).toBe(SOURCE_CATEGORIES.length);
  });

  test.each(Object.entries(HALF_LIFE_DAYS))('%s counts half after %d days', (category, days) => {
    expect(categoryDecay({ category, ageMs: 0 })).toBe(1);
    expect(categoryDecay({ category, ageMs: days * DAY_MS })).toBeCloseTo(0.5, 12);
    expect(categoryDecay({ category, ageMs: 2 * days * DAY_MS })).toBeCloseTo(0.25, 12);
  });

  test('an unknown category has the default, and case does not matter', () => {
    const ageMs = DEFAULT_HALF_LIFE_DAYS * DAY_MS;
    expect(categoryDecay({ category: 'hobby', ageMs })).toBeCloseTo(0.5, 12);
    expect(categoryDecay({ category: 'toString', ageMs })).toBeCloseTo(0.5, 12);
    expect(categoryDecay({ category: 'TEMP', ageMs })).toBe(categoryDecay({ category: 'temp', ageMs }));
  });

  test('never rises with age and stays within 0 and 1', () => {
    const age = fc.double({ min: -1e15, max: 1e18, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...SOURCE_CATEGORIES, 'other'), age, age, (category, a, b) => {
        const [young, old] = [Math.min(a, b), Math.max(a, b)].map((ageMs) =>
          categoryDecay({ category, ageMs }),
        );
        expect(old).toBeLessThanOrEqual(young ?? Number.NaN);
        expect(old).toBeGreaterThan(0);
        expect(young).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('decayedScore', () => {
  test.each([
    ['debug', 0.5, 8, false],
    ['debug', 0.5, 9, true],
    ['temp', 0.5, 26, false],
    ['temp', 0.5, 27, true],
    ['temp', 1, 27, false],
    ['temp', 0, 0, true],
  ])('%s of importance %d has faded after %d days: %s', (category, importance, days, faded) => {
    expect(FADING_CATEGORIES).toContain(category);
    expect(decayedScore({ category, importance, ageMs: days * DAY_MS }) <= ARCHIVE_SCORE).toBe(faded);
  });

  test('an importance out of range counts as its nearest', () => {
    expect(decayedScore({ category: 'event', importance: 7, ageMs: 0 })).toBe(1);
    expect(decayedScore({ category: 'event', importance: -1, ageMs: 0 })).toBe(0);
  });
});
