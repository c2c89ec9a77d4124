import { AppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import { createDuration, withSpan } from '@factmill/telemetry';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { methodName, type RouteNames } from './route-names.ts';

/** What handlers add to the wide event of their request: ids, counts and sizes, never text. */
type EventFields = Record<string, string | number | boolean | null>;

export type RequestLocals = {
  requestId: string;
  eventFields: EventFields;
  /** The pattern of the matched route, or `none`. */
  route: () => string;
  /** Set by whatever authenticates the request. */
  principal?: unknown;
};

/** Characters that are safe in a header and in a log line. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Ids that programs make: hexadecimal digits with dashes (UUID, trace id, nginx), ULID, or a decimal number. */
const MADE_BY_PROGRAM = /^(?:[\da-f][\da-f-]{7,63}|[0-7][\dA-HJKMNP-TV-Z]{25}|\d{1,20})$/i;
/** Probes and scrapes come every few seconds; they are logged at debug. */
const QUIET = /^\/(health|healthz|readyz|metrics)$/;

/** Typed access to what the middleware left on the response. */
export function localsOf(response: Response): RequestLocals {
  return response.locals as RequestLocals;
}

/**
 * First middleware of every service: gives the request an id (the caller's `X-Request-Id` when that is safe),
 * continues the caller's trace in a server span, and writes one wide event after the answer.
 */
export function requestContext(
  deps: Readonly<{ logger: Logger; service: string; routeNames: RouteNames }>,
): RequestHandler {
  const recordDuration = createDuration('factmill_http_request_duration_seconds', 'Time to answer a request');
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const given = request.header('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
    // Each middleware adds one listener for its cleanup.
    response.setMaxListeners(32);
    response.locals = {
      requestId,
      eventFields: {},
      route: () => deps.routeNames.of(request),
    } satisfies RequestLocals;
    response.setHeader('X-Request-Id', requestId);

    const finished = new Promise<void>((resolve) => {
      response.once('close', () => {
        resolve();
      });
    });
    const method = methodName(request.method);
    void withSpan(
      `${method} request`,
      { kind: 'server', traceparent: request.header('traceparent') },
      async (span) => {
        next();
        await finished;
        const durationMs = performance.now() - startedAt;
        const route = deps.routeNames.of(request);
        const attributes = { method, route, status: response.statusCode };
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
          'factmill.request_id': loggedIdOf(response),
        });
        recordDuration(durationMs, { service: deps.service, ...attributes });
        deps.logger[QUIET.test(route) ? 'debug' : 'info'](
          {
            request_id: loggedIdOf(response),
            ...attributes,
            duration_ms: Math.round(durationMs * 100) / 100,
            completed: response.writableFinished,
            ...localsOf(response).eventFields,
          },
          'request',
        );
      },
    );
  };
}

/**
 * The request's id for the log. Ids that no program would make are not logged, because callers could write text
 * with them.
 */
export function loggedIdOf(response: Response): string {
  const { requestId, principal } = localsOf(response);
  return principal !== undefined || MADE_BY_PROGRAM.test(requestId) ? requestId : 'of a stranger';
}

/** The request's id for what cannot be erased later; null for one that no program would make. */
export function recordedIdOf(response: Response): string | null {
  const { requestId } = localsOf(response);
  return MADE_BY_PROGRAM.test(requestId) ? requestId : null;
}

/**
 * Refuses a target that is not a path, such as `GET http://other.example/ HTTP/1.1`: only proxies serve those.
 *
 * @throws AppError `invalid_request`
 */
export const requirePath: RequestHandler = (request, _response, next) => {
  if (!request.originalUrl.startsWith('/')) {
    throw new AppError('invalid_request', 'The request line has to name a path, such as GET /health.');
  }
  next();
};
