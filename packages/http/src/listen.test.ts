import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { type HttpServer, listen } from './listen.ts';

let server: HttpServer;
beforeAll(async () => {
  server = await listen((_request, response) => response.end('ok'), {
    host: '127.0.0.1',
    port: 0,
    setting: 'GATEWAY_PORT',
  });
});
afterAll(async () => {
  await server.close(0);
});

/** What the server says to bytes, until it closes the connection. */
function say(bytes: string, port = server.port): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('what is refused before there is a request', () => {
  test.each([
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(10_000)}\r\n`, 431],
    ['an address that is too long', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['what is no HTTP', 'EHLO example\r\n\r\n', 400],
  ])('%s', async (_what, bytes, status) => {
    const answer = await say(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    expect(body).toMatchObject({ status, errors: [], request_id: expect.any(String) });
  });
});

test('headers are not dropped for their number', async () => {
  const headers = Array.from({ length: 1_500 }, (_, index) => `h${index}: 1\r\n`).join('');
  expect(await say(`GET / HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`)).toContain('200 OK');
});

test('a server that closes ends each connection with the answer to what it has begun', async () => {
  let answer = (): void => undefined;
  const begun = Promise.withResolvers<void>();
  const closing = await listen(
    (_request, response) => {
      answer = () => response.end('ok');
      begun.resolve();
    },
    { host: '127.0.0.1', port: 0, setting: 'GATEWAY_PORT' },
  );
  const said = say('GET / HTTP/1.1\r\nHost: a\r\n\r\n', closing.port);
  await begun.promise;
  const closed = closing.close(60_000);
  answer();
  expect(await said).toMatch(/^HTTP\/1.1 200 OK[^]*\r\nConnection: close\r\n[^]*\r\n\r\nok$/);
  await closed;
});
