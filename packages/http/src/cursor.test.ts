import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from './cursor.ts';

const schema = z.tuple([z.int(), z.string()]);

describe('cursors', () => {
  test('come back as they were given out, and are safe in an address', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string({ unit: 'grapheme' }), (number, text) => {
        const cursor = encodeCursor([number, text]);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, schema)).toEqual([number, text]);
      }),
    );
  });

  test('no cursor is no position', () => {
    expect(decodeCursor(undefined, schema)).toBeNull();
  });

  test.each([
    '',
    'x',
    '!!!',
    encodeCursor([1]),
    encodeCursor([1, 'a', 'b']),
    encodeCursor(['1', 'a']),
    encodeCursor([1.5, 'a']),
    Buffer.from('{"0":1,"1":"a"}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])('%j is refused as the caller’s mistake', (cursor) => {
    expect(() => decodeCursor(cursor, schema)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        fields: [{ field: 'cursor', message: 'is not valid' }],
      }),
    );
  });

  test('whatever is sent, it is a position or refused', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        try {
          const position = decodeCursor(cursor, schema);
          expect(schema.safeParse(position).success).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' });
        }
      }),
    );
  });
});
