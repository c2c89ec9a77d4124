import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort, waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChatChunk } from './chat.ts';
import { collect } from './collect.fixture.ts';
import { type Client, type ClientOptions, createClient } from './create-client.ts';
import { FactmillError } from './factmill-error.ts';

type Received = Readonly<{
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}>;
type Handler = (response: ServerResponse, request: Received) => void;

const MEMORY_ID = '0199f3a0-0000-7000-8000-000000000001';
const said = { messages: [{ role: 'user' as const, content: 'I live in Lisbon.' }] };
const chat = { model: 'm', messages: said.messages };

let server: Server;
let url: string;
let received: Received[];
/** What the server does with the requests, one after the other; the last one for all that follow. */
let script: Handler[];

beforeEach(async () => {
  received = [];
  script = [];
  server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const request = {
        method,
        path,
        headers,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
      };
      received.push(request);
      script[Math.min(received.length, script.length) - 1]?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const connect = (options: Partial<ClientOptions> = {}): Client => createClient({ baseUrl: url, ...options });

const json =
  (body: unknown, status = 200): Handler =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Handler =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ status, code, detail: `${code}!`, errors: [], request_id: 'r' }));
  };
const cutAtOnce: Handler = (response) => response.destroy();
const cutInside: Handler = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data": [', () => response.destroy());
};
const silence: Handler = () => undefined;

async function failure(call: Promise<unknown>): Promise<FactmillError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FactmillError);
  return error as FactmillError;
}

describe('a server in trouble', () => {
  test('is asked again when it has had the time it asked for', async () => {
    script = [refuse(503, 'database_unavailable', { 'retry-after': '1' }), json({ data: [] })];
    expect(await connect().memories.list()).toEqual({ data: [] });
    expect(received).toHaveLength(2);
    expect((received[1]?.at ?? 0) - (received[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('that wants longer than a minute is left to the caller', async () => {
    script = [refuse(503, 'overloaded', { 'retry-after': '61' })];
    const error = await failure(connect().memories.list());
    expect(error).toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 61, requestId: 'r' });
    expect(received).toHaveLength(1);
  });

  test('is asked three times, and the last error is told', async () => {
    script = [refuse(502, 'first'), refuse(504, 'second'), refuse(503, 'third')];
    expect(await failure(connect().memories.search({ query: 'home' }))).toMatchObject({ code: 'third' });
    expect(received).toHaveLength(3);
    expect(await failure(connect({ maxRetries: 0 }).memories.list())).toMatchObject({ code: 'third' });
    expect(await failure(connect().memories.list({}, { maxRetries: 1 }))).toMatchObject({ code: 'third' });
    expect(received).toHaveLength(6);
  });

  test.each([
    ['before an answer', cutAtOnce],
    ['inside of an answer', cutInside],
  ])('that cuts connections %s is asked again', async (_when, cut) => {
    script = [cut, cut, json({ data: [] })];
    expect(await connect().memories.list()).toEqual({ data: [] });
    expect(received).toHaveLength(3);
  });

  test('that does not answer is given up in time, and asked again', async () => {
    script = [silence, json({ data: [] })];
    expect(await connect({ timeoutMs: 200 }).memories.list()).toEqual({ data: [] });
    script = [silence];
    received = [];
    const error = await failure(connect().memories.list({}, { timeoutMs: 100, maxRetries: 1 }));
    expect(error).toMatchObject({ kind: 'timeout', code: 'timeout', status: undefined });
    expect(received).toHaveLength(2);
  });

  test('that stops in the middle of an answer is given up in time', async () => {
    script = [
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"data": [');
      },
    ];
    const error = await failure(connect({ timeoutMs: 200, maxRetries: 0 }).memories.list());
    expect(error.kind).toBe('timeout');
  });

  test('that is not there is asked again, also with what must not happen twice', async () => {
    const port = await freePort();
    let tries = 0;
    const counting = connect({
      baseUrl: `http://127.0.0.1:${port}`,
      fetch: (...call) => {
        tries += 1;
        return fetch(...call);
      },
    });
    const error = await failure(counting.memories.create({ content: 'Bees.' }));
    expect(error).toMatchObject({ kind: 'connection', code: 'unreachable', status: undefined });
    expect(tries).toBe(3);
  });

  test('and what is not Factmill at all are told apart', async () => {
    script = [(response) => response.end('<html>Welcome</html>')];
    expect(await failure(connect().memories.list())).toMatchObject({ kind: 'unreadable', status: 200 });
    script = [(response) => response.writeHead(301, { location: `${url}/elsewhere` }).end()];
    expect(await failure(connect().conversations.post('c', said))).toMatchObject({ code: 'http_301' });
    expect(received).toHaveLength(2);
  });
});

describe('writes', () => {
  test('with an Idempotency-Key are sent again as they were, under the same key', async () => {
    script = [cutAtOnce, refuse(503, 'database_unavailable'), json({ message_ids: ['m'] }, 202)];
    const client = connect();
    await client.conversations.post('c', said);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);

    received = [];
    script = [json({}, 202)];
    await client.conversations.post('c', said);
    await client.extractions.create(said, { idempotencyKey: 'mine' });
    expect(received[0]?.headers['idempotency-key']).not.toBe(keys[0]);
    expect(received[1]?.headers['idempotency-key']).toBe('mine');
  });

  test('that create get their id before they are sent', async () => {
    script = [cutAtOnce, json({}, 201)];
    await connect().documents.put({ content: 'House rules.' });
    const [first, second] = received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['a memory', ({ memories }) => memories.create({ content: 'Bees.' })],
    ['a batch', ({ memories }) => memories.batch({ memories: [{ content: 'Bees.' }] })],
    ['a change', ({ memories }) => memories.patch(MEMORY_ID, { importance: 1 })],
    ['a deletion by key', ({ memories }) => memories.deleteByKey({ key: 'home' })],
    ['a call of the memory tool', ({ tools }) => tools.call({ action: 'forget', key: 'home' })],
    ['an API key', ({ apiKeys }) => apiKeys.create({ name: 'app' })],
    ['a replay', ({ extractions }) => extractions.replay(MEMORY_ID)],
    ['a chat', (client) => client.chat.complete(chat)],
    ['a streamed chat', (client) => collect(client.chat.stream(chat))],
  ])('that may have happened are not repeated: %s', async (_what, call) => {
    for (const trouble of [cutAtOnce, cutInside, refuse(503, 'database_unavailable'), refuse(502, 'x')]) {
      script = [trouble];
      received = [];
      await failure(call(connect()));
      expect(received).toHaveLength(1);
    }
  });

  test('that the server refused are repeated, chats too', async () => {
    script = [refuse(503, 'overloaded', { 'retry-after': '0' }), json({ id: MEMORY_ID }, 201)];
    expect(await connect().memories.create({ content: 'Bees.' })).toEqual({ id: MEMORY_ID });
    script = [refuse(429, 'rate_limited', { 'retry-after': '0' }), json({ id: 'chat' })];
    received = [];
    expect(await connect().chat.complete(chat)).toEqual({ id: 'chat' });
    expect(received).toHaveLength(2);
  });

  test('a deletion that is gone on a second try was done by the first', async () => {
    script = [cutAtOnce, refuse(404, 'not_found')];
    expect(await connect().memories.delete(MEMORY_ID)).toBeUndefined();
    received = [];
    script = [refuse(503, 'overloaded', { 'retry-after': '0' }), refuse(404, 'not_found')];
    expect(await failure(connect().memories.delete(MEMORY_ID))).toMatchObject({ code: 'not_found' });
    received = [];
    script = [refuse(404, 'not_found')];
    expect(await failure(connect().memories.delete(MEMORY_ID))).toMatchObject({ status: 404 });
    script = [(response) => response.writeHead(204).end()];
    expect(await connect().memories.delete(MEMORY_ID)).toBeUndefined();
  });
});

describe('a caller that has had enough', () => {
  test('ends a call, a pause, a wait and a stream with its own reason', async () => {
    const enough = new Error('enough');
    const controllers: AbortController[] = [];
    const signal = (): AbortSignal => {
      const controller = new AbortController();
      controllers.push(controller);
      return controller.signal;
    };
    script = [
      (response, request) => {
        const { method, path } = request;
        if (path.endsWith(MEMORY_ID)) json({ state: 'active' })(response, request);
        else if (method === 'POST') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('data: {"choices": []}\n\n');
        } else if (path === '/v1/profile') refuse(503, 'x', { 'retry-after': '60' })(response, request);
      },
    ];
    const client = connect();
    const chunks: ChatChunk[] = [];
    const stream = async () => {
      for await (const chunk of client.chat.stream(chat, { signal: signal() })) chunks.push(chunk);
    };
    const calls = [
      client.memories.list({}, { signal: signal() }),
      client.profile({}, { signal: signal() }),
      client.extractions.waitFor(MEMORY_ID, { signal: signal() }),
      stream(),
    ];
    const ends = Promise.allSettled(calls);
    await waitFor(() => received.length >= 4 && chunks.length === 1, {
      describe: 'all calls to be under way',
    });
    for (const controller of controllers) controller.abort(enough);
    expect(await ends).toEqual(calls.map(() => ({ status: 'rejected', reason: enough })));
    const asked = received.length;
    await expect(client.memories.list({}, { signal: AbortSignal.abort(enough) })).rejects.toBe(enough);
    expect(received).toHaveLength(asked);
  });
});

describe('lists and waits', () => {
  test('all items come, page after page, as long as they are asked for', async () => {
    script = [
      (response, request) => {
        const cursor = new URL(request.path, url).searchParams.get('cursor');
        const page = cursor === null ? 0 : Number(cursor);
        json({ data: [page * 2, page * 2 + 1], next_cursor: page < 2 ? String(page + 1) : null })(
          response,
          request,
        );
      },
    ];
    const client = connect();
    expect(await collect(client.memories.listAll({ tag: 'a&b' }))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(received.map(({ path }) => path)).toEqual([
      '/v1/memories?tag=a%26b',
      '/v1/memories?tag=a%26b&cursor=1',
      '/v1/memories?tag=a%26b&cursor=2',
    ]);
    received = [];
    for await (const item of client.extractions.listAll()) if ((item as unknown) === 2) break;
    expect(received).toHaveLength(2);
  });

  test('a wait ends with the extraction, or with its time', async () => {
    script = [json({ state: 'pending' }), json({ state: 'active' }), json({ state: 'failed' })];
    expect(await connect().extractions.waitFor(MEMORY_ID)).toEqual({ state: 'failed' });
    expect(received).toHaveLength(3);
    script = [json({ state: 'active' })];
    const error = await failure(connect().extractions.waitFor(MEMORY_ID, { timeoutMs: 120 }));
    expect(error).toMatchObject({ kind: 'timeout', detail: 'The extraction is still active after 120 ms.' });
  });
});

describe('a streamed chat', () => {
  const events = (...data: string[]): Handler => {
    return (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.end(data.map((one) => `data: ${one}\n\n`).join(''));
    };
  };
  const chunk = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });

  test('comes in the pieces that the upstream sends', async () => {
    script = [events(chunk('Lis'), chunk('bon'), '[DONE]', 'never read')];
    const chunks = await collect(connect().chat.stream(chat));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['Lis', 'bon']);
  });

  test('that breaks off gives what came, then the error, and is not asked for again', async () => {
    script = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${chunk('Lis')}\n\n`, () => response.destroy());
      },
    ];
    const chunks: ChatChunk[] = [];
    const read = async () => {
      for await (const one of connect().chat.stream(chat)) chunks.push(one);
    };
    expect(await failure(read())).toMatchObject({ kind: 'connection', code: 'connection_lost' });
    expect(chunks).toHaveLength(1);
    expect(received).toHaveLength(1);
  });

  test('a stream may last longer than the time limit for its beginning', async () => {
    script = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${chunk('Lis')}\n\n`);
        setTimeout(() => response.end(`data: ${chunk('bon')}\n\n`), 600);
      },
    ];
    expect(await collect(connect().chat.stream(chat, { timeoutMs: 300 }))).toHaveLength(2);
  });

  test('leaving the loop early closes the connection', async () => {
    let closed = false;
    script = [
      (response) => {
        response.once('close', () => (closed = true));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${chunk('Lis')}\n\n`);
      },
    ];
    for await (const one of connect().chat.stream(chat)) if (one.choices.length > 0) break;
    await waitFor(() => closed, { describe: 'the connection to be closed' });
  });

  test('an error in it, an event that is no chunk, and no stream at all are errors', async () => {
    const code = async (handler: Handler) => {
      script = [handler];
      return (await failure(collect(connect().chat.stream(chat)))).code;
    };
    expect(await code(events('{"error": {"type": "server_error", "message": "Oh."}}'))).toBe('server_error');
    expect(await code(events('{"error": "Oh."}'))).toBe('upstream_error');
    expect(await code(events('{"choices":'))).toBe('unreadable_answer');
    expect(await code(events('7'))).toBe('unreadable_answer');
    expect(await code(json({ id: 'whole' }))).toBe('unreadable_answer');
  });
});
