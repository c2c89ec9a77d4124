import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import { createLogger } from '@factmill/telemetry';
import { Router } from 'express';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createHttpApp } from './create-http-app.ts';
import { type HttpServer, listen } from './listen.ts';

const lines: Record<string, unknown>[] = [];
let ready: readonly string[] = [];
let impaired: string[] = [];
let alive: readonly string[] = [];
let server: HttpServer;

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
      done();
    },
  });
  const app = createHttpApp({
    service: 'test',
    version: '9.9.9',
    logger: createLogger({ service: 'test', level: 'info', destination }),
    telemetry: {
      metricsHandler: (_request, response) => response.end('metrics'),
      close: () => Promise.resolve(),
    },
    maxBodyBytes: 1_000,
    browsers: { hosts: null, origins: [] },
    health: {
      describe: () => ({ colour: 'green' }),
      liveness: () => Promise.resolve(alive),
      readiness: () => Promise.resolve(ready),
      impaired: () => impaired,
    },
    routes: (routes, readBody) => {
      routes.use(readBody);
      routes.post('/echo/:id', (request, response) => {
        response.json({ body: (request.body as unknown) ?? null, id: request.params.id });
      });
      const mounted = Router();
      mounted.get('/:id/part', () => {
        throw new AppError('not_found', 'None.');
      });
      routes.use('/v1/things', mounted);
      routes.get('/known', (_request, response) => {
        response.locals['principal'] = {};
        response.json({});
      });
      routes.get('/bug', () => {
        throw new Error('I live in Utrecht');
      });
      routes.get('/late', async () => {
        await Promise.reject(new AppError('overloaded', 'Later.', { retryAfterSeconds: 2.2 }));
      });
    },
  });
  server = await listen(app, { host: '127.0.0.1', port: 0, setting: 'GATEWAY_PORT' });
});

afterAll(async () => {
  await server.close(0);
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.url}${path}`, init);
  const text = await response.text();
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => ask('/echo/1', { method: 'POST', body, headers });

describe('bodies', () => {
  test('JSON is read, also compressed; none at all is fine', async () => {
    expect((await post('{"a":1}')).body).toEqual({ body: { a: 1 }, id: '1' });
    const compressed = await post(new Uint8Array(gzipSync('{"a":2}')), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(compressed.body).toEqual({ body: { a: 2 }, id: '1' });
    expect((await ask('/echo/1', { method: 'POST' })).body).toEqual({ body: null, id: '1' });
  });

  test.each<[string, string, Record<string, string>, number, string]>([
    ['no JSON', '{"a":', { 'content-type': 'application/json' }, 400, 'invalid_json'],
    ['another type', '{}', { 'content-type': 'text/plain' }, 400, 'invalid_request'],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 400, 'invalid_request'],
    [
      'too large',
      JSON.stringify('x'.repeat(1_000)),
      { 'content-type': 'application/json' },
      413,
      'payload_too_large',
    ],
    ['a forbidden key', '{"__proto__":1}', { 'content-type': 'application/json' }, 400, 'forbidden_key'],
    [
      'another charset',
      '{}',
      { 'content-type': 'application/json; charset=iso-8859-1' },
      400,
      'invalid_request',
    ],
    [
      'another encoding',
      '{}',
      { 'content-type': 'application/json', 'content-encoding': 'br9' },
      400,
      'invalid_request',
    ],
    [
      'broken gzip',
      'no gzip',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      400,
      'invalid_request',
    ],
  ])('%s is refused', async (_what, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect(answer).toMatchObject({ status, body: { code, status } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  });

  test('a bomb is measured unpacked', async () => {
    const bomb = gzipSync(JSON.stringify('0'.repeat(1_000_000)));
    const answer = await post(new Uint8Array(bomb), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('a streamed body of another type is refused too', async () => {
    const answer = await ask('/echo/1', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: new Blob(['text']).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('errors', () => {
  test('nothing at an address is a problem', async () => {
    expect(await ask('/nowhere')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('a path that cannot be decoded is the caller’s mistake', async () => {
    expect(await ask('/echo/%E0%A4%A', { method: 'POST' })).toMatchObject({ status: 400 });
  });

  test('a bug says nothing, outside and in the log', async () => {
    const answer = await ask('/bug', { headers: { 'x-request-id': '00000000b1' } });
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal', request_id: '00000000b1' } });
    expect(JSON.stringify(answer.body)).not.toContain('Utrecht');
    const line = lines.find(
      (entry) => entry['request_id'] === '00000000b1' && entry['msg'] === 'unexpected error',
    );
    expect(line).toMatchObject({
      err: { name: 'Error', stack: expect.stringMatching(/^\s+at /) as unknown as string },
    });
    expect(JSON.stringify(lines)).not.toContain('Utrecht');
  });

  test('what may work later says when', async () => {
    const answer = await ask('/late');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('3');
  });
});

describe('every answer', () => {
  test('has the caller’s request id, or one of ours when theirs cannot stand in a header', async () => {
    const answered = async (id: string) =>
      (await ask('/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    for (const id of ['0199c6a0-7f3e-7c41-b2d1-3f5a6b7c8d9e', '1732291200123', 'client-7', 'a'.repeat(128)]) {
      expect(await answered(id)).toBe(id);
    }
    for (const text of ['a b', '<script>', 'a'.repeat(129)]) {
      expect(await answered(text)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('has a line in the log with that id, unless a stranger could have written a text with it', async () => {
    const loggedAs = async (id: string, path: string) => {
      const before = lines.length;
      await ask(path, { headers: { 'x-request-id': id } });
      return lines.slice(before).find(({ msg }) => msg === 'request')?.['request_id'];
    };
    for (const id of [
      '0199c6a0-7f3e-7c41-b2d1-3f5a6b7c8d9e',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '1732291200123',
    ]) {
      expect(await loggedAs(id, '/nowhere')).toBe(id);
    }
    for (const text of ['my-password-is.swordfish', 'maya', 'dead.beef', 'a'.repeat(65)]) {
      expect(await loggedAs(text, '/nowhere')).toBe('of a stranger');
      expect(await loggedAs(text, '/known')).toBe(text);
    }
  });

  test('has the headers that keep browsers careful, and says nothing of the server', async () => {
    const { headers } = await ask('/health');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.has('x-powered-by')).toBe(false);
  });

  test('leaves one line in the log, with the route and not the path', async () => {
    await ask('/echo/personal-id', { method: 'POST', headers: { 'x-request-id': '00000001' } });
    const written = lines.filter((entry) => entry['request_id'] === '00000001');
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({
      msg: 'request',
      method: 'POST',
      route: '/echo/:id',
      status: 200,
      completed: true,
    });
    expect(JSON.stringify(written)).not.toContain('personal-id');
  });

  test('and the route is whole when the answer is an error', async () => {
    await ask('/v1/things/personal-id/part?a=b', { headers: { 'x-request-id': '00000002' } });
    const written = lines.filter((entry) => entry['request_id'] === '00000002');
    expect(written).toEqual([
      expect.objectContaining({ route: '/v1/things/:id/part', status: 404, code: 'not_found' }),
    ]);
  });

  test.each([
    ['another case', 'GET', '/v1/ThInGs/SECRET/PaRt', '/v1/things/:id/part', 404],
    ['a slash more', 'GET', '/v1/things/SECRET/part/', '/v1/things/:id/part', 404],
    ['an unknown path', 'GET', '/v1/things/SECRET/other', 'none', 404],
    ['a method that none has a use for', 'PROPFIND', '/SECRET', 'none', 404],
    ['an address instead of a path', 'GET', 'http://SECRET.example/health', 'none', 400],
    ['an address of ours', 'GET', 'http://127.0.0.1/echo/SECRET', 'none', 400],
    ['no path at all', 'OPTIONS', '*', 'none', 400],
  ])('%s: the line has words of the route table only', async (_what, method, target, route, status) => {
    const id = randomUUID();
    expect(await send(method, target, { 'x-request-id': id })).toContain(`HTTP/1.1 ${status} `);
    const written = lines.filter((entry) => entry['request_id'] === id);
    const shown = method === 'PROPFIND' ? 'OTHER' : method;
    expect(written).toEqual([expect.objectContaining({ method: shown, route, status })]);
    expect(JSON.stringify(written)).not.toMatch(/SECRET|example/i);
  });
});

/** Sends a request line as it is; resolves to the whole answer. */
function send(method: string, target: string, headers: Record<string, string>): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  const lines = Object.entries({ host: '127.0.0.1', connection: 'close', ...headers });
  socket.end(`${method} ${target} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
  return text(socket);
}

test('health says what is missing; readiness and liveness are status codes', async () => {
  expect((await ask('/health')).body).toMatchObject({ status: 'ok', version: '9.9.9', colour: 'green' });
  expect((await ask('/readyz')).status).toBe(200);
  expect((await ask('/healthz')).status).toBe(200);
  impaired = ['a_part'];
  expect((await ask('/health')).body).toMatchObject({ status: 'degraded', impaired });
  expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true, impaired } });
  ready = ['database'];
  alive = ['stuck'];
  expect(await ask('/health')).toMatchObject({
    status: 200,
    body: { status: 'degraded', missing: ['database'] },
  });
  expect(await ask('/readyz')).toMatchObject({ status: 503, body: { ready: false, missing: ['database'] } });
  expect(await ask('/healthz')).toMatchObject({ status: 503, body: { alive: false, reasons: ['stuck'] } });
});

test('a port that is taken is one clear sentence', async () => {
  const address = { host: '127.0.0.1', port: server.port, setting: 'GATEWAY_PORT' };
  await expect(listen(() => undefined, address)).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringContaining(String(server.port)) as unknown as string,
  });
});
