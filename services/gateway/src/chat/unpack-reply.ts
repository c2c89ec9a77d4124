import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ReplyReader } from './read-reply.ts';

/** A reader that may still decompress what it has received. */
export type UnpackingReader = ReplyReader & Readonly<{ end: () => Promise<void> }>;

const UNPACKERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Decompresses an answer for a reader; some upstreams compress although they are asked not to. `end` resolves when
 * the reader has seen everything that could be decompressed, up to the point where a broken answer ends.
 *
 * @param encoding the answer's content-encoding; an unknown one gives the reader nothing
 */
export function unpacking(reader: ReplyReader, encoding: string): UnpackingReader {
  const createUnpacker = UNPACKERS[encoding.trim().toLowerCase()];
  if (createUnpacker === undefined) return { ...reader, push: () => undefined, end: () => Promise.resolve() };
  const unpacker = createUnpacker();
  const closed = new Promise<void>((resolve) => {
    unpacker.once('close', () => resolve());
  });
  unpacker.on('data', (chunk: Buffer) => reader.push(chunk));
  // Bad compression or a cut-off answer: everything until then counts.
  unpacker.on('error', () => undefined);
  return {
    push: (chunk) => {
      if (!unpacker.destroyed) unpacker.write(chunk);
    },
    reply: reader.reply,
    end: () => {
      unpacker.end();
      return closed;
    },
  };
}
