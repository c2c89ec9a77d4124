import { requirePermission } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import { localsOf } from '@factmill/http';
import { traceHeaders, withSpan } from '@factmill/telemetry';
import { type RequestHandler, Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';

/** After this long a search answers that retrieval is not available. */
const TIMEOUT_MS = 15_000;

/** Operations of the retrieval service, forwarded with the caller's credentials. */
export function retrievalRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.post('/memories/search', requirePermission('memory.read'), forward(deps, '/v1/memories/search'));
  router.post('/context', requirePermission('memory.read'), forward(deps, '/v1/context'));
  return router;
}

function forward(deps: RouteDeps, path: string): RequestHandler {
  const url = `${deps.config.gateway.retrievalUrl}${path}`;
  return async (request, response) => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-request-id': localsOf(response).requestId,
    };
    for (const name of ['authorization', 'x-api-key']) {
      const value = request.header(name);
      if (value !== undefined) headers[name] = value;
    }
    // A caller that disconnects also leaves the queue of the retrieval service.
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const answer = await withSpan(`forward ${path}`, { kind: 'client' }, async () => {
      try {
        const upstream = await fetch(url, {
          method: 'POST',
          headers: { ...headers, ...traceHeaders() },
          body: JSON.stringify(request.body ?? {}),
          signal: AbortSignal.any([gone.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        });
        return { upstream, body: Buffer.from(await upstream.arrayBuffer()) };
      } catch (error) {
        if (gone.signal.aborted) return null;
        throw new AppError('retrieval_unavailable', 'The retrieval service does not answer; try again.', {
          cause: error,
        });
      }
    });
    if (answer === null) return;
    const retryAfter = answer.upstream.headers.get('retry-after');
    if (retryAfter !== null) response.setHeader('Retry-After', retryAfter);
    response
      .status(answer.upstream.status)
      .type(answer.upstream.headers.get('content-type') ?? 'application/json')
      .send(answer.body);
  };
}
