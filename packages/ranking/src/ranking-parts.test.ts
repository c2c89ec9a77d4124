import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classicRelevance } from './classic-relevance.ts';
import { keyMatch } from './key-match.ts';
import { blendRecency, recencyOf } from './recency.ts';
import { toRelevances } from './rerank-relevance.ts';
import { withinTokenBudget } from './token-budget.ts';
import { trigramSimilarities } from './trigram-similarity.ts';

const DAY_MS = 86_400_000;
const unit = fc.double({ min: 0, max: 1, noNaN: true });

test('recency and its blend are those of source E', () => {
  expect(recencyOf(0)).toBe(1);
  expect(recencyOf(30 * DAY_MS)).toBeCloseTo(1 / Math.E, 12);
  expect(recencyOf(-DAY_MS)).toBe(1);
  expect(blendRecency(0.5, recencyOf(30 * DAY_MS), 0.2)).toBeCloseTo(0.8 * 0.5 + 0.2 / Math.E, 12);
  fc.assert(
    fc.property(unit, unit, unit, (relevance, recency, weight) => {
      const total = blendRecency(relevance, recency, weight);
      expect(total).toBeGreaterThanOrEqual(Math.min(relevance, recency) - 1e-12);
      expect(total).toBeLessThanOrEqual(Math.max(relevance, recency) + 1e-12);
    }),
  );
});

test('raw scores of a cross-encoder go through the sigmoid, probabilities stay', () => {
  expect(toRelevances([0.2, 0.9])).toEqual([0.2, 0.9]);
  expect(toRelevances([0, 2, -2])).toEqual([0.5, 1 / (1 + Math.exp(-2)), 1 / (1 + Math.exp(2))]);
  expect(toRelevances([])).toEqual([]);
});

test('logits go through the sigmoid even where all of them could be probabilities', () => {
  expect(toRelevances([0, 1], 'logits')).toEqual([0.5, 1 / (1 + Math.exp(-1))]);
});

describe('trigramSimilarities', () => {
  test('related forms count, and what few texts have counts more', () => {
    const [painter, same, other] = trigramSimilarities('Who paints the fence?', [
      'A painter lives next door',
      'Paints the fence',
      'Plays the organ',
    ]);
    expect(same).toBeGreaterThan(painter ?? 1);
    expect(painter).toBeGreaterThan(other ?? 1);
  });

  test('unspaced text is compared by its characters', () => {
    const [right, wrong] = trigramSimilarities('北京的天气', ['她在北京工作', '他喜欢喝茶']);
    expect(right).toBeGreaterThan(wrong ?? 1);
  });

  test('scores lie in 0..1 and follow their texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 8 }), (query, texts) => {
        const scores = trigramSimilarities(query, texts);
        expect(scores).toHaveLength(texts.length);
        for (const score of scores) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-12);
        }
        expect(trigramSimilarities(query, texts.toReversed())).toEqual(scores.toReversed());
      }),
    );
  });
});

test.each([
  [['home', 'town'], 'home_town', 'general', 1],
  [['town', 'hall'], 'home_town', 'general', 0.5],
  [['identity'], null, 'identity', 0.5],
  [['rex'], 'dog_name', 'general', 0],
])('the terms %j match key %s and category %s by %d', (terms, key, category, share) => {
  expect(keyMatch(terms, { key, category })).toBe(share);
});

test('classic relevance: words before project before importance, and it fades', () => {
  const memory = { textScore: 0, ofNamedProject: false, importance: 0.5, category: 'debug', ageMs: 0 };
  const worth = classicRelevance(memory);
  expect(classicRelevance({ ...memory, textScore: 1 })).toBeGreaterThan(
    classicRelevance({ ...memory, ofNamedProject: true }),
  );
  expect(classicRelevance({ ...memory, ofNamedProject: true })).toBeGreaterThan(worth);
  expect(classicRelevance({ ...memory, ageMs: DAY_MS })).toBeCloseTo(worth / 2, 12);
});

describe('withinTokenBudget', () => {
  test('a shorter one may follow one that does not fit', () => {
    expect(withinTokenBudget([5, 9, 3], 8, (tokens) => tokens)).toEqual([5, 3]);
    expect(withinTokenBudget([5, 9], null, (tokens) => tokens)).toEqual([5, 9]);
  });

  test('never more than the budget, and nothing that would still fit is left out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 })),
        fc.integer({ min: 0, max: 200 }),
        (sizes, budget) => {
          const sum = (some: readonly number[]) => some.reduce((total, size) => total + size, 0);
          const kept = withinTokenBudget(sizes, budget, (size) => size);
          expect(sum(kept)).toBeLessThanOrEqual(budget);
          const smallestLeft = Math.min(...sizes.filter((size) => size > budget - sum(kept)), Infinity);
          if (kept.length < sizes.length) expect(smallestLeft).toBeLessThan(Infinity);
        },
      ),
    );
  });
});
