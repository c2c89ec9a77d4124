import { describe, expect, test } from '@jest/globals';
import { candidateOfInput, contentOfFields, expiryOf } from './candidate-of-input.ts';

const NOW = new Date('2026-05-01T12:00:00Z');

describe('candidateOfInput', () => {
  test('a text is a note', () => {
    const { candidate, expiresAt, metadata } = candidateOfInput({ content: 'Maya owns a boat.' }, NOW);
    expect(candidate).toMatchObject({
      kind: 'note',
      tier: 2,
      category: 'general',
      key: null,
      content: 'Maya owns a boat.',
      source: 'user',
      confidence: 80,
      statedAt: NOW,
    });
    expect(expiresAt).toBeNull();
    expect(metadata).toEqual({});
  });

  test('key and value are a fact with a readable sentence; the key stays as given', () => {
    const { candidate } = candidateOfInput({ key: 'Home Town', value: 'Lisbon', category: 'identity' }, NOW);
    expect(candidate).toMatchObject({
      kind: 'fact',
      key: 'Home Town',
      value: 'Lisbon',
      category: 'identity',
    });
    expect(candidate.content).toContain('Lisbon');
  });

  test('question and answer are a Q/A', () => {
    const { candidate } = candidateOfInput({ question: 'Which tea?', answer: 'Oolong.' }, NOW);
    expect(candidate).toMatchObject({ kind: 'qa', content: 'Q: Which tea?\nA: Oolong.' });
  });

  test.each([
    ['tool', 95],
    ['user', 80],
    ['web', 50],
    ['guess', 30],
    ['tool_call', 95],
    ['user_explicit', 90],
    ['conversation', 70],
    ['elsewhere', 80],
  ])('what comes from %s has a confidence of %i, unless it says otherwise', (source, confidence) => {
    expect(candidateOfInput({ content: 'A note.', source }, NOW).candidate.confidence).toBe(confidence);
    expect(candidateOfInput({ content: 'A note.', source, confidence: 7 }, NOW).candidate.confidence).toBe(7);
  });

  test('the validity that is given counts, and repeated tags do not', () => {
    const { candidate } = candidateOfInput(
      { content: 'A note.', valid_from: '2020-01-01T00:00:00Z', tags: ['a', 'b', 'a'] },
      NOW,
    );
    expect(candidate.validFrom).toEqual(new Date('2020-01-01T00:00:00Z'));
    expect(candidate.tags).toEqual(['a', 'b']);
  });
});

test('expiryOf reads either way of saying it', () => {
  expect(expiryOf({}, NOW)).toBeNull();
  expect(expiryOf({ expires_at: null }, NOW)).toBeNull();
  expect(expiryOf({ expires_at: '2026-06-01T00:00:00Z' }, NOW)).toEqual(new Date('2026-06-01T00:00:00Z'));
  expect(expiryOf({ expires_in_days: 2 }, NOW)).toEqual(new Date('2026-05-03T12:00:00Z'));
});

test('contentOfFields prefers the text that is given', () => {
  expect(contentOfFields({ content: 'As it is.', key: 'a', value: 'b' })).toBe('As it is.');
  expect(contentOfFields({ question: 'Q?', answer: 'A.' })).toBe('Q: Q?\nA: A.');
});
