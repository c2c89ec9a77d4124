import { assertAllUsers, effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { searchRequestSchema, type SearchResponse, UNKNOWN_USER } from '@factmill/contracts';
import { presetNamed } from '@factmill/extraction';
import { localsOf, validate } from '@factmill/http';
import type { UserDefaultsReader } from '@factmill/runtime';
import { type MemoryNumbers, type Search, withPreset } from '@factmill/search';
import { Router } from 'express';

export type SearchRoutesDeps = Readonly<{
  search: Search;
  defaultUserId: string;
  /** For searches that name no mode. */
  defaultMode: SearchResponse['mode'];
  /** Whether SEARCH_MODE says how searches are answered, whatever the preset. */
  hasMode: boolean;
  /** Of the deployment. */
  preset: string;
  userDefaults: UserDefaultsReader;
  numbers: MemoryNumbers;
}>;

/** `POST /memories/search`. */
export function searchRoutes(deps: SearchRoutesDeps): Router {
  const { search, defaultUserId, defaultMode } = deps;
  const router = Router();

  /** Across users, that of the tenant. */
  async function presetOf(tenantId: string, userId: string | null): Promise<string> {
    return (await deps.userDefaults({ tenantId, userId: userId ?? '' })).preset ?? deps.preset;
  }

  router.post('/memories/search', requirePermission('memory.read'), async (request, response) => {
    const body = validate(searchRequestSchema, request.body);
    const principal = principalOf(response);
    if (body.all_users) {
      assertAllUsers(principal);
      localsOf(response).eventFields['all_users'] = true;
    }
    const userId = body.all_users
      ? (body.user_id ?? null)
      : effectiveUser(resolveUser(body.user_id, principal, defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json(nothingFor(body.mode ?? defaultMode));
      return;
    }
    const found = await search({
      tenantId: principal.tenantId,
      userId,
      request: withPreset(
        body,
        deps.hasMode ? null : presetNamed(principal.preset ?? (await presetOf(principal.tenantId, userId))),
        deps.numbers,
      ),
      isAbandoned: () => response.destroyed,
    });
    Object.assign(localsOf(response).eventFields, {
      mode: found.mode,
      results: found.results.length,
      ...Object.fromEntries(
        Object.entries(found.candidates).map(([channel, hits]) => [`${channel}_hits`, hits]),
      ),
      ...(found.degraded.length === 0 ? {} : { degraded: found.degraded.join(',') }),
      ...(found.embeddingUnavailable === null ? {} : { embedding_unavailable: found.embeddingUnavailable }),
    });
    response.json({
      results: found.results,
      mode: found.mode,
      user_id: userId,
      ...(found.degraded.length === 0 ? {} : { degraded: found.degraded.join(',') }),
      ...(found.relevance === undefined ? {} : { relevance: found.relevance }),
      ...(found.explain === undefined ? {} : { explain: found.explain }),
    } satisfies SearchResponse);
  });
  return router;
}

/** The answer for an unknown user (A10). Neither database nor model were asked. */
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
