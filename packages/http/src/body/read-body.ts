import { AppError } from '@factmill/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ByteLease } from './byte-budget.ts';
import type { JsonScan } from './json-scan.ts';

export type ReadBodyOptions = Readonly<{
  /** Most bytes, as they are sent and unpacked. */
  maxBytes: number;
  /** The whole body has to arrive within this time. */
  timeoutMs: number;
  /** Grows with the body. */
  lease: ByteLease;
  /** Bytes of memory that one byte of the body stands for, with all that is made of it. */
  weight: number;
  /** Reads along as the bytes arrive. */
  scan: JsonScan;
}>;

/** A packed body may become this many times as large; JSON becomes 5 to 15 times as large. */
const MAX_UNPACKING_RATIO = 32;
/** What a value takes that has been read: its place or what it is parsed to. */
const VALUE_BYTES = 96;
/** Each piece of a chunked body costs 2 µs and some bytes besides its own; single bytes cost six times themselves. */
const MAX_WIRE_RATIO = 4;
const ANY_PIECES_BYTES = 16 * 1024;
/** Up to this size a body may have been packed to any ratio. */
const ANY_RATIO_BYTES = 1024 * 1024;
const FIRST_CAPACITY = 16 * 1024;

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and unpacks the body of a request within its limits. What is refused is refused as soon as that is known; the
 * rest of the body is then thrown away as it arrives. Small pieces are copied together, so that a body sent byte by
 * byte costs no more than one sent at once.
 *
 * @throws AppError `payload_too_large`, `invalid_request`, `request_timeout`, `overloaded`, and what `scan` throws
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const { maxBytes, lease, weight } = options;
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const createUnpacker = UNPACKERS[encoding];
  if (createUnpacker === undefined && encoding !== 'identity') {
    throw new AppError(
      'invalid_request',
      'The body’s encoding is not supported; send it as it is, or as gzip, deflate or br.',
    );
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge();
  const isPacked = createUnpacker !== undefined;
  const capacity = isPacked || announced === 0 ? FIRST_CAPACITY : announced;
  await lease.grow(capacity * weight);
  return collect(request, createUnpacker?.() ?? null, Math.min(capacity, maxBytes), options);
}

function collect(
  request: IncomingMessage,
  unpacker: Transform | null,
  firstCapacity: number,
  { maxBytes, timeoutMs, lease, weight, scan }: ReadBodyOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const source = unpacker ?? request;
    let body = Buffer.allocUnsafeSlow(firstCapacity);
    let size = 0;
    let sent = 0;
    let isWaiting = false;
    let hasEnded = false;
    const readBefore = request.socket.bytesRead;
    let isSettled = false;
    let isInCrumbs = false;

    const settle = (error: unknown) => {
      clearTimeout(timer);
      isSettled = true;
      source.off('readable', drain).off('end', end);
      request.off('data', count).off('error', broken).off('close', broken);
      if (unpacker !== null) {
        request.unpipe(unpacker);
        unpacker.destroy();
      }
      if (error === null) {
        resolve(body.subarray(0, size));
        return;
      }
      // Reading the rest, to throw it away, would cost as much: the connection closes with the answer.
      if (!isInCrumbs) request.resume();
      reject(error);
    };
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        settle(error);
      }
    };
    const append = (chunk: Buffer, capacity: number) => {
      if (capacity > body.length) {
        const larger = Buffer.allocUnsafeSlow(capacity);
        body.copy(larger, 0, 0, size);
        body = larger;
      }
      chunk.copy(body, size);
      size += chunk.length;
    };
    const take = (chunk: Buffer) =>
      attempt(() => {
        const needed = size + chunk.length;
        if (needed > maxBytes) throw tooLarge();
        if (unpacker !== null && needed > Math.max(ANY_RATIO_BYTES, sent * MAX_UNPACKING_RATIO)) {
          throw new AppError(
            'payload_too_large',
            `The body unpacks to more than ${MAX_UNPACKING_RATIO} times its size; send it less packed or in parts.`,
          );
        }
        scan.push(chunk);
        const capacity = needed <= body.length ? body.length : Math.min(maxBytes, needed * 2);
        const cost = capacity * weight + scan.values() * VALUE_BYTES;
        if (lease.tryGrow(cost)) {
          append(chunk, capacity);
          return;
        }
        isWaiting = true;
        lease.grow(cost).then(() => {
          isWaiting = false;
          append(chunk, capacity);
          if (hasEnded) settle(null);
          else drain();
        }, settle);
      });
    // What has arrived is read at once, in however many pieces it came.
    const drain = () => {
      for (;;) {
        const chunk = isWaiting || isSettled ? null : (source.read() as Buffer | null);
        if (chunk === null) break;
        take(chunk);
      }
      if (unpacker === null && !isSettled) attempt(assertNotInCrumbs);
    };
    const assertNotInCrumbs = () => {
      if (request.socket.bytesRead - readBefore <= ANY_PIECES_BYTES + size * MAX_WIRE_RATIO) return;
      isInCrumbs = true;
      (request as IncomingMessage & { res?: ServerResponse }).res?.setHeader('Connection', 'close');
      throw new AppError('invalid_request', 'The body comes in pieces that are too small; send larger ones.');
    };
    const count = (chunk: Buffer) => {
      sent += chunk.length;
      // Packed pieces that unpack to nothing are no reason to read on for ever.
      if (sent > maxBytes) settle(tooLarge());
    };
    const end = () => {
      // A stream that is paused at its last piece ends all the same.
      if (isWaiting) hasEnded = true;
      else settle(null);
    };
    const broken = () => {
      if (request.complete) return;
      settle(new AppError('invalid_request', 'The body ended before its announced length.'));
    };
    const timer = setTimeout(() => {
      settle(
        new AppError('request_timeout', 'The body did not arrive in time; send it again.', {
          fields: [{ field: '', message: `must arrive within ${timeoutMs / 1_000} seconds` }],
        }),
      );
    }, timeoutMs);

    source.on('readable', drain).once('end', end);
    request.on('error', broken).on('close', broken);
    if (unpacker === null) return;
    unpacker.on('error', () =>
      settle(
        new AppError(
          'invalid_request',
          'The body cannot be unpacked; is it compressed as Content-Encoding says?',
        ),
      ),
    );
    request.on('data', count);
    request.pipe(unpacker);
  });
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', 'The body is larger than this server accepts; send it in parts.');
}
