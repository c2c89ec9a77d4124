import { describe, expect, test } from '@jest/globals';
import { searchRequestSchema } from '@factmill/contracts';
import { presets } from '@factmill/extraction';
import { settingsOf } from './settings.ts';

describe('what presets say about retrieval', () => {
  test.each([...presets.values()])('$name: is what its mode does', ({ retrieval }) => {
    const settings = settingsOf(searchRequestSchema.parse({ query: 'x' }), retrieval.mode);
    expect({
      mode: settings.mode,
      recencyWeight: settings.recencyWeight,
      scoreThreshold: settings.minRelevance,
      mmrLambda: settings.mmrLambda,
    }).toEqual({
      mode: retrieval.mode,
      recencyWeight: retrieval.recencyWeight,
      scoreThreshold: retrieval.scoreThreshold,
      mmrLambda: retrieval.mmrLambda,
    });
  });
});
