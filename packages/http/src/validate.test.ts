import { describe, expect, test } from '@jest/globals';
import { createMemorySchema, postMessagesSchema } from '@factmill/contracts';
import { type FieldProblem, isAppError } from '@factmill/errors';
import { z } from 'zod';
import { validate } from './validate.ts';

function problems(schema: z.ZodType, value: unknown): { detail: string; fields: readonly FieldProblem[] } {
  try {
    validate(schema, value);
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toBe('invalid_request');
    return { detail: error.message, fields: error.fields };
  }
  throw new Error('it was accepted');
}

describe('validate', () => {
  test('gives back what the schema makes of it; a missing body is an empty one', () => {
    expect(validate(z.strictObject({ limit: z.coerce.number().default(5) }), undefined)).toEqual({
      limit: 5,
    });
    expect(validate(z.strictObject({ limit: z.coerce.number() }), { limit: '7' })).toEqual({ limit: 7 });
    expect(() => validate(z.strictObject({}), null)).toThrow('must be an object');
  });

  test('names every unknown field with its path', () => {
    const { fields } = problems(postMessagesSchema, {
      messages: [{ role: 'user', content: 'hello', tone: 'warm', mood: 1 }],
      extra: true,
    });
    expect(fields).toEqual([
      { field: 'messages.0.tone', message: 'is not a known field' },
      { field: 'messages.0.mood', message: 'is not a known field' },
      { field: 'extra', message: 'is not a known field' },
    ]);
  });

  test('says first what is wrong first, and how much more there is', () => {
    const { detail, fields } = problems(z.strictObject({ a: z.string(), b: z.string(), c: z.string() }), {});
    expect(fields.map(({ field }) => field)).toEqual(['a', 'b', 'c']);
    expect(detail).toMatch(/^a: is missing \(and 2 more\)\.$/);
  });

  test('never quotes a value', () => {
    const secret = 'the-text-of-somebody';
    const { detail, fields } = problems(createMemorySchema, {
      content: 17,
      key: `${secret}\u0000`,
      tier: secret,
      confidence: secret,
      expires_at: secret,
      tags: secret,
    });
    expect(JSON.stringify([detail, fields])).not.toContain(secret);
    expect(fields.length).toBeGreaterThanOrEqual(5);
  });

  test('a flood of problems is cut at 50', () => {
    const { fields } = problems(
      z.array(z.string()),
      Array.from({ length: 500 }, () => 1),
    );
    expect(fields).toHaveLength(50);
  });
});
