import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';
import { startUpstream, type UpstreamUnderTest } from './upstream.fixture.ts';

const STORED = 'sk-stored';
let upstream: UpstreamUnderTest;
/** With a key of its own for the upstream, and with that of its callers. */
let paying: GatewayUnderTest;
let open: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  paying = await startGateway({ CHAT_BASE_URL: upstream.url, CHAT_API_KEY: STORED });
  open = await startGateway({ CHAT_BASE_URL: upstream.url, AUTH: 'none' });
  key = await paying.makeKey({ permissions: ['upstream'] });
});
afterEach(() => {
  upstream.received.length = 0;
});
afterAll(async () => {
  await paying.close();
  await open.close();
  await upstream.close();
});

/** Sends a request line as it is, which no HTTP client would, and gives the status. */
function sendRaw(gateway: GatewayUnderTest, target: string): Promise<number> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
        'latin1',
      );
    });
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    socket.once('end', () => resolve(Number(answer.slice(9, 12))));
    socket.once('error', reject);
  });
}

describe('with a stored key', () => {
  test('only the list of models is forwarded, with that key and no account of the caller’s', async () => {
    const headers = { 'openai-organization': 'org-theirs', 'OpenAI-Project': 'p', 'api-key': 'k' };
    expect((await paying.call('GET', '/v1/models', { key, headers })).status).toBe(200);
    expect(upstream.received[0]?.headers).toMatchObject({ authorization: `Bearer ${STORED}` });
    for (const name of Object.keys(headers)) {
      expect(upstream.received[0]?.headers).not.toHaveProperty(name.toLowerCase());
    }
    for (const [method, path] of [
      ['POST', '/v1/embeddings'],
      ['DELETE', '/v1/files/x'],
      ['GET', '/v1/files'],
      ['POST', '/v1/fine_tuning/jobs'],
      ['POST', '/v1/models'],
    ] as const) {
      const answer = await paying.call(method, path, { key, body: method === 'POST' ? {} : undefined });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'pass_through_refused']);
    }
    expect(upstream.received).toHaveLength(1);
  });

  test('it takes the permission: chat for the list of models and for chats, upstream for all else', async () => {
    const mayChat = await paying.makeKey({ permissions: ['chat'] });
    const reader = await paying.makeKey({ permissions: ['memory.read', 'memory.write', 'queue.read'] });
    const chat = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
    const statuses = async (of: string) => [
      (await paying.call('GET', '/v1/models', { key: of })).status,
      (await paying.call('POST', '/v1/chat/completions', { key: of, body: chat })).status,
      (await paying.call('POST', '/v1/embeddings', { key: of, body: {} })).body.code,
    ];
    expect(await statuses(mayChat)).toEqual([200, 200, 'forbidden']);
    expect(await statuses(reader)).toEqual([403, 403, 'forbidden']);
    expect(await statuses(key)).toEqual([200, 403, 'pass_through_refused']);
    expect(upstream.received).toHaveLength(3);
  });
});

describe('paths that could be read in another way', () => {
  const tricks = String.raw`
    /v1/../admin /v1/x/../../admin /v1/..%2fadmin /v1/%2e%2e%2fadmin /v1/..;/admin /v1/..\admin /v1/%252e%252e/admin
    /v1//admin /v1/x//y /v1/%00 /v1/x;y=1 /V1/models http://127.0.0.1/v1/models http://evil.example/v1/models
    /v1/models%2f.. /v1/%c0%ae%c0%ae/x`;
  const ours = `
    /v1//memories /v1/%2fmemories /v1/memories%2f /v1/%6demories /v1/%256demories /v1/users/ann /v1/Users/ann/export
    /v1/users%2fann /v1//users/ann /v1/tenants /v1/usage /v1/queue/pressure /v1/events /v1/audit /v1/replays/1/diff
    /v1/erasures/1 /v1/memories/a/b`;

  test.each(`${tricks}${ours}`.trim().split(/\s+/))('%s does not leave', async (target) => {
    for (const gateway of [open, paying]) {
      expect(await sendRaw(gateway, target)).toBeGreaterThanOrEqual(400);
      expect(await sendRaw(gateway, target)).toBeLessThan(500);
    }
    expect(upstream.received).toHaveLength(0);
  });

  test('what is ours and not there is not found, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await open.call(method, '/v1/mem0/ann', { body: method === 'GET' ? undefined : {} });
      expect([method, answer.status, answer.body.code]).toEqual([method, 404, 'not_found']);
    }
    const wrongMethod = await open.call('PUT', '/v1/memories/', { body: {} });
    expect([wrongMethod.status, wrongMethod.body.code]).toEqual([405, 'method_not_allowed']);
    expect(wrongMethod.headers.get('allow')).toBe('DELETE, GET, HEAD, POST');
    expect((await open.call('OPTIONS', '/v1/memories/search')).status).toBe(405);
    expect(upstream.received).toHaveLength(0);
  });

  test('a chat has one path, however it was written', async () => {
    const chat = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
    for (const path of ['/v1/chat/completions/?a=b', '/V1/Chat/completions?a=b']) {
      expect((await open.call('POST', path, { body: chat })).status).toBe(200);
      expect(upstream.received.at(-1)?.path).toBe('/v1/chat/completions?a=b');
    }
    const count = upstream.received.length;
    for (const path of ['/v1/chat/%63ompletions', '/v1/%43hat/Completions', '/v1/chat/completion%EF%BD%93']) {
      expect((await open.call('POST', path, { body: chat })).body.code).toBe('not_found');
    }
    expect(upstream.received).toHaveLength(count);
  });
});

describe('headers', () => {
  test('of the caller say nothing about where it asks from', async () => {
    const headers = {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'h',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
      referer: `${open.url}/console/?user=ann`,
      cookie: 'a=b',
      'x-user-id': 'ann',
    };
    await open.call('GET', '/v1/files', { key: null, headers });
    for (const name of Object.keys(headers)) expect(upstream.received[0]?.headers).not.toHaveProperty(name);
  });

  test('of the answer cannot act in a browser on our origin', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(401, {
        'content-type': 'text/html',
        'set-cookie': 'session=theirs',
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        'strict-transport-security': 'max-age=1',
        'www-authenticate': 'Basic realm="theirs"',
        'content-security-policy': 'script-src *',
        'x-frame-options': 'ALLOWALL',
        'x-ratelimit-left': '3',
      });
      response.end('<script>alert(1)</script>');
    });
    const { status, headers, text } = await open.call('GET', '/v1/files');
    expect([status, text]).toEqual([401, '<script>alert(1)</script>']);
    expect(headers.get('x-ratelimit-left')).toBe('3');
    expect(headers.get('content-security-policy')).toMatch(/^sandbox;/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const name of [
      'set-cookie',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'strict-transport-security',
      'www-authenticate',
    ]) {
      expect([name, headers.get(name)]).toEqual([name, null]);
    }
  });
});
