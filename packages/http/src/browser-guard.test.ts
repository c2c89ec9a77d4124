import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '@factmill/telemetry';
import { request as send } from 'node:http';
import { Writable } from 'node:stream';
import type { BrowserAccess } from './browser-guard.ts';
import { createHttpApp } from './create-http-app.ts';
import { type HttpServer, listen } from './listen.ts';

const LOCAL: BrowserAccess = { hosts: ['localhost', '127.0.0.1', '[::1]', 'factmill.lan'], origins: [] };
const ANY: BrowserAccess = { hosts: null, origins: ['https://app.example.com'] };
const ALL_ADDRESSES: BrowserAccess = { hosts: ['localhost', 'ip'], origins: [] };

const servers: HttpServer[] = [];
let local: HttpServer;
let withKeys: HttpServer;
let allAddresses: HttpServer;

beforeAll(async () => {
  [local, withKeys, allAddresses] = await Promise.all([serve(LOCAL), serve(ANY), serve(ALL_ADDRESSES)]);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close(0)));
});

async function serve(browsers: BrowserAccess): Promise<HttpServer> {
  const app = createHttpApp({
    service: 'test',
    version: '1',
    logger: createLogger({ service: 'test', level: 'silent', destination: new Writable() }),
    telemetry: { metricsHandler: (_request, response) => response.end(), close: () => Promise.resolve() },
    maxBodyBytes: 1_000,
    browsers,
    health: { describe: () => ({}), readiness: () => Promise.resolve([]) },
    routes: (routes, readBody) => {
      routes.use(readBody);
      routes.get('/thing', (_request, response) => response.json({}));
      routes.post('/thing', (_request, response) => response.json({}));
    },
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, setting: 'GATEWAY_PORT' });
  servers.push(server);
  return server;
}

type Answer = Readonly<{ status: number; code: string | undefined; headers: Record<string, unknown> }>;

/** By node:http, because fetch lets nobody choose these headers. */
function ask(
  server: HttpServer,
  headers: Readonly<Record<string, string>>,
  { method = 'GET', path = '/thing' } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port: server.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const body = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {};
        resolve({ status: response.statusCode ?? 0, code: body.code, headers: response.headers });
      });
    });
    request.on('error', reject);
    request.end();
  });
}

describe('host names', () => {
  test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080', 'localhost.', 'factmill.lan:8080'])(
    '%s is one of ours',
    async (host) => {
      expect((await ask(local, { host })).status).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    '10.0.0.7',
    'localhost:8080:8080',
    '[::2]',
  ])('%j is not', async (host) => {
    for (const path of ['/thing', '/health', '/metrics', '/nowhere']) {
      expect(await ask(local, { host }, { path })).toMatchObject({ status: 403, code: 'host_not_allowed' });
    }
  });

  test('bound to all addresses, it answers to addresses and to no other names', async () => {
    expect((await ask(allAddresses, { host: '192.168.1.7:8080' })).status).toBe(200);
    expect((await ask(allAddresses, { host: '[fe80::1]:8080' })).status).toBe(200);
    expect((await ask(allAddresses, { host: 'evil.example' })).status).toBe(403);
  });

  test('with API keys any name is answered to', async () => {
    expect((await ask(withKeys, { host: 'memory.example.com' })).status).toBe(200);
  });
});

describe('pages of other origins', () => {
  const host = 'localhost:8080';

  test.each([
    ['http://evil.example', 'another site'],
    ['http://localhost:3000', 'another port'],
    ['http://127.0.0.1:8080', 'another name of the same machine'],
    ['null', 'a sandboxed frame or a file'],
    ['chrome-extension://abcdef', 'an extension'],
    ['garbage', 'no origin at all'],
  ])('%s (%s) is refused whatever the method', async (origin) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      for (const server of [local, withKeys]) {
        const refused = await ask(server, { host, origin }, { method });
        expect(refused).toMatchObject({ status: 403 });
        expect(refused.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  test('our own pages and programs that are no browsers may', async () => {
    expect((await ask(local, { host, origin: 'http://localhost:8080' }, { method: 'POST' })).status).toBe(
      200,
    );
    // Behind a proxy that ends TLS the scheme differs, and the default port is left out.
    const proxied = { host: 'memory.example.com:443', origin: 'https://memory.example.com' };
    expect((await ask(withKeys, proxied, { method: 'POST' })).status).toBe(200);
    expect((await ask(local, { host }, { method: 'POST' })).status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])(
    'a read marked %s is refused, a followed link is not',
    async (site) => {
      const read = { host, 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
      expect(await ask(local, read)).toMatchObject({ status: 403, code: 'origin_not_allowed' });
      const link = { ...read, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      expect((await ask(local, link)).status).toBe(200);
      expect((await ask(local, link, { method: 'POST' })).status).toBe(403);
      expect((await ask(local, { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
      expect((await ask(local, { ...read, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    },
  );

  test('a configured origin may call and read, after a preflight too', async () => {
    const origin = 'https://app.example.com';
    const called = await ask(withKeys, { host, origin, 'sec-fetch-site': 'cross-site' }, { method: 'POST' });
    expect(called.status).toBe(200);
    expect(called.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    expect(called.headers['access-control-allow-credentials']).toBeUndefined();
    const asked = { host, origin, 'access-control-request-method': 'DELETE' };
    expect(await ask(withKeys, asked, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': origin },
    });
    expect((await ask(local, { host, origin })).status).toBe(403);
  });
});

test('every answer is data that no browser shows, frames or keeps, refusals included', async () => {
  for (const headers of [{}, { host: 'evil.example' }] as Readonly<Record<string, string>>[]) {
    expect((await ask(local, headers)).headers).toMatchObject({
      'content-security-policy':
        "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  }
});

test.each([
  ['text/plain', 400],
  ['application/x-www-form-urlencoded', 400],
  ['multipart/form-data; boundary=x', 400],
  ['application/json-seq', 400],
  ['application/json', 200],
  ['Application/JSON; charset=utf-8', 200],
] as const)('a post without a body and of the type %s gets %i', async (type, status) => {
  const answer = await ask(local, { host: 'localhost', 'content-type': type }, { method: 'POST' });
  expect(answer.status).toBe(status);
});
