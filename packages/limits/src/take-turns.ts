import { principalOf } from '@factmill/auth';
import { isAppError } from '@factmill/errors';
import type { RequestHandler, Response } from 'express';
import type { FairQueue } from './fair-queue.ts';
import type { CountLimited } from './limit-metrics.ts';
import { workRequestOf } from './rate-limit.ts';
import { slotsOf, type WorkClass, workOf } from './work.ts';

export type TakeTurnsDeps = Readonly<{
  /** Which queue the work of a class goes through; null: none of this process. */
  queueOf: (work: WorkClass) => FairQueue | null;
  /** When the work of a caller that has gone counts as over, if it does not say so before: see `afterGoneMs`. */
  afterGoneMs: number;
  count: CountLimited;
}>;

/** What a handler does besides its longest statement: other statements, and calls of models. */
const MAX_BESIDES_MS = 60_000;

/** How long a handler goes on at most when its caller has gone. `statementTimeoutsMs`: of the statements it makes. */
export function afterGoneMs(...statementTimeoutsMs: readonly number[]): number {
  return Math.max(...statementTimeoutsMs) + MAX_BESIDES_MS;
}

/**
 * Has each request wait for its turn before its handler begins; its slots are free again when the handler has
 * answered. A caller that goes away while it waits leaves the queue; while its work runs, the slots stay taken until
 * that ends, because the database goes on too.
 */
export function takeTurns({ queueOf, afterGoneMs: goneMs, count }: TakeTurnsDeps): RequestHandler {
  return async (request, response, next) => {
    const work = workOf({ ...workRequestOf(request), body: request.body as unknown });
    const slots = slotsOf(work);
    const queue = slots === 0 ? null : queueOf(work);
    if (queue === null) {
      next();
      return;
    }
    const gone = new AbortController();
    const leave = () => {
      gone.abort();
    };
    response.once('close', leave);
    try {
      const release = await queue.acquire(principalOf(response).tenantId, slots, gone.signal);
      releaseAtEnd(response, release, goneMs);
    } catch (error) {
      if (isAppError(error) && !gone.signal.aborted) count('overload', work);
      throw error;
    } finally {
      // Each abort makes an error with its stack.
      response.off('close', leave);
    }
    next();
  };
}

function releaseAtEnd(response: Response, release: () => void, goneMs: number): void {
  const end = response.end.bind(response) as (...args: unknown[]) => Response;
  response.end = ((...args: unknown[]) => {
    release();
    return end(...args);
  }) as Response['end'];
  response.once('close', () => {
    if (!response.writableEnded) setTimeout(release, goneMs).unref();
  });
}
