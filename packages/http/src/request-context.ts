import type { Logger } from '@factmill/telemetry';
import { createDuration, withSpan } from '@factmill/telemetry';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';

/** What handlers add to the one log line of their request: ids, counts and sizes, never text. */
export type RequestFacts = Record<string, string | number | boolean | null>;

export type RequestLocals = { requestId: string; facts: RequestFacts };

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Probes and scrapes come every few seconds; they are logged at debug. */
const QUIET = /^\/(health|healthz|readyz|metrics)$/;

/** Typed access to what the middleware left on the response. */
export function localsOf(response: Response): RequestLocals {
  return response.locals as RequestLocals;
}

/**
 * First middleware of every service: gives the request its id (the caller's `X-Request-Id` when it is
 * harmless) and the headers that every answer has, continues the caller's trace in a server span, and writes one
 * wide event when the answer is out.
 */
export function requestContext(deps: { logger: Logger; service: string }): RequestHandler {
  const recordDuration = createDuration('factmill_http_request_duration_seconds', 'Time to answer a request');
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const given = request.header('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
    response.locals = { requestId, facts: {} } satisfies RequestLocals;
    response.setHeader('X-Request-Id', requestId);
    const path = request.path;

    const finished = new Promise<void>((resolve) => {
      response.once('close', () => {
        resolve();
      });
    });
    void withSpan(
      `${request.method} request`,
      { kind: 'server', traceparent: request.header('traceparent') },
      async (span) => {
        next();
        await finished;
        const durationMs = performance.now() - startedAt;
        const route = routeOf(request);
        const attributes = { method: request.method, route, status: response.statusCode };
        span.updateName(`${request.method} ${route}`);
        span.setAttributes({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
          'factmill.request_id': requestId,
        });
        recordDuration(durationMs, { service: deps.service, ...attributes });
        deps.logger[QUIET.test(path) ? 'debug' : 'info'](
          {
            request_id: requestId,
            ...attributes,
            duration_ms: Math.round(durationMs * 100) / 100,
            completed: response.writableFinished,
            ...localsOf(response).facts,
          },
          'request',
        );
      },
    );
  };
}

/**
 * The route's pattern with where it is mounted: a bounded label, and no id of anyone in it. The mount comes from the
 * address, because express has taken `baseUrl` back by the time an error is answered.
 */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  if (typeof route?.path !== 'string') return 'none';
  if (/[*{]/.test(route.path)) return `${request.baseUrl}${route.path}`;
  const own = segmentsOf(route.path);
  const asked = segmentsOf(request.originalUrl.split('?', 1)[0] ?? '');
  return `/${[...asked.slice(0, asked.length - own.length), ...own].join('/')}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
