import { migrate } from '@factmill/database';
import {
  createRedisNamespace,
  createTestDatabase,
  type RedisNamespace,
  type TestDatabase,
} from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { loadOf } from '../support/process-load.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** What nothing that a client sends may cost a process. */
const MAX_BLOCK_MS = 100;
const MAX_GROWN_MEGABYTES = 100;

const ADMIN_KEY = 'an-admin-key-that-is-long-enough';
const MEGABYTE = 1024 * 1024;
const quiet = { info: () => undefined, warn: () => undefined };

let testDatabase: TestDatabase;
let redis: RedisNamespace;
let upstream: Server;
let received = 0;
let gateway: ServiceProcess;
let retrieval: ServiceProcess;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  redis = createRedisNamespace();
  upstream = createServer((incoming, response) => {
    incoming.on('data', (chunk: Buffer) => (received += chunk.length));
    incoming.on('end', () => response.end('{"choices":[]}'));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const env = {
    DATABASE_URL: testDatabase.serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
    LOG_LEVEL: 'info',
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_TENANT: '0',
  };
  retrieval = await startService('retrieval', env);
  gateway = await startService('gateway', {
    ...env,
    RETRIEVAL_URL: retrieval.url,
    CHAT_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    CHAT_MEMORY: 'true',
  });
  // What is loaded and compiled with the first requests is no cost of the hostile one.
  for (let round = 0; round < 20; round += 1) {
    await send(gateway, { path: '/v1/memories', body: '{"user_id":"warm","content":"The user likes tea."}' });
    await send(gateway, {
      path: '/v1/context',
      body: '{"user_id":"warm","query":"What do I like to drink?"}',
    });
    await send(gateway, { path: '/v1/chat/completions', body: chatOf('x'.repeat(100_000)) });
    await send(retrieval, {
      path: '/v1/memories/search',
      body: JSON.stringify({
        user_id: 'warm',
        query: 'What do I like to drink? '.repeat(20),
        filters: { categories: ['preference'], tags: ['tea'] },
        include_turns: true,
        include_pending: true,
        explain: true,
      }),
    });
  }
  // The heap of a process that has taken ordinary batches has its size.
  for (let round = 0; round < 4; round += 1) {
    const memories = Array.from({ length: 200 }, (_, at) => ({
      content: `${round} ${at} ${'The user likes tea and coffee. '.repeat(100)}`,
    }));
    await send(gateway, { path: '/v1/memories/batch', body: JSON.stringify({ user_id: 'warm', memories }) });
  }
  const wide = { user_id: 'warm', query: 'tea or coffee', limit: 200, include_turns: true };
  for (let round = 0; round < 40; round += 1)
    await send(retrieval, { path: '/v1/memories/search', body: JSON.stringify(wide) });
  // The thread that cuts documents starts with the first one.
  await send(gateway, { path: '/v1/documents', body: '{"user_id":"warm","content":"The user likes tea."}' });
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

type Sent = Readonly<{
  path: string;
  body: string | Buffer;
  headers?: Readonly<Record<string, string>>;
  /** Writes the body in pieces of this size. */
  pieceBytes?: number;
}>;

/** Sends a request and resolves to the status and code of its answer. */
function send(service: ServiceProcess, sent: Sent): Promise<Readonly<{ status: number; text: string }>> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${service.url}${sent.path}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          'content-type': 'application/json',
          ...sent.headers,
        },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        answer.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    const body = Buffer.from(sent.body);
    const { pieceBytes = body.length } = sent;
    for (let at = 0; at < body.length; at += pieceBytes) outgoing.write(body.subarray(at, at + pieceBytes));
    outgoing.end();
  });
}

async function expectBounded(service: ServiceProcess, act: () => Promise<unknown>): Promise<void> {
  const { load } = await loadOf(service.pid, service.url, act);
  const { longestBlockMs, grownMegabytes } = load;
  expect({ longestBlockMs, grownMegabytes }).toEqual({
    longestBlockMs: Math.min(longestBlockMs, MAX_BLOCK_MS),
    grownMegabytes: Math.min(grownMegabytes, MAX_GROWN_MEGABYTES),
  });
}

const chatOf = (content: string) =>
  JSON.stringify({ model: 'm', user: 'ada', messages: [{ role: 'user', content }] });
const repeated = (before: string, unit: string, count: number, after: string) =>
  `${before}${unit.repeat(count)}${after}`;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const gzip = { 'content-encoding': 'gzip' };

describe('bodies that unpack', () => {
  const bomb = chatOf('a'.repeat(60 * MEGABYTE));
  test.each<[string, () => Sent]>([
    [
      'a chat of 60 MB in gzip',
      () => ({ path: '/v1/chat/completions', body: gzipSync(bomb), headers: gzip }),
    ],
    [
      'a chat of 60 MB in br',
      () => ({
        path: '/v1/chat/completions',
        body: brotliCompressSync(bomb),
        headers: { 'content-encoding': 'br' },
      }),
    ],
    [
      'memories of 60 MB in deflate',
      () => ({ path: '/v1/memories', body: deflateSync(bomb), headers: { 'content-encoding': 'deflate' } }),
    ],
  ])('%s', async (_what, make) => {
    const sent = make();
    await expectBounded(gateway, async () => {
      expect((await send(gateway, sent)).status).toBe(413);
    });
  });

  test('six at once are no more than one', async () => {
    const sent = { path: '/v1/chat/completions', body: gzipSync(bomb), headers: gzip };
    await expectBounded(gateway, () => Promise.all(Array.from({ length: 6 }, () => send(gateway, sent))));
  });
});

describe('JSON that is more than its bytes', () => {
  test.each<[string, number, () => Sent]>([
    [
      'a chat nested without end',
      400,
      () => ({
        path: '/v1/chat/completions',
        body: gzipSync(`{"messages":[{"role":"user","content":"x","tool_calls":${nested(400_000)}}]}`),
        headers: gzip,
      }),
    ],
    [
      'a chat of 600,000 messages',
      400,
      () => ({
        path: '/v1/chat/completions',
        body: repeated('{"messages":[', '{"role":"user","content":"x"},', 600_000, '{}]}'),
      }),
    ],
    ['4 MB of brackets', 400, () => ({ path: '/v1/memories', body: '['.repeat(4 * MEGABYTE) })],
    [
      'the same key over and over',
      400,
      () => ({ path: '/v1/memories', body: repeated('{', '"a":1,', 600_000, '"a":1}') }),
    ],
    [
      'as many unknown keys as are read',
      400,
      () => ({
        path: '/v1/memories',
        body: JSON.stringify(Object.fromEntries(Array.from({ length: 49_000 }, (_, key) => [`k${key}`, 1]))),
      }),
    ],
    [
      'as many wrong messages as are read',
      400,
      () => ({
        path: '/v1/conversations/c/messages',
        body: repeated('{"messages":[', '1,', 49_000, '1]}'),
      }),
    ],
    [
      'a batch of wrong memories',
      400,
      () => ({
        path: '/v1/memories/batch',
        body: JSON.stringify({
          memories: Array.from({ length: 1_000 }, () => ({ tags: Array.from({ length: 64 }, () => 1) })),
        }),
      }),
    ],
    [
      'strings of escapes',
      400,
      () => ({ path: '/v1/memories', body: repeated('["', '\\u0041', 690_000, '"]') }),
    ],
    ['a number without end', 400, () => ({ path: '/v1/memories', body: '9'.repeat(4 * MEGABYTE - 1) })],
    [
      'metadata of 4 MB',
      400,
      () => ({
        path: '/v1/memories',
        body: JSON.stringify({ user_id: 'ada', content: 'x', metadata: { a: 'b'.repeat(4_000_000) } }),
      }),
    ],
    [
      'what is no UTF-8',
      400,
      () => ({
        path: '/v1/memories',
        body: Buffer.from([0x22, ...Array.from({ length: 1_000 }, () => 0xff), 0x22]),
      }),
    ],
    [
      'a body byte by byte',
      400,
      () => ({
        path: '/v1/memories',
        body: repeated('["', 'a', 200_000, '"]'),
        headers: { 'transfer-encoding': 'chunked' },
        pieceBytes: 1,
      }),
    ],
    [
      'MCP of 4 MB',
      400,
      () => ({
        path: '/mcp',
        body: repeated('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[', '{},', 49_000, '{}]}'),
        headers: { accept: 'application/json, text/event-stream' },
      }),
    ],
  ])('%s', async (_what, status, make) => {
    const sent = make();
    await expectBounded(gateway, async () => {
      const answer = await send(gateway, sent);
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, answer.text.slice(0, 300)]);
      expect(answer.text.length).toBeLessThan(20_000);
    });
  });
});

describe('what is large and fine', () => {
  test('a chat with images of 20 MB goes upstream whole', async () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'A'.repeat(20 * MEGABYTE)}` },
    };
    const body = JSON.stringify({
      model: 'm',
      user: 'ada',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    });
    const before = received;
    await expectBounded(gateway, async () => {
      const answer = await send(gateway, { path: '/v1/chat/completions', body });
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, '{"choices":[]}']);
    });
    expect(received - before).toBe(body.length);
  });

  test('a chat of 5,000 messages', async () => {
    const messages = Array.from({ length: 5_000 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at} ${'word '.repeat(50)}`,
    }));
    const body = JSON.stringify({ model: 'm', user: 'ada', messages });
    await expectBounded(gateway, async () => {
      expect((await send(gateway, { path: '/v1/chat/completions', body })).status).toBe(200);
    });
  });

  test.each([
    ['words', 'The user walked along the river and thought of tea. '],
    ['one word', 'x'],
    ['signs', '\u0301'],
    ['Chinese', '我喜欢喝茶在巴黎的家里'],
    ['short Chinese sentences', '茶。'],
    ['words of one letter', 'a b c '],
    ['signs that stand for eighteen each', '\ufdfa'],
  ])('a document of a million characters: %s', async (_what, unit) => {
    const content = unit.repeat(Math.floor(1_000_000 / unit.length));
    const body = JSON.stringify({ user_id: 'ada', content: `a${content.slice(1)}` });
    await expectBounded(gateway, async () => {
      const { status, text } = await send(gateway, { path: '/v1/documents', body });
      // Refused where it would have more chunks than a user can have.
      if (status !== 201) expect([status, JSON.parse(text)]).toMatchObject([409, { code: 'document_limit' }]);
    });
    // The next one is cut, whatever became of it.
    const next = { path: '/v1/documents', body: JSON.stringify({ user_id: 'ada', content: `Of ${unit}.` }) };
    expect((await send(gateway, next)).status).toBeLessThan(300);
  });

  test.each<[string, string]>([
    ['a batch of 1,000 memories', '/v1/memories/batch'],
    ['500 messages', '/v1/conversations/large/messages'],
  ])('%s near the body limit', async (_what, path) => {
    const text = 'The user has a word to say about it. '.repeat(100);
    const body = path.endsWith('batch')
      ? { user_id: 'ada', memories: Array.from({ length: 1_000 }, (_, at) => ({ content: `${at} ${text}` })) }
      : {
          user_id: 'ada',
          messages: Array.from({ length: 500 }, () => ({ role: 'user', content: text + text })),
        };
    await expectBounded(gateway, () => send(gateway, { path, body: JSON.stringify(body) }));
  });
});

describe('retrieval', () => {
  test.each<[string, string, () => object]>([
    [
      'a search with everything in it',
      '/v1/memories/search',
      () => ({
        user_id: 'ada',
        query: 'word '.repeat(800),
        limit: 200,
        scopes: Array.from({ length: 8 }, (_, at) => `scope-${at}`),
        filters: {
          categories: Array.from({ length: 64 }, (_, at) => `category-${at}`),
          tags: Array.from({ length: 64 }, (_, at) => `tag-${at}`),
        },
        include_turns: true,
        include_pending: true,
        explain: true,
      }),
    ],
    [
      'a context with 4 MB of messages',
      '/v1/context',
      () => ({
        user_id: 'ada',
        format: 'messages',
        messages: Array.from({ length: 500 }, () => ({
          role: 'user',
          content: 'What did I say? '.repeat(480),
        })),
      }),
    ],
    [
      'deep filters',
      '/v1/memories/search',
      () => ({ query: 'x', filters: JSON.parse(nested(15)) as unknown }),
    ],
  ])('%s', async (_what, path, make) => {
    const body = JSON.stringify(make());
    await expectBounded(retrieval, () => send(retrieval, { path, body }));
  });

  test.each<[string, (place: number) => string]>([
    ['short words, no two of them the same', (place) => lettersOf(place, 4)],
    [
      'long words that are nearly the same',
      (place) => `anniversariesofgreatgrandmothersand${lettersOf(place, 4)}`,
    ],
    ['words longer than any', (place) => `${'verylong'.repeat(200)}${lettersOf(place, 4)}`],
  ])('a user with 1,000 long memories, of %s', async (what, wordOf) => {
    const { length } = wordOf(0);
    const wordsOf = (first: number) =>
      Array.from({ length: Math.floor(7_900 / (length + 1)) }, (_, at) => wordOf(first + at)).join(' ');
    for (let first = 0; first < 1_000; first += 250) {
      const memories = Array.from({ length: 250 }, (_, at) => ({ content: wordsOf((first + at) * 1_500) }));
      const body = JSON.stringify({ user_id: what, memories });
      const { status, text } = await send(gateway, { path: '/v1/memories/batch', body });
      expect([status, text.slice(0, 200)]).toEqual([201, expect.any(String)]);
    }
    // None of them is in a memory, but each looks like many that are.
    const query = Array.from({ length: 8 }, (_, at) => `${wordOf(at * 20_000).slice(-300, -1)}q`).join(' ');
    const body = JSON.stringify({ user_id: what, query, explain: true, include_turns: true });
    await expectBounded(retrieval, async () => {
      // The second one has the user's index loaded, beside those that follow.
      for (let round = 0; round < 12; round += 1)
        expect((await send(retrieval, { path: '/v1/memories/search', body })).status).toBe(200);
    });
  });

  test.each([
    ['English', 'Tea and Paris 12345 in House '],
    ['German', 'Tee und Größe 12345 in Haus’s '],
    ['Chinese', '我喜欢喝茶 12345 在巴黎的家里 '],
  ])('all the memories of a user who has 400 long ones in %s', async (language, text) => {
    for (let first = 0; first < 400; first += 200) {
      const memories = Array.from({ length: 200 }, (_, at) => ({
        content: Array.from(
          { length: 7_900 / (text.length + 10) },
          (__, n) => `${text}${first + at} ${n} `,
        ).join(''),
      }));
      const body = JSON.stringify({ user_id: language, memories });
      expect((await send(gateway, { path: '/v1/memories/batch', body })).status).toBe(201);
    }
    const body = JSON.stringify({ user_id: language, query: text, limit: 200, explain: true });
    await expectBounded(retrieval, async () => {
      for (let round = 0; round < 4; round += 1)
        expect((await send(retrieval, { path: '/v1/memories/search', body })).status).toBe(200);
    });
  });
});

/** Another text of so many letters for each number. */
function lettersOf(number: number, count: number): string {
  return Array.from({ length: count }, (_, at) =>
    String.fromCharCode(97 + (Math.floor(number / 26 ** at) % 26)),
  ).join('');
}
