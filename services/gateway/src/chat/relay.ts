import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { toCallerHeaders } from './proxy-headers.ts';
import type { ReplyReader } from './read-reply.ts';

/**
 * Passes an answer on as it comes, at the pace of whoever reads it. Resolves when all of it is out or one side has
 * gone away; `reader` has heard what came until then.
 */
export async function relay(
  answer: IncomingMessage,
  response: Response,
  reader: ReplyReader | null,
): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, toCallerHeaders(answer.headers));
  // Sends the headers with their bytes as they came; flushHeaders() would encode them as UTF-8 once more.
  response.write(Buffer.alloc(0));
  if (reader !== null) answer.on('data', (chunk: Buffer) => reader.push(chunk));
  // A caller or upstream that goes away ends both sides; it is the end of this exchange, not an error of ours.
  await pipeline(answer, response).catch(() => undefined);
}

/** The whole body of an answer. Rejects when it breaks off. */
export async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
