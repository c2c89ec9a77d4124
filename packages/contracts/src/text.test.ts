import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { messageInputSchema } from './conversations.ts';
import { createMemorySchema } from './memories.ts';
import { externalIdSchema, metadataInputSchema, text, timestampSchema, userIdSchema } from './text.ts';

const accepts = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('text that is stored', () => {
  test('is refused with a NUL or an unpaired surrogate, wherever it hides', () => {
    const bad = ['\u0000', 'a\u0000b', '\ud800', 'a\udfff', '\udc00\ud800'];
    for (const value of bad) {
      expect(accepts(text(100), value)).toBe(false);
      expect(accepts(userIdSchema, value)).toBe(false);
      expect(accepts(metadataInputSchema, { a: value })).toBe(false);
      expect(accepts(metadataInputSchema, { a: [{ b: [value] }] })).toBe(false);
      expect(accepts(metadataInputSchema, { [`k${value}`]: 1 })).toBe(false);
      const message = { role: 'assistant', content: null };
      expect(
        accepts(messageInputSchema, { ...message, tool_calls: [{ function: { arguments: value } }] }),
      ).toBe(false);
      expect(accepts(messageInputSchema, { ...message, content: 'a', tool_call_id: value })).toBe(false);
    }
  });

  test('is taken as it is otherwise, up to its length in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        if (!value.includes('\u0000')) expect(text(400).parse(value)).toBe(value);
      }),
    );
    expect([accepts(text(3), '👋👋👋'), accepts(text(3), '👋👋👋👋')]).toEqual([true, false]);
  });

  test('ids are not blank, not long, and hold no control characters', () => {
    for (const id of ['', ' ', '\t', 'a\nb', 'x'.repeat(129)])
      expect(accepts(externalIdSchema, id)).toBe(false);
    for (const id of ['a', 'chat:42', 'ünïcode 你好', '../x', 'x'.repeat(128)])
      expect(accepts(externalIdSchema, id)).toBe(true);
  });
});

describe('timestamps', () => {
  test.each([
    ['2026-11-21T22:02:20Z', true],
    ['2026-11-21T22:02:20.123456+05:30', true],
    ['0001-01-01T00:00:00Z', true],
    ['9999-12-31T23:59:59.999Z', true],
    ['0000-06-01T00:00:00Z', false],
    ['0001-01-01T00:00:00+14:00', false],
    ['9999-12-31T23:59:59-01:00', false],
    ['2026-02-30T00:00:00Z', false],
    ['2026-11-21', false],
    ['2026-11-21T22:02:20', false],
    ['2026-11-21T22:02:20-15:59', true],
    // Postgres refuses it.
    ['2026-11-21T22:02:20+16:00', false],
    ['yesterday', false],
  ])('%s → %s', (value, expected) => {
    expect(accepts(timestampSchema, value)).toBe(expected);
  });

  test('what is no moment is refused with one sentence that shows one', () => {
    for (const value of ['yesterday', '2026-11-21', '2026-11-21T10:00:00', 5]) {
      const issues = timestampSchema.safeParse(value).error?.issues ?? [];
      expect(issues.map(({ message }) => message)).toEqual([
        'must be a time with a zone, such as 2026-11-21T10:00:00Z',
      ]);
    }
  });
});

describe('the forms of a memory', () => {
  test.each([
    [{ content: 'a' }, true],
    [{ key: 'k', value: 'v' }, true],
    [{ key: 'k', value: 'v', content: 'a' }, true],
    [{ question: 'q', answer: 'a' }, true],
    [{}, false],
    [{ key: 'k' }, false],
    [{ value: 'v' }, false],
    [{ question: 'q' }, false],
    [{ answer: 'a', content: 'c' }, false],
    [{ key: 'k', value: 'v', question: 'q', answer: 'a' }, false],
    [{ content: ' ' }, false],
    [{ content: 'a', tier: 4 }, false],
    [{ content: 'a', confidence: 101 }, false],
    [{ content: 'a', importance: 1.5 }, false],
    [{ content: 'a', expires_at: '2030-01-01T00:00:00Z', expires_in_days: 3 }, false],
    [{ content: 'a', expires_in_days: 0 }, false],
    [{ content: 'a', mood: 'good' }, false],
  ])('%j → %s', (input, expected) => {
    expect(accepts(createMemorySchema, input)).toBe(expected);
  });
});
