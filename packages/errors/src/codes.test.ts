import { describe, expect, test } from '@jest/globals';
import { AppError, isAppError } from './app-error.ts';
import { ERROR_CODES, kindOfCode } from './codes.ts';

describe('error codes', () => {
  test('are stable identifiers, each with a kind', () => {
    for (const code of ERROR_CODES) {
      expect(code).toMatch(/^[a-z][a-z_]+$/);
      expect(kindOfCode(code)).toEqual(expect.any(String));
    }
  });

  test('an AppError carries its code, kind, fields and cause', () => {
    const cause = new Error('inner');
    const error = new AppError('overloaded', 'Try later.', {
      cause,
      fields: [{ field: 'a.b', message: 'no' }],
      retryAfterSeconds: 3,
    });
    expect(isAppError(error)).toBe(true);
    expect(error).toMatchObject({
      name: 'AppError',
      code: 'overloaded',
      kind: 'unavailable',
      retryAfterSeconds: 3,
    });
    expect(error.cause).toBe(cause);
    expect(error.fields).toEqual([{ field: 'a.b', message: 'no' }]);
    expect('cause' in new AppError('internal', 'x')).toBe(false);
    expect(isAppError(new Error('x'))).toBe(false);
  });
});
