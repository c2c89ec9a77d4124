import { waitFor } from '@factmill/testkit';
import { afterEach, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type HttpServer, listen, type ListenOptions } from './listen.ts';

const MEGABYTE = 1024 * 1024;

let server: HttpServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close(0);
});

async function serve(limits: Partial<ListenOptions>, app: RequestListener): Promise<void> {
  const address = { host: '127.0.0.1', port: 0, setting: 'GATEWAY_PORT' };
  server = await listen(app, { ...address, checkIntervalMs: 20, ...limits });
}

/** A connection on which some bytes have been sent, and what came back on it. */
function open(bytes: string): { socket: Socket; answer: () => string; closed: Promise<string> } {
  let answer = '';
  const socket = connect(server?.port ?? 0, '127.0.0.1', () => socket.write(bytes));
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  return { socket, answer: () => answer, closed };
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const drain: RequestListener = (request, response) => {
  request.resume().once('end', () => response.end('whole'));
};

test.each([
  ['nothing', ''],
  ['half of the headers', 'GET / HTTP/1.1\r\nHost: a\r\n'],
])('a connection that sends %s ends in time', async (_what, bytes) => {
  await serve({ headersTimeoutMs: 100, requestTimeoutMs: 100 }, drain);
  expect(await open(bytes).closed).toMatch(/^HTTP\/1.1 408 [^]*"code":"request_timeout"/);
});

test('headers that come byte by byte have no more time than others', async () => {
  await serve({ headersTimeoutMs: 200 }, drain);
  const { socket, closed } = open('GET / HTTP/1.1\r\nHost: a\r\n');
  const drip = setInterval(() => socket.write('x'), 10);
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
  clearInterval(drip);
});

test('a request that is passed on while it arrives ends in time', async () => {
  await serve({ headersTimeoutMs: 100, requestTimeoutMs: 200 }, drain);
  const { socket, closed } = open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  const drip = setInterval(() => socket.write('x'), 10);
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
  clearInterval(drip);
});

test('connections beyond the limit are closed at once; others go on, and the next ones are served', async () => {
  await serve({ maxConnections: 2 }, drain);
  const first = open(GET);
  const second = open(GET);
  await waitFor(() => first.answer().includes('whole') && second.answer().includes('whole'), {
    describe: 'both to be served',
  });
  expect(await open(GET).closed).toBe('');
  first.socket.write(GET);
  await waitFor(() => first.answer().split('whole').length === 3, { describe: 'the second answer' });
  second.socket.destroy();
  await waitFor(
    async () =>
      (await open(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')).closed).includes('whole'),
    { describe: 'a new connection to be served' },
  );
});

/** Answers with more than the kernel takes of it; `gone` are the paths whose answers were given up. */
async function serveLarge(limits: Partial<ListenOptions>): Promise<{ begun: string[]; gone: string[] }> {
  const begun: string[] = [];
  const gone: string[] = [];
  await serve(limits, ({ url = '' }, response) => {
    response.once('close', () => {
      if (!response.writableFinished) gone.push(url);
    });
    response.end(Buffer.alloc(32 * MEGABYTE));
    begun.push(url);
  });
  return { begun, gone };
}

function askAndNotRead(path: string): Socket {
  const socket = connect(server?.port ?? 0, '127.0.0.1', () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
  );
  sockets.push(socket.pause());
  socket.on('error', () => undefined);
  return socket;
}

test('an answer that nobody reads is given up in time', async () => {
  const { gone } = await serveLarge({ unreadTimeoutMs: 100 });
  askAndNotRead('/a');
  await waitFor(() => gone.length === 1, { describe: 'the answer to be given up' });
});

test('what nobody reads is bounded in all: the oldest goes first, and who reads gets everything', async () => {
  const { begun, gone } = await serveLarge({ maxUnreadBytes: 70 * MEGABYTE });
  for (const [at, path] of ['/a', '/b', '/c', '/d'].entries()) {
    askAndNotRead(path);
    await waitFor(() => begun.length === at + 1, { describe: `${path} to be answered` });
  }
  await waitFor(() => gone.length > 0, { describe: 'the oldest to be given up' });
  expect(gone[0]).toBe('/a');
  expect(gone).not.toContain('/d');
  const answer = await fetch(`${server?.url}/e`);
  expect((await answer.arrayBuffer()).byteLength).toBe(32 * MEGABYTE);
});
