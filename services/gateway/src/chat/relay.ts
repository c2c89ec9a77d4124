import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { toCallerHeaders } from './proxy-headers.ts';
import type { ReplyReader } from './read-reply.ts';

/**
 * Forwards an answer at the pace of its reader. Resolves when all of it is out or one side has gone away; `reader`
 * has seen everything until then.
 */
export async function relay(
  answer: IncomingMessage,
  response: Response,
  reader: Pick<ReplyReader, 'push'> | null,
): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, toCallerHeaders(answer.headers));
  // Sends the headers with their original bytes; flushHeaders() would encode them as UTF-8 again.
  response.write(Buffer.alloc(0));
  if (reader !== null) answer.on('data', (chunk: Buffer) => reader.push(chunk));
  // When caller or upstream disconnects, both sides end; that is the end of this exchange, not an error of ours.
  await pipeline(answer, response).catch(() => undefined);
}

/** The whole body of an answer. Rejects when it is cut off. */
export async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
