import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import { ADMIN_KEY, type GatewayUnderTest, send, startGateway } from '../gateway.fixture.ts';
import { startUpstream, type UpstreamUnderTest } from './upstream.fixture.ts';

let upstream: UpstreamUnderTest;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({ CHAT_BASE_URL: upstream.url, CHAT_MEMORY: 'true' });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** What a program sees that calls by way of the OpenAI client. */
async function refusalOf(options: {
  apiKey?: string;
  baseURL?: string;
  more?: object;
}): Promise<Pick<APIError, 'status' | 'message' | 'code' | 'type' | 'param'>> {
  const client = new OpenAI({
    baseURL: options.baseURL ?? `${gateway.url}/v1`,
    apiKey: options.apiKey ?? ADMIN_KEY,
    maxRetries: 0,
  });
  try {
    await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      ...options.more,
    });
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

describe('an OpenAI client shows our own errors', () => {
  test('a wrong key', async () => {
    const error = await refusalOf({ apiKey: 'fm_wrong' });
    expect(error).toMatchObject({ status: 401, type: 'authentication_error', code: 'unauthorized' });
    expect(error.message).toContain('keys start with fm_');
  });

  test('a bad memory field, by its name', async () => {
    const error = await refusalOf({ more: { user: 'ana', memory_top_k: 'many' } });
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'memory_top_k' });
  });

  test('an upstream that is away', async () => {
    const lonely = await startGateway({ CHAT_BASE_URL: 'http://127.0.0.1:9/v1' });
    try {
      const error = await refusalOf({ baseURL: `${lonely.url}/v1` });
      expect(error).toMatchObject({ status: 503, type: 'server_error', code: 'upstream_unavailable' });
    } finally {
      await lonely.close();
    }
  });

  test('no upstream at all, on every path of the API', async () => {
    const none = await startGateway();
    try {
      const error = await refusalOf({ baseURL: `${none.url}/v1` });
      expect(error).toMatchObject({ status: 404, type: 'not_found_error', code: 'upstream_not_configured' });
    } finally {
      await none.close();
    }
  });

  test('our own routes answer with the problem alone', async () => {
    const { body } = await gateway.call('GET', '/v1/memories/not-an-id?user_id=ana');
    expect(body).toMatchObject({ status: 400 });
    expect(body).not.toHaveProperty('error');
  });
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
  'a chat as %s, which any page may send unasked, is refused and not stored',
  async (type) => {
    const before = upstream.received.length;
    const chat = { model: 'm', user: 'csrf', messages: [{ role: 'user', content: 'I live in Evilville' }] };
    const refused = await send(gateway.url, 'POST', '/v1/chat/completions', {
      raw: JSON.stringify(chat),
      headers: { 'content-type': type },
    });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ error: { code: 'invalid_request' } });
    expect(upstream.received).toHaveLength(before);
    expect((await gateway.call('GET', '/v1/conversations?user_id=csrf')).body.data).toEqual([]);
  },
);
