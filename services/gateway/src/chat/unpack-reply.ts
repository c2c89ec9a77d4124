import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ReplyReader } from './read-reply.ts';

/** A reader that may still be busy with what it has heard. */
export type UnpackingReader = ReplyReader & Readonly<{ end: () => Promise<void> }>;

const UNPACKERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Listens for a reader to an answer that is packed, which some upstreams do although they are asked not to. `end`
 * resolves when the reader has heard everything that could be unpacked; an answer that broke off is heard up to there.
 *
 * @param encoding the answer's content-encoding; of one that is not known nothing is heard
 */
export function unpacking(reader: ReplyReader, encoding: string): UnpackingReader {
  const createUnpacker = UNPACKERS[encoding.trim().toLowerCase()];
  if (createUnpacker === undefined) return { ...reader, push: () => undefined, end: () => Promise.resolve() };
  const unpacker = createUnpacker();
  const closed = new Promise<void>((resolve) => {
    unpacker.once('close', () => resolve());
  });
  unpacker.on('data', (chunk: Buffer) => reader.push(chunk));
  // Packed wrongly, or broken off: what was heard until then counts.
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
