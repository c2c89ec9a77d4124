import { describe, expect, test } from '@jest/globals';
import { searchRequestSchema } from '@factmill/contracts';
import { presets } from '@factmill/extraction';
import { settingsOf } from './settings.ts';
import { type MemoryNumbers, withPreset } from './with-preset.ts';

const OWN: MemoryNumbers = {
  topK: undefined,
  recencyWeight: undefined,
  scoreThreshold: undefined,
  mmrLambda: undefined,
};
const request = (given: object = {}) => searchRequestSchema.parse({ query: 'x', ...given });

describe('a search that says nothing itself', () => {
  test.each([...presets.values()])('is what the preset $name says', (preset) => {
    const { retrieval } = preset;
    const searched = withPreset(request(), preset, OWN);
    const settings = settingsOf(searched, searched.mode ?? 'fused');
    expect(settings).toMatchObject({
      mode: retrieval.mode,
      limit: retrieval.limit,
      recencyWeight: retrieval.recencyWeight,
      minRelevance: retrieval.scoreThreshold,
      mmrLambda: retrieval.mmrLambda,
      collapse: retrieval.collapse,
    });
    expect(searched.channels).toEqual(retrieval.channels === 'vector' ? ['vector'] : undefined);
  });
});

describe('a search of a preset', () => {
  const preset = presets.get('reconciled')!;

  test('has the numbers of the request, else those given for the preset’s', () => {
    const numbers = { ...OWN, recencyWeight: 0.3, scoreThreshold: 0.2, mmrLambda: 0.6 };
    expect(withPreset(request({ recency_weight: 0.1 }), preset, numbers)).toMatchObject({
      mode: 'enhanced',
      recency_weight: 0.1,
      min_relevance: 0.2,
      mmr_lambda: 0.6,
    });
  });

  test('that names a mode has the numbers of that mode', () => {
    const searched = withPreset(request({ mode: 'fused' }), preset, OWN);
    expect(searched.limit).toBeUndefined();
    expect(settingsOf(searched, 'fused')).toMatchObject({ limit: 15, collapse: true });
  });
});

describe('how many candidates each channel brings', () => {
  const candidatesOf = (mode: 'enhanced' | 'fused' | 'classic', limit: number) =>
    settingsOf(request({ limit }), mode).candidates;

  test('three times as many as there are to be results, from each scope (E4)', () => {
    expect(candidatesOf('enhanced', 5)).toBe(15);
    expect(candidatesOf('enhanced', 7)).toBe(21);
    expect(candidatesOf('fused', 40)).toBe(120);
  });

  test('a mode may have a number that is never undercut', () => {
    expect(candidatesOf('fused', 1)).toBe(45);
    expect(candidatesOf('classic', 1)).toBe(30);
  });
});
