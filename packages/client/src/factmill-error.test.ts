import { describe, expect, test } from '@jest/globals';
import { errorOfConnection, errorOfResponse, parseRetryAfter } from './factmill-error.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  return errorOfResponse(new Response(body, { status, headers }), NOW);
}

describe('an error answer', () => {
  test('of Factmill is read whole', async () => {
    const problem = {
      type: 'urn:factmill:problem:invalid_request',
      title: 'The request is not valid',
      status: 400,
      code: 'invalid_request',
      detail: 'colour: is not a field.',
      errors: [{ field: 'colour', message: 'is not a field' }],
      request_id: 'r-1',
    };
    const error = await answer(400, JSON.stringify(problem), { 'x-request-id': 'other' });
    expect(error).toMatchObject({
      name: 'FactmillError',
      kind: 'status',
      status: 400,
      code: 'invalid_request',
      message: 'colour: is not a field.',
      detail: 'colour: is not a field.',
      fields: [{ field: 'colour', message: 'is not a field' }],
      requestId: 'r-1',
    });
    expect(error.retryAfterSeconds).toBeUndefined();
  });

  test('of a chat upstream keeps its code and message', async () => {
    const body = { error: { message: 'Slow down.', type: 'requests', code: null } };
    expect(await answer(429, JSON.stringify(body), { 'retry-after': '7' })).toMatchObject({
      status: 429,
      code: 'requests',
      detail: 'Slow down.',
      fields: [],
      retryAfterSeconds: 7,
    });
  });

  test.each(['<html>Bad gateway</html>', '', '[1]', 'null', '{"code": 5, "errors": [{"field": 1}]}'])(
    'of something else is told by its status: %s',
    async (body) => {
      expect(await answer(502, body, { 'x-request-id': 'r-2' })).toMatchObject({
        status: 502,
        code: 'http_502',
        detail: 'The server answered with status 502.',
        fields: [],
        requestId: 'r-2',
      });
    },
  );
});

test.each([
  [null, undefined],
  ['3', 3],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
])('Retry-After %j', (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

test('a connection that never was is told from one that broke', () => {
  const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
  const reset = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
  expect(errorOfConnection(refused)).toMatchObject({
    kind: 'connection',
    code: 'unreachable',
    cause: refused,
  });
  expect(errorOfConnection(reset)).toMatchObject({ kind: 'connection', code: 'connection_lost' });
  expect(errorOfConnection(new TypeError('terminated'))).toMatchObject({ code: 'connection_lost' });
});
