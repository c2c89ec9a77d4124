import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { importMemoriesSchema, UNKNOWN_USER } from '@factmill/contracts';
import { localsOf, validate } from '@factmill/http';
import { importMemories } from '@factmill/memories';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { actorOf } from '../actor.ts';
import { createMemoryService } from '../memories/memory-service.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

/** `POST /v1/memories/import` (C15). */
export function importRoutes(deps: RouteDeps): Router {
  const router = Router();
  const service = createMemoryService(deps);
  router.post('/import', requirePermission('memory.write'), async (request, response) => {
    const body = validate(importMemoriesSchema, request.body);
    const principal = principalOf(response);
    const userId = effectiveUser(resolveUser(body.user_id, principal, deps.config.auth.defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json({ results: [], ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { results, toEmbed } = await importMemories(deps.database.batch, {
      tenantId: principal.tenantId,
      userId,
      source: body.source,
      items: body.items,
      dryRun: body.dry_run,
      actor: actorOf(response),
      requestId: auditedBy(response).requestId,
      wantsEmbedding: deps.config.embedding.provider !== 'none',
      newId: deps.newId,
      now: deps.now(),
    });
    if (!body.dry_run) await service.embedLater(principal.tenantId, toEmbed);
    localsOf(response).eventFields['imported'] = results.length;
    response.json({ user_id: userId, results });
  });
  return router;
}
