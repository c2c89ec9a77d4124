import { describe, expect, test } from '@jest/globals';
import { idempotencyOf } from './idempotency.ts';

const ADA = { requested: null, fallback: 'ada' };

function hashOf(
  body: unknown,
  {
    key = 'key-1',
    path = '/',
    baseUrl = '/v1/extractions',
    user = ADA,
  }: Partial<{
    key: string;
    path: string;
    baseUrl: string;
    user: { requested: string | null; fallback: string };
  }> = {},
) {
  const header = ((name: string) => (name === 'idempotency-key' ? key : undefined)) as never;
  return idempotencyOf({ header, method: 'POST', baseUrl, path, body: body as never }, user);
}

describe('the hash of a request', () => {
  test('does not see the order of keys, at any depth', () => {
    const one = hashOf({ a: 1, b: { c: [1, { d: 1, e: 2 }], f: null } });
    const other = hashOf({ b: { f: null, c: [1, { e: 2, d: 1 }] }, a: 1 });
    expect(one.requestSha256).toBe(other.requestSha256);
    expect(one).toEqual({
      key: 'key-1',
      requestSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown as string,
    });
  });

  test('sees everything else: values, order of lists, path, and whose request it is', () => {
    const body = { messages: [1, 2] };
    const hashes = [
      hashOf(body),
      hashOf({ messages: [2, 1] }),
      hashOf({ messages: ['1', 2] }),
      hashOf({ ...body, extra: null }),
      hashOf(body, { path: '/c1/messages', baseUrl: '/v1/conversations' }),
      hashOf(body, { path: '/c2/messages', baseUrl: '/v1/conversations' }),
      hashOf(body, { baseUrl: '/v1/conversations' }),
      hashOf(body, { user: { requested: null, fallback: 'bob' } }),
    ].map(({ requestSha256 }) => requestSha256);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('two API keys may repeat a request that names its user', () => {
    const user = (fallback: string) => ({ user: { requested: 'ada', fallback } });
    expect(hashOf({}, user('desk'))).toEqual(hashOf({}, user('phone')));
  });

  test('no body is an empty one', () => {
    expect(hashOf(undefined)).toEqual(hashOf({}));
  });
});

describe('the key', () => {
  test('is optional', () => {
    const header = (() => undefined) as never;
    const request = { header, method: 'POST', baseUrl: '', path: '/', body: {} as never };
    expect(idempotencyOf(request, ADA)).toEqual({ key: null, requestSha256: '' });
  });

  test.each(['', ' ', 'two words', 'ä', 'x'.repeat(256)])('%j is refused', (key) => {
    expect(() => hashOf({}, { key })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
