import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAX_CONTENT_LENGTH, OPERATIONS, problemSchema } from '@factmill/contracts';
import { type Answer, fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ MAX_BODY_BYTES: '1000000' });
});
afterAll(async () => {
  await gateway.close();
});

const MESSAGES = '/v1/conversations/c/messages';
const post = (body: unknown, path = MESSAGES) => gateway.call('POST', path, { body });
const postRaw = (raw: string, headers = {}) => gateway.call('POST', MESSAGES, { raw, headers });

function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.code, answer.text.slice(0, 200)]).toEqual([
    status,
    code,
    answer.text.slice(0, 200),
  ]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(problemSchema.parse(answer.body).request_id).toBe(answer.headers.get('x-request-id'));
}

describe('messages that are refused', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  test.each<[string, unknown, string]>([
    ['none', { messages: [] }, 'messages'],
    ['501', { messages: Array.from({ length: 501 }, () => said('x')) }, 'messages'],
    ['the same id twice', { messages: [said('a', { id: 'm' }), said('b', { id: 'm' })] }, 'messages'],
    ['too long', { messages: [said('x'.repeat(MAX_CONTENT_LENGTH + 1))] }, 'messages.0.content'],
    ['a NUL', { messages: [said('a\u0000b')] }, 'messages.0.content'],
    ['a lone surrogate', { messages: [said('a'), said('\ud83d')] }, 'messages.1.content'],
    [
      'a NUL in a tool call',
      { messages: [said('a', { tool_calls: [{ x: { y: '\u0000' } }] })] },
      'messages.0.tool_calls.0',
    ],
    ['no content at all', { messages: [{ role: 'assistant', content: null }] }, 'messages.0.content'],
    ['another role', { messages: [{ role: 'wizard', content: 'x' }] }, 'messages.0.role'],
    ['an unknown field', { messages: [said('a')], colour: 'red' }, 'colour'],
    ['an unknown field of a message', { messages: [said('a', { mood: 'x' })] }, 'messages.0.mood'],
    [
      'a date in no year',
      { messages: [said('a', { created_at: '0000-01-01T00:00:00Z' })] },
      'messages.0.created_at',
    ],
    ['a blank user', { messages: [said('a')], user_id: ' ' }, 'user_id'],
    ['a user with a line break', { messages: [said('a')], user_id: 'a\nb' }, 'user_id'],
  ])('%s', async (_what, body, field) => {
    const answer = await post(body);
    expectProblem(answer, 400, 'invalid_request');
    expect(fieldsOf(answer)).toContain(field);
  });

  test('nested too deeply, or with keys that reach a prototype', async () => {
    expectProblem(await post({ messages: [said('a', { tool_calls: [deep(16)] })] }), 400, 'invalid_request');
    expectProblem(await postRaw(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 400, 'invalid_request');
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      expectProblem(
        await postRaw(`{"messages":[{"role":"user","content":"a","${key}":{"x":1}}]}`),
        400,
        'forbidden_key',
      );
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('too large, not JSON, or of another type', async () => {
    expectProblem(
      await post({ messages: Array.from({ length: 11 }, () => said('x'.repeat(100_000))) }),
      413,
      'payload_too_large',
    );
    expectProblem(await postRaw('{"messages": ['), 400, 'invalid_json');
    expectProblem(await postRaw('{}', { 'content-type': 'text/plain' }), 400, 'invalid_request');
    expectProblem(await post([]), 400, 'invalid_request');
    expectProblem(await postRaw('null'), 400, 'invalid_request');
  });

  test('and the largest that are allowed are taken', async () => {
    const answer = await post({
      user_id: 'ada',
      messages: [...Array.from({ length: 499 }, () => said('x')), said('y'.repeat(MAX_CONTENT_LENGTH))],
    });
    expect(answer.status).toBe(202);
    expect(answer.body.message_ids).toHaveLength(500);
  });
});

describe('addresses', () => {
  test('an id may be almost anything, but not unprintable or endless', async () => {
    const id = 'chat/42 ?#%&=+ ünïcode 你好 ../..';
    const path = `/v1/conversations/${encodeURIComponent(id)}`;
    const created = await gateway.call('POST', `${path}/messages`, {
      body: { user_id: 'ada', messages: [said('a')] },
    });
    expect(created.body.conversation_id).toBe(id);
    expect((await gateway.call('GET', path)).body.id).toBe(id);
    expect((await gateway.call('GET', `${path}/messages`)).body.data).toHaveLength(1);
    for (const bad of ['%00', 'x'.repeat(129), 'a%0Ab', '%E0%A4%A', '%20']) {
      expectProblem(await gateway.call('GET', `/v1/conversations/${bad}`), 400, 'invalid_request');
    }
  });

  test('ids that are UUIDs are checked before the database is asked', async () => {
    for (const path of ['/v1/extractions/x', '/v1/memories/x', '/v1/memories/x/history']) {
      expectProblem(await gateway.call('GET', path), 400, 'invalid_request');
    }
    expectProblem(await gateway.call('DELETE', '/v1/api-keys/%00'), 404, 'not_found');
  });

  test('nothing there, or not with this method, is a problem too', async () => {
    expectProblem(await gateway.call('GET', '/v1/nothing'), 404, 'not_found');
    expectProblem(await gateway.call('PUT', '/v1/memories', { body: {} }), 405, 'method_not_allowed');
    expectProblem(await gateway.call('GET', '/v1/conversations/none'), 404, 'not_found');
    expectProblem(
      await gateway.call('GET', '/v1/extractions/01930000-0000-7000-8000-00000000000a'),
      404,
      'not_found',
    );
  });

  test('query parameters are checked like bodies', async () => {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'offset=-1',
      'sort_by=mood',
      'tier=9',
      'colour=red',
      'limit=1&limit=2',
      'all_users=yes',
      'q=%00',
    ]) {
      expectProblem(await gateway.call('GET', `/v1/memories?user_id=ada&${query}`), 400, 'invalid_request');
    }
    for (const query of ['state=lost', 'since=yesterday', 'since=0000-01-01T00:00:00Z', 'limit=1000']) {
      expectProblem(await gateway.call('GET', `/v1/extractions?${query}`), 400, 'invalid_request');
    }
  });

  test('a cursor of another list, or a forged one, is the caller’s mistake', async () => {
    const cursor = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');
    const uuid = '01930000-0000-7000-8000-00000000000a';
    const lists = [
      '/v1/memories?user_id=ada',
      '/v1/conversations?user_id=ada',
      '/v1/extractions?limit=5',
      '/v1/conversations/c/messages?limit=5',
    ];
    const cursors = [
      'x',
      cursor([]),
      cursor(['created_at desc', 'yesterday', uuid]),
      cursor(['key asc', 'a', uuid]),
      cursor(['created_at desc', '2026-01-01T00:00:00Z', 'x']),
      cursor(['2026-13-01T00:00:00Z', 'c']),
      cursor(['2026-01-01T00:00:00Z', '\u0000']),
      cursor(['a', 1, 2, 3]),
      cursor(['99999999999999999999']),
      cursor([1.5]),
      cursor([1e300]),
    ];
    for (const list of lists) {
      for (const bad of cursors)
        expectProblem(await gateway.call('GET', `${list}&cursor=${bad}`), 400, 'invalid_request');
    }
  });
});

describe('authentication', () => {
  test('every operation needs a key', async () => {
    for (const { method, path } of OPERATIONS) {
      const address = path.replace('{id}', '01930000-0000-7000-8000-00000000000a');
      const answer = await gateway.call(method.toUpperCase(), address, {
        key: null,
        ...(method === 'get' ? {} : { body: {} }),
      });
      expectProblem(answer, 401, 'unauthorized');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="factmill"');
    }
  });

  test('every operation needs its permission, and that one is enough', async () => {
    const none = await gateway.makeKey({ permissions: ['queue.write'] });
    for (const { method, path, permission } of OPERATIONS) {
      const address = path.replace('{id}', '01930000-0000-7000-8000-00000000000a');
      const call = method === 'get' ? {} : { body: {} };
      expectProblem(
        await gateway.call(method.toUpperCase(), address, { ...call, key: none }),
        403,
        'forbidden',
      );
      // With a user of its own: without one, some would be about all users.
      const key = await gateway.makeKey({ permissions: [permission], userId: 'ada' });
      expect((await gateway.call(method.toUpperCase(), address, { ...call, key })).status).not.toBe(403);
    }
  });

  test('all ways of sending the key work; expired ones do not', async () => {
    const key = await gateway.makeKey({ userId: 'ada' });
    const basic = `Basic ${Buffer.from(`any:${key}`).toString('base64')}`;
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: basic },
    ]) {
      expect((await gateway.call('GET', '/v1/memories', { key: null, headers })).status).toBe(200);
    }
    const expired = await gateway.makeKey({ expiresAt: new Date(Date.now() - 1_000) });
    expectProblem(await gateway.call('GET', '/v1/memories', { key: expired }), 401, 'unauthorized');
  });
});

test('the caller’s request id comes back', async () => {
  const answer = await gateway.call('GET', '/v1/nothing', { headers: { 'x-request-id': 'client-7' } });
  expect(answer.headers.get('x-request-id')).toBe('client-7');
  expect(answer.body.request_id).toBe('client-7');
});
