import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** SHA-256 of a file, in hexadecimal digits. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  return digest(createHash('sha256'), file, signal);
}

/** The id that git gives a file with this content. */
export async function gitIdOf(file: string, signal?: AbortSignal): Promise<string> {
  const { size } = await stat(file);
  return digest(createHash('sha1').update(`blob ${size}\0`), file, signal);
}

async function digest(hash: Hash, file: string, signal?: AbortSignal): Promise<string> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024, signal })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}
