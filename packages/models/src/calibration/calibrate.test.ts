import { describe, expect, test } from '@jest/globals';
import { calibrate, type MeasuredPair, measurePairs } from './calibrate.ts';
import type { Language, PairKind } from './calibration-pair.ts';
import { CALIBRATION_PAIRS } from './pairs.ts';

function pairs(kind: PairKind, similarities: readonly number[], language: Language = 'en'): MeasuredPair[] {
  return similarities.map((similarity) => ({ kind, language, texts: ['a', 'b'], similarity }));
}

const spread = (from: number, to: number) =>
  Array.from({ length: 21 }, (_, step) => from + ((to - from) * step) / 20);

const GOOD = [
  ...pairs('answers', spread(0.4, 0.8)),
  ...pairs('same', spread(0.9, 1)),
  ...pairs('different', spread(0.75, 0.89)),
  ...pairs('related', spread(0.5, 0.7)),
  ...pairs('unrelated', spread(0, 0.3)),
];

describe('calibrate', () => {
  test('chooses each threshold by its rule', () => {
    const { thresholds, warnings } = calibrate(GOOD);
    expect(thresholds).toEqual({ minSimilarity: 0.42, relatedSimilarity: 0.75, duplicateSimilarity: 0.892 });
    expect(warnings).toEqual([]);
  });

  test('says where kinds overlap, and which language the model does not read', () => {
    const { thresholds, warnings } = calibrate([
      ...GOOD.filter(({ kind }) => kind !== 'different' && kind !== 'unrelated'),
      ...pairs('different', spread(0.75, 0.999)),
      ...pairs('unrelated', spread(0.2, 0.6)),
      ...pairs('answers', spread(0.1, 0.3), 'zh'),
      ...pairs('different', spread(0.9999, 1), 'zh'),
    ]);
    expect(thresholds.duplicateSimilarity).toBe(0.999);
    expect(warnings).toHaveLength(5);
    expect(warnings.join('\n')).toMatch(/unrelated[^]*rewordings[^]*same vector[^]*zh: only[^]*zh: 100 %/);
  });

  test('never leaves the range of a similarity', () => {
    const { thresholds } = calibrate([
      ...pairs('answers', [-1]),
      ...pairs('same', [-1]),
      ...pairs('different', [1]),
    ]);
    expect(thresholds).toEqual({ minSimilarity: 0, relatedSimilarity: 0, duplicateSimilarity: 0.999 });
  });
});

test('the labelled set: at least 150 pairs, each once, of every kind in every language', () => {
  expect(CALIBRATION_PAIRS.length).toBeGreaterThanOrEqual(150);
  const distinct = new Set(CALIBRATION_PAIRS.map(({ kind, texts }) => JSON.stringify([kind, texts])));
  expect(distinct.size).toBe(CALIBRATION_PAIRS.length);
  expect(new Set(CALIBRATION_PAIRS.map(({ kind, language }) => `${kind} ${language}`)).size).toBe(15);
});

test('each text is embedded once', async () => {
  const asked: string[] = [];
  const measured = await measurePairs(
    [
      { kind: 'same', language: 'en', texts: ['a', 'b'] },
      { kind: 'different', language: 'en', texts: ['b', 'c'] },
    ],
    async (texts) => {
      asked.push(...texts);
      return [
        [1, 0],
        [0.6, 0.8],
        [0, 1],
      ];
    },
  );
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(measured.map(({ similarity }) => similarity)).toEqual([0.6, 0.8]);
});
