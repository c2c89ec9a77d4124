import { forwardedSession, type Principal, principalOf, requirePermission } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import { localsOf } from '@factmill/http';
import { traceHeaders, withSpan } from '@factmill/telemetry';
import { type RequestHandler, Router } from 'express';
import type { RetrievalCall } from '../retrieval/retrieval-client.ts';
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

function forward({ retrieval, config }: RouteDeps, path: RetrievalCall['path']): RequestHandler {
  return async (request, response) => {
    const headers: Record<string, string> = { 'x-request-id': localsOf(response).requestId };
    for (const name of ['authorization', 'x-api-key']) {
      const value = request.header(name);
      if (value !== undefined) headers[name] = value;
    }
    const session = forwardedSession(request);
    if (session !== null) headers['cookie'] = session;
    // A caller that disconnects also leaves the queue of the retrieval service.
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const body = (request.body ?? {}) as object;
    const owner = ownerOf(body, principalOf(response), config.auth.defaultUserId);
    const answer = await withSpan(`forward ${path}`, { kind: 'client' }, async () => {
      try {
        return await retrieval.post({
          path,
          owner,
          headers: { ...headers, ...traceHeaders() },
          body,
          signal: AbortSignal.any([gone.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        });
      } catch (error) {
        if (gone.signal.aborted) return null;
        throw new AppError('retrieval_unavailable', 'The retrieval service does not answer; try again.', {
          cause: error,
        });
      }
    });
    if (answer === null) return;
    const retryAfter = answer.headers.get('retry-after');
    if (retryAfter !== null) response.setHeader('Retry-After', retryAfter);
    response
      .status(answer.status)
      .type(answer.headers.get('content-type') ?? 'application/json')
      .send(answer.body);
  };
}

/** Whose memory it most likely is. Retrieval decides; this only finds the process that has it at hand. */
function ownerOf(body: object, principal: Principal, defaultUserId: string): RetrievalCall['owner'] {
  const { user_id: named } = body as { user_id?: unknown };
  const { tenantId, pinnedUserId, keyName } = principal;
  return { tenantId, userId: typeof named === 'string' ? named : (pinnedUserId ?? keyName ?? defaultUserId) };
}
