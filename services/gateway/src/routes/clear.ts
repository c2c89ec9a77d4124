import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { type ClearedMemories, clearMemoriesSchema, UNKNOWN_USER } from '@factmill/contracts';
import { clearUser } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { localsOf, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { actorOf } from '../actor.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

/**
 * `POST /v1/memories/clear` (A21). It is no action of the agents' tool: words that an agent reads must not be able to
 * have it done.
 */
export function clearRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.post('/clear', requirePermission('memory.write'), async (request, response) => {
    const { user_id: requested, confirm } = validate(clearMemoriesSchema, request.body);
    const principal = principalOf(response);
    const userId = effectiveUser(resolveUser(requested, principal, deps.config.auth.defaultUserId));
    if (userId === UNKNOWN_USER) {
      const nothing = { memories: 0, conversations: 0, documents: 0, summaries: 0 };
      response.json({ ...nothing, ...UNKNOWN_USER_SKIPPED } satisfies ClearedMemories);
      return;
    }
    if (confirm !== userId) throw unconfirmed();
    const owner = { tenantId: principal.tenantId, userId };
    const cleared = await clearUser(deps.database.batch, owner, actorOf(response), auditedBy(response));
    localsOf(response).eventFields['cleared'] = cleared.memories;
    response.json({ user_id: userId, ...cleared } satisfies ClearedMemories);
  });
  return router;
}

function unconfirmed(): AppError {
  const message = 'is not the id of the user whose memory would be cleared';
  return new AppError('state_conflict', `confirm: ${message}. Nothing was removed.`, {
    fields: [{ field: 'confirm', message }],
  });
}
