import { describe, expect, test } from '@jest/globals';
import { pickModels, RECHECK_MS } from './pick-models.ts';

const MODELS = ['first', 'second', 'third'];
const missing = (...entries: [string, number][]) => new Map(entries);

describe('pickModels', () => {
  test('keeps our order, whatever the order of the list', () => {
    const listed = ['third', 'other', 'second'];
    expect(pickModels(MODELS, { listed, missingSinceMs: missing() }, 0)).toEqual(['second', 'third']);
  });

  test('knows the tags and prefixes that servers list models with', () => {
    const listed = ['models/third', 'second:latest', 'first:7b'];
    expect(pickModels(MODELS, { listed, missingSinceMs: missing() }, 0)).toEqual(['second', 'third']);
  });

  test('a model that is listed but was refused is left out', () => {
    const known = { listed: MODELS, missingSinceMs: missing(['first', 5]) };
    expect(pickModels(MODELS, known, 10)).toEqual(['second', 'third']);
  });

  test('nothing listed, nothing to ask', () => {
    expect(pickModels(MODELS, { listed: ['other'], missingSinceMs: missing() }, 0)).toEqual([]);
  });

  test('without a list, what was refused a while ago is asked for again', () => {
    const known = { listed: null, missingSinceMs: missing(['first', 0], ['second', 50]) };
    expect(pickModels(MODELS, known, 100)).toEqual(['third']);
    expect(pickModels(MODELS, known, RECHECK_MS)).toEqual(['first', 'third']);
  });

  test('without a list and with all refused, one is asked for: the one refused longest ago', () => {
    const known = { listed: null, missingSinceMs: missing(['first', 30], ['second', 10], ['third', 20]) };
    expect(pickModels(MODELS, known, 100)).toEqual(['second']);
  });
});
