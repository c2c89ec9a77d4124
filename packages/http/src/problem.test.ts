import { describe, expect, test } from '@jest/globals';
import { problemSchema } from '@factmill/contracts';
import { AppError, ERROR_CODES } from '@factmill/errors';
import { statusOf, toAppError, toProblem } from './problem.ts';

describe('problems', () => {
  test('every code is a whole problem+json body', () => {
    for (const code of ERROR_CODES) {
      const problem = problemSchema.parse(toProblem(new AppError(code, 'What to do.'), 'request-1'));
      expect(problem).toMatchObject({ code, type: `urn:factmill:problem:${code}`, request_id: 'request-1' });
      expect(problem.status).toBe(statusOf(new AppError(code, '')));
      expect(problem.status).toBeGreaterThanOrEqual(400);
    }
  });

  test.each([
    ['invalid_request', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['idempotency_conflict', 409],
    ['payload_too_large', 413],
    ['internal', 500],
    ['database_unavailable', 503],
  ] as const)('%s is %i', (code, status) => {
    expect(statusOf(new AppError(code, ''))).toBe(status);
  });

  test('a foreign error and a bug of ours show nothing of themselves', () => {
    const secret = 'Key (content)=(I live in Utrecht) already exists';
    for (const thrown of [
      new Error(secret),
      new AppError('internal', secret),
      secret,
      null,
      { message: secret },
    ]) {
      const problem = toProblem(toAppError(thrown), 'r');
      expect(problem.status).toBe(500);
      expect(JSON.stringify(problem)).not.toContain('Utrecht');
    }
  });

  test.each([
    ['entity.too.large', 413, 'payload_too_large'],
    ['entity.parse.failed', 400, 'invalid_json'],
    ['encoding.unsupported', 415, 'invalid_request'],
    ['charset.unsupported', 415, 'invalid_request'],
    ['request.aborted', 400, 'invalid_request'],
  ])('the body parser’s %s (%i) is %s, without its text', (type, status, code) => {
    const error = Object.assign(new Error('Unexpected token "secret"'), { type, status, body: 'secret' });
    expect(toAppError(error)).toMatchObject({ code });
    expect(JSON.stringify(toProblem(toAppError(error), 'r'))).not.toContain('secret');
  });

  test('a path that cannot be decoded is the caller’s', () => {
    expect(toAppError(new URIError('Failed to decode param "%E0"'))).toMatchObject({
      code: 'invalid_request',
    });
  });
});
