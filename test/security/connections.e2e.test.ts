import { MAX_MEMORY_LENGTH, OPERATIONS } from '@factmill/contracts';
import { migrate } from '@factmill/database';
import {
  createRedisNamespace,
  createTestDatabase,
  type RedisNamespace,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { loadOf } from '../support/process-load.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const ADMIN_KEY = 'an-admin-key-that-is-long-enough';
const MAX_CONNECTIONS = 60;
const STREAMS_PER_KEY = 2;
const BODY_TIMEOUT_MS = 1_000;
/** What no caller may add to a process. */
const MAX_GROWN_MEGABYTES = 100;
const quiet = { info: () => undefined, warn: () => undefined };

let testDatabase: TestDatabase;
let redis: RedisNamespace;
let upstream: Server;
const streams = new Set<ServerResponse>();
let gateway: ServiceProcess;
let retrieval: ServiceProcess;
const sockets: Socket[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  redis = createRedisNamespace();
  // A model that says one word and then thinks for ever.
  upstream = createServer((_request, response) => {
    streams.add(response);
    response.once('close', () => streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const env = {
    DATABASE_URL: testDatabase.serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_TENANT: '0',
    BODY_TIMEOUT_MS: String(BODY_TIMEOUT_MS),
    MAX_CONNECTIONS: String(MAX_CONNECTIONS),
  };
  retrieval = await startService('retrieval', env);
  gateway = await startService('gateway', {
    ...env,
    RETRIEVAL_URL: retrieval.url,
    CHAT_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    CHAT_STREAMS_PER_KEY: String(STREAMS_PER_KEY),
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await gateway?.kill();
  await retrieval?.kill();
  await new Promise((resolve) => {
    upstream.close(resolve);
    upstream.closeAllConnections();
  });
  await redis.cleanup();
  await testDatabase.drop();
});

type Raw = Readonly<{ socket: Socket; said: () => string; closed: Promise<string> }>;

/** A connection on which some bytes have been sent, and what comes back until it closes. */
function open(service: ServiceProcess, bytes: string): Raw {
  let said = '';
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(bytes));
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(said)));
  return { socket, said: () => said, closed };
}

const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: factmill', ...headers, '', ''].join('\r\n');
const AUTHORIZED = `Authorization: Bearer ${ADMIN_KEY}`;
const alive = async (service: ServiceProcess) => (await fetch(`${service.url}/healthz`)).status === 200;

function call(
  path: string,
  { key = ADMIN_KEY, ...init }: RequestInit & { key?: string } = {},
): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
  });
}

describe('requests that never end', () => {
  test('headers: silent, half sent and byte by byte, each is cut off, and others are served meanwhile', async () => {
    const half = head('POST', '/v1/memories').slice(0, -2);
    const slow = ['', 'G', half, half].map((bytes) => open(gateway, bytes));
    const drip = setInterval(() => slow[3]?.socket.write('x'), 500);
    expect(await alive(gateway)).toBe(true);
    for (const { closed } of slow)
      expect(await closed).toMatch(/^HTTP\/1.1 408 [^]*"code":"request_timeout"/);
    clearInterval(drip);
  });

  test.each<[string, () => ServiceProcess, string]>([
    ['a memory', () => gateway, '/v1/memories'],
    ['messages', () => gateway, '/v1/conversations/c/messages'],
    ['a chat', () => gateway, '/v1/chat/completions'],
    ['MCP', () => gateway, '/mcp'],
    ['a search', () => retrieval, '/v1/memories/search'],
  ])('a body: %s', async (_what, service, path) => {
    const headers = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
    const begun = head('POST', path, AUTHORIZED, ...headers, 'Content-Length: 100000');
    const { socket, closed } = open(service(), `${begun}{"content":"`);
    const drip = setInterval(() => socket.write('x'), 50);
    const answer = await closed;
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1.1 408 [^]*Connection: close[^]*"code":"request_timeout"/i);
    expect(await alive(service())).toBe(true);
  });

  test('a body of nobody is not waited for', async () => {
    const begun = head('POST', '/v1/memories', 'Content-Type: application/json', 'Content-Length: 100000');
    const { said } = open(gateway, begun);
    await waitFor(() => said().startsWith('HTTP/1.1 401 '), { describe: 'the refusal' });
  });
});

describe('too many connections', () => {
  test('more are closed at once, those that are there are served, and the next ones when some have gone', async () => {
    const mine = open(gateway, head('GET', '/healthz'));
    await waitFor(() => mine.said().startsWith('HTTP/1.1 200 '), { describe: 'the first answer' });
    let refused = 0;
    for (let at = 0; at < 2 * MAX_CONNECTIONS; at += 1) {
      void open(gateway, '').closed.then((answer) => (refused += answer === '' ? 1 : 0));
    }
    await waitFor(() => refused >= MAX_CONNECTIONS, {
      describe: 'the connections beyond the limit to be closed',
    });
    mine.socket.write(head('GET', '/v1/memories?user_id=ada', AUTHORIZED));
    await waitFor(() => mine.said().includes('"next_cursor":null'), { describe: 'an answer meanwhile' });
    for (const socket of sockets) if (socket !== mine.socket) socket.destroy();
    await waitFor(() => alive(gateway), { describe: 'a new connection to be served' });
  });
});

describe('bodies that a form of another page can send', () => {
  const changing = OPERATIONS.filter(({ method }) => method !== 'get').map(
    ({ method, path }) => [method.toUpperCase(), path.replace('{id}', 'x')] as const,
  );
  test.each([
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="content"\r\n\r\nhi\r\n--x--\r\n',
    ],
    ['application/x-www-form-urlencoded', 'user_id=ada&content=hi'],
    ['text/plain', '{"user_id":"ada","content":"hi"}'],
  ])('%s is refused by every route that changes something', async (type, body) => {
    const refused = [];
    const routes = [...changing, ['POST', '/mcp'] as const, ['POST', '/v1/chat/completions'] as const];
    for (const [method, path] of routes) {
      const answer = await call(path, { method, body, headers: { 'content-type': type } });
      const { code } = (await answer.json()) as { code: string };
      refused.push([method, path, answer.status, code]);
    }
    expect(refused).toEqual(routes.map(([method, path]) => [method, path, 400, 'invalid_request']));
    expect(streams.size).toBe(0);
  });
});

describe('chats that stay open', () => {
  const CHAT = {
    method: 'POST',
    body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}',
  };

  test('so many for each key; others have theirs, and an abandoned one gives its place back', async () => {
    const made = await call('/v1/api-keys', {
      method: 'POST',
      body: JSON.stringify({ name: 'other', permissions: ['chat'] }),
    });
    const { key } = (await made.json()) as { key: string };
    const callers = Array.from({ length: STREAMS_PER_KEY }, () => new AbortController());
    const opened = [];
    for (const { signal } of callers) opened.push(await call('/v1/chat/completions', { ...CHAT, signal }));
    expect(opened.map(({ status }) => status)).toEqual([200, 200]);

    for (const path of ['/v1/chat/completions', '/v1/models']) {
      const refused = await call(path, path === '/v1/models' ? {} : CHAT);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
      expect(await refused.json()).toMatchObject({
        code: 'rate_limited',
        error: {
          type: 'rate_limit_error',
          code: 'rate_limited',
          message: expect.stringContaining('too many'),
        },
      });
    }
    // What is not the upstream's is served as before.
    expect((await call('/v1/memories?user_id=ada')).status).toBe(200);
    const others = new AbortController();
    expect((await call('/v1/chat/completions', { ...CHAT, key, signal: others.signal })).status).toBe(200);
    expect(streams.size).toBe(STREAMS_PER_KEY + 1);

    callers[0]?.abort();
    const again = new AbortController();
    await waitFor(
      async () => (await call('/v1/chat/completions', { ...CHAT, signal: again.signal })).status === 200,
      { describe: 'the place of the chat that was given up' },
    );
    for (const caller of [...callers, others, again]) caller.abort();
    await waitFor(() => streams.size === 0, { describe: 'the upstream to be told that nobody listens' });
  });

  test('MCP keeps nothing open', async () => {
    const answer = await call('/mcp', { headers: { accept: 'text/event-stream' } });
    expect([answer.status, await answer.text()]).toEqual([405, expect.any(String)]);
  });
});

describe('answers that nobody reads', () => {
  test('cost a process a bounded amount of memory, and who reads is served', async () => {
    const content = 'The user likes tea. '.repeat(MAX_MEMORY_LENGTH / 20);
    const memories = Array.from({ length: 100 }, (_, at) => ({ content: `${at} ${content.slice(10)}` }));
    for (let round = 0; round < 4; round += 1) {
      const stored = await call('/v1/memories/batch', {
        method: 'POST',
        body: JSON.stringify({
          user_id: 'ada',
          memories: memories.map((memory) => ({
            content: `${round} ${memory.content}`.slice(0, MAX_MEMORY_LENGTH),
          })),
        }),
      });
      expect(stored.status).toBe(201);
    }
    const list = '/v1/memories?user_id=ada&limit=200';
    // A process that has answered as many lists at once, each of them read, has its size.
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from({ length: MAX_CONNECTIONS - 10 }, async () => (await call(list)).arrayBuffer()),
      );
    }

    const { load } = await loadOf(gateway.pid, gateway.url, async () => {
      for (let at = 0; at < MAX_CONNECTIONS - 10; at += 1) {
        open(gateway, head('GET', list, AUTHORIZED)).socket.pause();
      }
      for (let round = 0; round < 5; round += 1) {
        const answer = await call(list);
        expect([answer.status, (await answer.arrayBuffer()).byteLength > 1_000_000]).toEqual([200, true]);
      }
    });
    expect(load.grownMegabytes).toBeLessThan(MAX_GROWN_MEGABYTES);
  });
});
