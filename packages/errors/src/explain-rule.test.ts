import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { explainRule } from './explain-rule.ts';

function rulesOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value, { error: explainRule });
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
}

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is missing'],
  [z.string(), 1, 'must be text'],
  [z.number(), 'x', 'must be a number'],
  [z.coerce.number(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.coerce.number().int(), '1.5', 'must be a whole number'],
  [z.boolean(), 'x', 'must be true or false'],
  [z.array(z.string()), 'x', 'must be a list'],
  [z.object({}), 'x', 'must be an object'],
  [z.record(z.string(), z.string()), [], 'must be an object'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(24), 'x', 'must have at least 24 characters'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).max(2), ['', '', ''], 'must have at most 2 entries'],
  [z.number().min(0), -1, 'must be at least 0'],
  [z.number().gt(0), 0, 'must be more than 0'],
  [z.number().max(1), 2, 'must be at most 1'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.literal(true), false, 'must be true'],
  [z.url(), 'x', 'must be a whole address, with https:// or what else it begins with'],
  [z.string().regex(/^x$/), 'y', 'is not in the form that is needed here'],
  [z.string().regex(/^x$/, 'must be x'), 'y', 'must be x'],
  [z.uuid(), 'y', 'must be a UUID'],
  [z.union([z.string(), z.array(z.string())]), 1, 'must be text, or must be a list'],
  [z.record(z.string().max(1), z.string()), { abc: '' }, 'has a name that is not allowed'],
])('%#: a rule says what to give', (schema, value, expected) => {
  expect(rulesOf(schema, value)).toEqual([expected]);
});

test('no rule speaks like the validator, or quotes a value', () => {
  const schema = z.strictObject({
    a: z.string().startsWith('x'),
    b: z.base64(),
    c: z.date(),
    d: z.discriminatedUnion('kind', [z.object({ kind: z.literal('one') })]),
    e: z.bigint(),
  });
  const rules = rulesOf(schema, {
    a: 'hidden',
    b: '!hidden',
    c: 'hidden',
    d: { kind: 'hidden' },
    e: 'hidden',
  });
  expect(rules).toHaveLength(5);
  expect(rules.join(' ')).not.toMatch(/hidden|invalid|expected|received|too (small|big)|pattern/i);
});
