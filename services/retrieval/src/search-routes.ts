import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { searchRequestSchema, type SearchResponse, UNKNOWN_USER } from '@factmill/contracts';
import { localsOf, validate } from '@factmill/http';
import { Router } from 'express';
import type { Search } from './search.ts';

export type SearchRoutesDeps = Readonly<{ search: Search; defaultUserId: string }>;

/** `POST /memories/search`. */
export function searchRoutes({ search, defaultUserId }: SearchRoutesDeps): Router {
  const router = Router();
  router.post('/memories/search', requirePermission('memory.read'), async (request, response) => {
    const body = validate(searchRequestSchema, request.body);
    const principal = principalOf(response);
    const userId = effectiveUser(resolveUser(body.user_id, principal, defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json(nothingFor(body.mode));
      return;
    }
    const found = await search({ tenantId: principal.tenantId, userId, request: body });
    Object.assign(localsOf(response).facts, {
      results: found.results.length,
      vector_hits: found.vectorHits,
      text_hits: found.textHits,
      ...(found.embeddingUnavailable === null ? {} : { embedding_unavailable: found.embeddingUnavailable }),
    });
    response.json({
      results: found.results,
      mode: body.mode,
      user_id: userId,
      ...(found.embeddingUnavailable === null ? {} : { degraded: 'embedding_unavailable' }),
    } satisfies SearchResponse);
  });
  return router;
}

/** The answer when nobody can say whose memories to search (A10): neither database nor model were asked. */
function nothingFor(mode: SearchResponse['mode']): SearchResponse {
  return {
    results: [],
    mode,
    user_id: UNKNOWN_USER,
    skipped: {
      reason: 'unknown_user',
      detail:
        'No user could be determined, so nothing was searched. Send user_id, use an API key, or set DEFAULT_USER_ID.',
    },
  };
}
