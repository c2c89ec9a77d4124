import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isAppError } from '@factmill/errors';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createByteBudget } from './byte-budget.ts';
import { createJsonScan } from './json-scan.ts';
import { readBody } from './read-body.ts';

const MEGABYTE = 1024 * 1024;
const EMPTY = gzipSync('');
const budget = createByteBudget({ totalBytes: 64 * MEGABYTE, waitMs: 20, freeBytes: 64 * 1024 });

/** What became of the last body: its text's length, or the code of its refusal. */
type Outcome = string | number;

let server: Server;
let timeoutMs = 30_000;
let read: (request: IncomingMessage) => Promise<Outcome>;

beforeAll(async () => {
  read = async (request) => {
    const lease = budget.lease();
    try {
      const scan = createJsonScan({ maxValues: 1_000 });
      const body = await readBody(request, { maxBytes: 8 * MEGABYTE, timeoutMs, lease, weight: 1, scan });
      scan.end();
      return body.length;
    } catch (error) {
      return isAppError(error) ? error.code : String(error);
    } finally {
      lease.release();
    }
  };
  server = createServer((request, response) => {
    void read(request).then((outcome) => response.end(String(outcome)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

/** Sends pieces as they are, and resolves to the outcome. */
function send(pieces: readonly Buffer[], headers: Record<string, string> = {}, end = true): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => {
        resolve(text);
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    for (const piece of pieces) outgoing.write(piece);
    if (end) outgoing.end();
  });
}

const jsonOf = (bytes: number) => Buffer.from(JSON.stringify('ab'.repeat(bytes / 2 - 1)));

describe('packed bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])(
    'of %s may become a megabyte from anything, and more only from a share of it',
    async (encoding, pack) => {
      const headers = { 'content-encoding': encoding };
      expect(await send([pack(jsonOf(MEGABYTE))], headers)).toBe(String(MEGABYTE));
      expect(await send([pack(jsonOf(4 * MEGABYTE))], headers)).toBe('payload_too_large');
    },
  );

  test('that are varied are taken up to the limit', async () => {
    const varied = Buffer.from(
      JSON.stringify(
        Array.from({ length: 90_000 }, () => Math.random().toString().slice(2, 14).repeat(4)).join(),
      ),
    );
    expect(await send([gzipSync(varied)], { 'content-encoding': 'gzip' })).toBe(String(varied.length));
  });

  test('of members one after another count together, and empty ones for what they are sent as', async () => {
    const half = jsonOf(MEGABYTE).subarray(0, -1);
    const members = [gzipSync(half), gzipSync(jsonOf(MEGABYTE).subarray(1))];
    expect(await send(members, { 'content-encoding': 'gzip' })).toBe('payload_too_large');
    const empty = Buffer.concat(Array.from({ length: 450_000 }, () => EMPTY));
    expect(await send([empty], { 'content-encoding': 'gzip' })).toBe('payload_too_large');
  });

  test('that break off or are not what they say', async () => {
    const packed = gzipSync(jsonOf(1_000));
    expect(await send([packed.subarray(0, -9)], { 'content-encoding': 'gzip' })).toBe('invalid_request');
    expect(await send([jsonOf(1_000)], { 'content-encoding': 'gzip' })).toBe('invalid_request');
    expect(await send([jsonOf(1_000)], { 'content-encoding': 'zstd' })).toBe('invalid_request');
  });
});

test('a body that is announced as too large is refused before it is sent', async () => {
  const headers = { 'content-length': String(9 * MEGABYTE) };
  expect(await send([Buffer.from('"')], headers, false)).toBe('payload_too_large');
});

test('a body without a length is refused as soon as it is too large', async () => {
  expect(await send([Buffer.alloc(9 * MEGABYTE, '"a')], {}, false)).toBe('invalid_json');
  expect(await send([Buffer.from('"'), Buffer.alloc(9 * MEGABYTE, 'a')], {}, false)).toBe(
    'payload_too_large',
  );
});

test('pieces of any size are put together', async () => {
  const text = jsonOf(3_000);
  const bytes = [...text].map((byte) => Buffer.from([byte]));
  expect(await send(bytes)).toBe(String(text.length));
});

test('a body that does not arrive in time is given up', async () => {
  timeoutMs = 50;
  expect(await send([Buffer.from('"')], {}, false)).toBe('request_timeout');
  timeoutMs = 30_000;
});

test('what is refused gives its room back, and what is being read holds it', async () => {
  expect(budget.held()).toBe(0);
  const other = budget.lease();
  await other.grow(62 * MEGABYTE);
  expect(await send([jsonOf(4 * MEGABYTE)], { 'content-length': String(4 * MEGABYTE) })).toBe('overloaded');
  expect(await send([jsonOf(MEGABYTE)])).toBe(String(MEGABYTE));
  expect(budget.held()).toBe(62 * MEGABYTE);
  other.release();
});

test('a body that pauses before its last piece is complete after it resumes', async () => {
  const other = budget.lease();
  await other.grow(64 * MEGABYTE);
  const text = Buffer.from(JSON.stringify(Array.from({ length: 900 }, () => 1)));
  const waiting = send([text]);
  setTimeout(() => other.release(), 5);
  expect(await waiting).toBe(String(text.length));
  expect(budget.held()).toBe(0);
});
