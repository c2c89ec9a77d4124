import type { Response } from 'express';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReadAfter, toEvent } from './event-form.ts';

/** Events that are read at once. */
const PAGE = 200;
/** A comment after so long without an event, so that nothing between us takes the connection for dead. */
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for so long is gone. */
const UNREAD_MS = 60_000;
/** Then the reader connects again, with its key checked anew. */
const MAX_STREAM_MS = 15 * 60_000;
/** How long clients wait before they connect again. */
const RETRY_MS = 1_000;

/**
 * Sends events as they come, each with its id, until the reader has gone, the process stops, or a quarter of an hour has
 * passed. A reader that connects again with the last id it has misses nothing and gets nothing twice. What fails before
 * the first byte is an answer as usual; later the stream ends.
 */
export async function sendEventStream(
  options: Readonly<{
    response: Response;
    ended: AbortSignal;
    after: string;
    read: ReadAfter;
    pollMs: number;
    /** Default 15 s. */
    heartbeatMs?: number;
  }>,
): Promise<void> {
  const { response, ended, read, pollMs, heartbeatMs = HEARTBEAT_MS } = options;
  let page = await read(options.after, PAGE);
  const endAt = performance.now() + MAX_STREAM_MS;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that collect answers would hold events back.
    'x-accel-buffering': 'no',
  });
  try {
    await write(response, `retry: ${RETRY_MS}\n\n`, ended);
    let wroteAt = performance.now();
    while (!ended.aborted && performance.now() < endAt) {
      if (page.events.length > 0) {
        await write(response, page.events.map((event) => frame(toEvent(event))).join(''), ended);
        wroteAt = performance.now();
      } else if (performance.now() - wroteAt >= heartbeatMs) {
        await write(response, ': heartbeat\n\n', ended);
        wroteAt = performance.now();
      }
      if (page.events.length < PAGE) await delay(pollMs, undefined, { signal: ended });
      page = await read(page.next, PAGE);
    }
  } catch {
    // The reader has gone, we stop, or the database is away: the reader connects again and goes on where it was.
  }
  response.end();
}

function frame(event: Readonly<{ id: string }>): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Resolves when the reader has room for more. */
async function write(response: Response, text: string, ended: AbortSignal): Promise<void> {
  if (response.write(text)) return;
  try {
    await once(response, 'drain', { signal: AbortSignal.any([ended, AbortSignal.timeout(UNREAD_MS)]) });
  } catch (error) {
    response.destroy();
    throw error;
  }
}
