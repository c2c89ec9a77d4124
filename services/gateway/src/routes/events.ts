import { principalOf, readSessionCookie, requirePermission, userOrAll } from '@factmill/auth';
import { type EventList, eventIdSchema, listEventsQuerySchema } from '@factmill/contracts';
import { type EventPage, FIRST_EVENT, readEventHorizon, readEvents } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { setTimeout as delay } from 'node:timers/promises';
import type { RouteDeps } from '../route-deps.ts';
import { type ReadAfter, toEvent } from '../events/event-form.ts';
import { sendEventStream } from '../events/event-stream.ts';
import { createStreamSlots } from '../stream-slots.ts';

/** How long an event that was committed waits for a reader who waits for it. */
const POLL_MS = 300;
/** Streams and waiting lists: of one key, and of this process. */
const SLOTS = { maxPerKey: 20, maxInAll: 200 } as const;

/** `/v1/events`: what happened, as a list, a list that waits, and a stream (H4). */
export function eventRoutes(deps: RouteDeps): Router {
  const router = Router();
  const slots = createStreamSlots({ of: 'event streams', ...SLOTS });

  router.get('/', requirePermission('memory.read'), onlyIf(staysOpen, slots), async (request, response) => {
    const query = validate(listEventsQuerySchema, request.query);
    const { tenantId } = principalOf(response);
    const whose = { tenantId, userId: userOrAll(query, principalOf(response)), types: query.types ?? null };
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      const endTurn = await deps.takeTurn(tenantId);
      try {
        return await work();
      } finally {
        endTurn();
      }
    };
    const session = principalOf(response).session === undefined ? null : readSessionCookie(request);
    const read: ReadAfter = async (after, limit) => {
      // A stream of a browser ends with its session.
      if (session !== null) await deps.authenticator.sessions.assertAlive(session);
      return inTurn(() => readEvents(deps.database.list, { ...whose, after, limit }));
    };
    const from = placeOf(request) ?? query.after ?? FIRST_EVENT;
    const after = from === 'now' ? await inTurn(() => readEventHorizon(deps.database.list)) : from;
    const ended = AbortSignal.any([deps.closing, goneSignal(response)]);
    if (wantsStream(request)) {
      await sendEventStream({ response, ended, after, read, pollMs: POLL_MS });
      return;
    }
    const page = await waitForEvents({ read, after, limit: query.limit, waitMs: query.wait * 1_000, ended });
    response.json({ data: page.events.map(toEvent), next_cursor: page.next } satisfies EventList);
  });

  return router;
}

/** The first page with an event, or the one at the end of the wait. */
async function waitForEvents(
  asked: Readonly<{ read: ReadAfter; after: string; limit: number; waitMs: number; ended: AbortSignal }>,
): Promise<EventPage> {
  const endAt = performance.now() + asked.waitMs;
  let page = await asked.read(asked.after, asked.limit);
  while (page.events.length === 0 && performance.now() < endAt && !asked.ended.aborted) {
    await delay(Math.min(POLL_MS, endAt - performance.now()), undefined, { signal: asked.ended }).catch(
      () => undefined,
    );
    page = await asked.read(page.next, asked.limit);
  }
  return page;
}

/** A client that takes both gets the list. */
function wantsStream(request: Request): boolean {
  return (
    request.method === 'GET' &&
    request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream'
  );
}

function staysOpen(request: Request): boolean {
  return wantsStream(request) || Number(request.query['wait'] ?? 0) > 0;
}

/** @throws AppError `invalid_request` */
function placeOf(request: Request): string | undefined {
  const id = wantsStream(request) ? request.header('last-event-id') : undefined;
  if (id === undefined || id === '') return undefined;
  if (eventIdSchema.safeParse(id).success) return id;
  throw new AppError('invalid_request', 'Last-Event-ID has to be the id of an event.', {
    fields: [{ field: 'Last-Event-ID', message: 'must be the id of an event' }],
  });
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

function onlyIf(condition: (request: Request) => boolean, handler: RequestHandler): RequestHandler {
  return (request, response, next) => (condition(request) ? handler(request, response, next) : next());
}
