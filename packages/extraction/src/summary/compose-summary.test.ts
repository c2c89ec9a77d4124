import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens } from '../token-estimate.ts';
import {
  composeConversationSummary,
  composeUserSummary,
  sentenceOf,
  type SummarisedMemory,
} from './compose-summary.ts';

function memory(content: string, fields: Partial<SummarisedMemory> = {}): SummarisedMemory {
  return {
    kind: 'fact',
    tier: 2,
    category: 'general',
    content,
    question: null,
    answer: null,
    statedAt: new Date('2026-05-04T10:00:00Z'),
    ...fields,
  };
}

const anyMemory = fc
  .record({
    kind: fc.constantFrom('fact', 'qa', 'note', 'event' as const),
    tier: fc.constantFrom(1, 2, 3),
    category: fc.constantFrom('work', 'family_life', 'general', ''),
    // No white space inside a word: what is told is compared word by word.
    words: fc.array(fc.stringMatching(/^[a-zé]{1,8}$/), { maxLength: 12 }),
    day: fc.integer({ min: 0, max: 20_000 }),
  })
  .map(({ kind, tier, category, words, day }): SummarisedMemory => {
    const text = words.join(' ');
    const statedAt = new Date(day * 86_400_000);
    return kind === 'qa'
      ? memory(`Q: ${text}\nA: ${text}`, { kind, tier, category, statedAt, question: text, answer: text })
      : memory(text, { kind, tier, category, statedAt });
  });

const anyMemories = fc.array(anyMemory, { maxLength: 40 });

describe('a composed narrative', () => {
  test('tells the profile first, then by category, then the events in their order', () => {
    const text = composeUserSummary([
      memory('The user lives in Lisbon', { tier: 1, category: 'personal' }),
      memory('The user works as a nurse.', { category: 'work' }),
      memory('Booked a flight to Oslo.', {
        kind: 'event',
        tier: 3,
        statedAt: new Date('2026-05-02T00:00:00Z'),
      }),
      memory('Adopted a cat on 2026-04-30.', {
        kind: 'event',
        tier: 3,
        statedAt: new Date('2026-05-01T00:00:00Z'),
      }),
      memory('The user is married to\nSam.', { category: 'family_life' }),
      memory('', { kind: 'qa', question: 'Favourite colour?', answer: 'blue' }),
      memory('', { kind: 'qa', question: 'What does the user like?', answer: 'The user likes fado.' }),
    ]);
    expect(text).toBe(
      [
        'Profile: The user lives in Lisbon.',
        'Family life: The user is married to Sam.',
        'General: Favourite colour? blue. The user likes fado.',
        'Work: The user works as a nurse.',
        'Events: Adopted a cat on 2026-04-30. 2026-05-02: Booked a flight to Oslo.',
      ].join('\n'),
    );
  });

  test('stays within its budget and leaves out the least important', () => {
    const memories = Array.from({ length: 50 }, (_, index) => memory(`The user owns boat number ${index}.`));
    const text = composeUserSummary(memories, 40);
    expect(estimateTokens(text)).toBeLessThanOrEqual(40);
    expect(text).toContain('boat number 0.');
    expect(text).not.toContain('boat number 49.');
    expect(composeUserSummary([memory('word '.repeat(100)), memory('The user has a dog.')], 40)).toBe(
      'General: The user has a dog.',
    );
  });

  test('is empty when there is nothing to tell', () => {
    expect(composeUserSummary([])).toBe('');
    expect(composeUserSummary([memory('  ')])).toBe('');
  });
});

test('a composed conversation summary tells the oldest first and drops it first', () => {
  const lines = [
    memory('Decided on the blue tiles.', {
      kind: 'event',
      tier: 3,
      statedAt: new Date('2026-05-06T00:00:00Z'),
    }),
    memory('The kitchen is 12 square metres.'),
  ];
  expect(composeConversationSummary(lines)).toBe(
    'The kitchen is 12 square metres.\n2026-05-06: Decided on the blue tiles.',
  );
  expect(composeConversationSummary(lines, 8)).toBe('2026-05-06: Decided on the blue tiles.');
});

test.each([
  ['narrative', composeUserSummary],
  ['conversation', composeConversationSummary],
])('%s: within budget, deterministic, and nothing but what the memories say', (_name, compose) => {
  fc.assert(
    fc.property(anyMemories, fc.integer({ min: 0, max: 60 }), (memories, budget) => {
      const text = compose(memories, budget);
      expect(compose([...memories], budget)).toBe(text);
      expect(estimateTokens(text)).toBeLessThanOrEqual(budget);
      let rest = text.replaceAll(/^(?:Profile|Events|General|Work|Family life): /gm, '');
      for (const sentence of memories.map(sentenceOf).toSorted((a, b) => b.length - a.length)) {
        if (sentence !== '') rest = rest.replaceAll(sentence, '');
      }
      expect(rest.replaceAll(/\d{4}-\d\d-\d\d:/g, '').trim()).toBe('');
    }),
  );
});
