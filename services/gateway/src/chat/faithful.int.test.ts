import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import { request as httpRequest } from 'node:http';
import OpenAI from 'openai';
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';
import { completion, events, startUpstream, type UpstreamUnderTest } from './upstream.fixture.ts';

let upstream: UpstreamUnderTest;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({ CHAT_BASE_URL: upstream.url, AUTH: 'none' });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(500)}` } };
const TOOL = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
};

/** Bodies as clients write them: all kinds of fields, spacing, numbers that JSON.stringify would not write. */
function variedBodies(): string[] {
  const messages = [
    [{ role: 'user', content: 'Hello' }],
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Grüße, 你好, 👋🏽 \u2028 end' },
    ],
    [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, IMAGE] }],
    [
      { role: 'user', content: 'Look it up' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{"q":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"found":1.50}' },
    ],
    [
      { role: 'developer', content: 'x' },
      { role: 'user', name: 'ana', content: 'quote " and \\ back' },
    ],
  ];
  const settings = [
    '',
    ',"temperature":1.0,"top_p":0.10,"max_tokens":5',
    ',"tools":[' + JSON.stringify(TOOL) + '],"tool_choice":"auto"',
    ',"seed":12345678901234567890,"unknown_field":{"a":[1,2.50,null]}',
    ',"response_format":{"type":"json_object"},"user":"ana","n":2',
    ',"metadata":{"memory_id":"not a field of the request"},"logit_bias":{"50256":-100}',
  ];
  return messages.flatMap((list) =>
    settings.flatMap((more) => [
      `{"model":"m","messages":${JSON.stringify(list)}${more}}`,
      `{ "model": "m",\n  "messages" : ${JSON.stringify(list, null, 2)}${more},"stream":true,"stream_options":{"include_usage":true} }\n`,
    ]),
  );
}

type Exchange = { status: number; type: string | null; body: Buffer; sent: Buffer | undefined };

async function exchange(base: string, body: string): Promise<Exchange> {
  const before = upstream.received.length;
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-callers' },
    body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: Buffer.from(await response.arrayBuffer()),
    sent: upstream.received[before]?.body,
  };
}

describe('with memory off', () => {
  test('60 varied requests and their answers are the same directly and through the proxy', async () => {
    const bodies = variedBodies();
    expect(bodies).toHaveLength(60);
    const statuses = [200, 200, 200, 400, 401, 429, 500];
    let number = 0;
    upstream.answerWith((request, response) => {
      const status = statuses[Math.floor(number / 2) % statuses.length] ?? 200;
      number += 1;
      const isStream = /"stream":true/.test(request.body.toString('utf8'));
      const echo = `${request.body.length} bytes: ${request.body.toString('base64').slice(-60)}`;
      if (status !== 200) {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
        response.end(JSON.stringify({ error: { message: echo, type: 'x', code: null } }, null, 1));
      } else if (isStream) {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        for (const event of events(echo)) response.write(event);
        response.end();
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(completion(echo));
      }
    });
    for (const body of bodies) {
      const direct = await exchange(upstream.url, body);
      const proxied = await exchange(`${gateway.url}/v1`, body);
      expect(proxied).toEqual(direct);
      expect(proxied.sent?.toString('utf8')).toBe(body);
    }
  });

  test('bytes of headers stay as they are', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-name': 'v\u00c3\u00a4lue' });
      response.write(Buffer.alloc(0));
      response.end(completion('x'));
    });
    const name = await new Promise((resolve, reject) => {
      const url = new URL(`${gateway.url}/v1/chat/completions`);
      const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
      request.once('response', (response) => {
        response.resume();
        resolve(Buffer.from(String(response.headers['x-name']), 'latin1').toString('utf8'));
      });
      request.once('error', reject);
      request.end('{"model":"m","messages":[]}');
    });
    expect(name).toBe('v\u00e4lue');
  });

  test('headers go along, less those of the connection and of ours', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-request-id': 'theirs',
        'x-ratelimit-left': '3',
      });
      response.end(completion('x'));
    });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer sk-callers',
        'x-api-key': ADMIN_KEY,
        'openai-organization': 'org-1',
        'x-request-id': '0badcafe',
      },
      body: '{"model":"m","messages":[]}',
    });
    await response.text();
    const { headers } = upstream.received.at(-1) ?? { headers: {} };
    expect(headers).toMatchObject({ authorization: 'Bearer sk-callers', 'openai-organization': 'org-1' });
    expect(headers).not.toHaveProperty('x-api-key');
    expect(response.headers.get('x-request-id')).toBe('0badcafe');
    expect(response.headers.get('x-upstream-request-id')).toBe('theirs');
    expect(response.headers.get('x-ratelimit-left')).toBe('3');
  });

  test('a key of ours never goes upstream, and a redirect is the caller’s', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` },
      body: '{"model":"m","messages":[]}',
    });
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('http://127.0.0.1:1/elsewhere');
    expect(upstream.received.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  test('any other path passes, whatever its body; ours stay ours', async () => {
    upstream.answerWith((request, response) => {
      response.writeHead(201, { 'content-type': 'application/octet-stream' }).end(request.body);
    });
    const binary = Buffer.from(Array.from({ length: 4_096 }, (_, index) => index % 256));
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions?x=1%202`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: binary,
    });
    expect(response.status).toBe(201);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(binary);
    expect(upstream.received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/v1/audio/transcriptions?x=1%202',
    });

    const count = upstream.received.length;
    expect((await gateway.call('PUT', '/v1/conversations/x', { body: {} })).status).toBe(405);
    expect((await gateway.call('GET', '/v1/Memories?user_id=x')).status).toBe(200);
    expect((await gateway.call('GET', '/v1/../secret')).status).toBe(404);
    expect((await gateway.call('GET', '/v1/models/%2e%2e/%2e%2e/secret')).status).not.toBe(201);
    expect(upstream.received).toHaveLength(count);
  });

  test('memory fields do not go upstream, and a wrong one is refused by name', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('x'));
    });
    await gateway.call('POST', '/v1/chat/completions', {
      key: null,
      raw: '{"memory_top_k":3,"model":"m","memory_recency_weight":0.5, "seed":12345678901234567890,"messages":[],"memory_score_threshold":0.1}',
    });
    expect(upstream.received.at(-1)?.body.toString()).toBe(
      '{"model":"m","seed":12345678901234567890,"messages":[]}',
    );
    const refused = await gateway.call('POST', '/v1/chat/completions', {
      raw: '{"model":"m","messages":[],"memory_recency_weight":"a lot"}',
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].field).toBe('memory_recency_weight');
  });

  test('an upstream that does not answer is said so', async () => {
    const lonely = await startGateway({ CHAT_BASE_URL: 'http://127.0.0.1:1/v1' });
    const answer = await lonely.call('POST', '/v1/chat/completions', { body: { model: 'm', messages: [] } });
    expect(answer).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await lonely.close();
    const none = await startGateway();
    const unset = await none.call('POST', '/v1/chat/completions', { body: { model: 'm', messages: [] } });
    expect(unset).toMatchObject({ status: 404, body: { code: 'upstream_not_configured' } });
    const models = await none.call('GET', '/v1/models');
    expect(models).toMatchObject({ status: 404, body: { code: 'upstream_not_configured' } });
    await none.close();
  });

  test('a caller that reads slowly slows the upstream down', async () => {
    let written = 0;
    const line = `data: ${'x'.repeat(64_000)}\n\n`;
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        do written += line.length;
        while (response.write(line));
        response.once('drain', more);
      };
      more();
    });
    const outgoing = httpRequest(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    const answered = new Promise<void>((resolve) => outgoing.once('response', () => resolve()));
    outgoing.once('error', () => undefined);
    outgoing.end('{"model":"m","messages":[],"stream":true}');
    await answered;
    // Nobody reads: what is written settles at what the sockets' buffers hold.
    let last = -1;
    await waitFor(
      () => {
        const settled = written === last;
        last = written;
        return settled;
      },
      { timeoutMs: 10_000, intervalMs: 500, describe: 'the upstream to be held back' },
    );
    expect(written).toBeLessThan(32_000_000);
    outgoing.destroy();
  });
});

describe('the official client, unchanged but for its base URL', () => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-callers', maxRetries: 0 });

  test('chats, streams, calls tools and sends images', async () => {
    upstream.answerWith((request, response) => {
      const body = request.json();
      if (body['stream'] === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const event of events('One two three.')) response.write(event);
        response.end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        body['tools'] === undefined
          ? completion(`seen ${JSON.stringify(body['messages']).length}`)
          : completion(null, {
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }],
            }),
      );
    });
    const image = { type: 'image_url' as const, image_url: { url: IMAGE.image_url.url } };
    const seen = await client().chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    });
    expect(seen.choices[0]?.message.content).toMatch(/^seen \d+$/);
    const called = await client().chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Look' }],
      tools: [
        { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } },
      ],
    });
    expect(called.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'look_up' } }]);
    const stream = await client().chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Count' }],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('One two three.');
  });

  test('lists models and sees upstream errors as they are', async () => {
    upstream.answerWith((request, response) => {
      response.writeHead(request.method === 'GET' ? 200 : 429, { 'content-type': 'application/json' });
      response.end(
        request.method === 'GET'
          ? '{"object":"list","data":[{"id":"m","object":"model"}]}'
          : '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}',
      );
    });
    const models = await client().models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['m']);
    await expect(
      client().chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
    ).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  });
});
