import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { calibrate, type MeasuredPair, measurePairs } from '../calibration/calibrate.ts';
import type { PairKind } from '../calibration/calibration-pair.ts';
import { CALIBRATION_PAIRS } from '../calibration/pairs.ts';
import { createEmbedder } from './embedder.ts';
import { LOCAL_EMBEDDING_PROFILE, readsWhole } from './embedding-profiles.ts';

describe('the local embedding profile', () => {
  const embedder = createEmbedder({ provider: 'local' });
  let measured: MeasuredPair[] = [];

  beforeAll(async () => {
    measured = await measurePairs(CALIBRATION_PAIRS, (texts) => embedder.embed(texts));
  });

  afterAll(() => embedder.close());

  const of = (kind: PairKind): number[] =>
    measured.filter((pair) => pair.kind === kind && pair.language === 'en').map((pair) => pair.similarity);

  test('has the thresholds that calibration finds', () => {
    const { minSimilarity, relatedSimilarity, duplicateSimilarity } = LOCAL_EMBEDDING_PROFILE;
    expect(calibrate(measured).thresholds).toEqual({ minSimilarity, relatedSimilarity, duplicateSimilarity });
  });

  test('an unrelated fact hardly ever comes before the one that answers', async () => {
    const pairs = CALIBRATION_PAIRS.filter((pair) => pair.kind === 'answers' && pair.language === 'en');
    const factVectors = await embedder.embed(pairs.map((pair) => pair.texts[1]));
    const questionVectors = await embedder.embed(pairs.map((pair) => pair.texts[0]));
    const inTopFive = questionVectors.filter((question, index) => {
      const scores = factVectors.map((fact) => dot(question, fact));
      return scores.filter((score) => score > (scores[index] ?? 0)).length < 5;
    });
    expect(inTopFive.length / pairs.length).toBeGreaterThanOrEqual(0.9);
  });

  test('no two different facts that the model reads count as duplicates; those it does not read would', () => {
    const merged = measured.filter(
      (pair) => pair.kind !== 'same' && pair.similarity >= LOCAL_EMBEDDING_PROFILE.duplicateSimilarity,
    );
    const read = (text: string) => readsWhole(LOCAL_EMBEDDING_PROFILE, text);
    expect(merged.filter((pair) => pair.texts.every(read))).toEqual([]);
    expect(merged.length).toBeGreaterThan(0);
  });

  test('the same text counts as a duplicate of itself', async () => {
    const [first, , again] = await embedder.embed(['birthday: 14 March', 'age: 42', 'birthday: 14 March']);
    expect(dot(first ?? [], again ?? [])).toBeGreaterThanOrEqual(LOCAL_EMBEDDING_PROFILE.duplicateSimilarity);
  });

  test('no lower threshold would do: rewordings and contradictions overlap in this model', () => {
    expect(Math.max(...of('different'))).toBeGreaterThan(Math.max(...of('same')));
  });
});

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
