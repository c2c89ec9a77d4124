import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';

const schema = boundedArray(z.strictObject({ a: z.int() }))
  .min(1)
  .max(3)
  .refine((items) => items.every((item) => item.a < 9), { error: 'must be below 9' });
const messagesOf = (value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.'));

test('takes what z.array takes', () => {
  expect(schema.parse([{ a: 1 }, { a: 2 }])).toEqual([{ a: 1 }, { a: 2 }]);
  expect(messagesOf([])).toEqual(['']);
  expect(messagesOf('x')).toEqual(['']);
  expect(messagesOf([{ a: 9 }])).toEqual(['']);
  expect(messagesOf([{ a: 1 }, { a: 'x' }, 1])).toEqual(['1.a', '2']);
  expect(boundedArray(z.string()).default([]).parse(undefined)).toEqual([]);
  expect(z.toJSONSchema(schema)).toEqual(
    z.toJSONSchema(
      z
        .array(z.strictObject({ a: z.int() }))
        .min(1)
        .max(3),
    ),
  );
});

test('does not look at the items when there are too many, nor at all that are wrong', () => {
  let looks = 0;
  const counted = boundedArray(z.unknown().refine(() => (looks += 1) < 0)).max(1_000);
  expect(counted.safeParse(Array.from({ length: 1_001 })).error?.issues).toEqual([
    expect.objectContaining({ code: 'too_big' }),
  ]);
  expect(looks).toBe(0);
  expect(counted.safeParse(Array.from({ length: 1_000 })).error?.issues).toHaveLength(50);
  expect(looks).toBe(50);
});
