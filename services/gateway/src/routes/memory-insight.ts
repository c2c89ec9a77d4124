import { requirePermission } from '@factmill/auth';
import { listNeighboursQuerySchema, type MemoryNeighbours, type MemorySources } from '@factmill/contracts';
import {
  archiveMemory,
  findExtraction,
  findMemory,
  findSimilarMemories,
  listSourceMessages,
  toMemory,
} from '@factmill/database';
import { validate } from '@factmill/http';
import { Router } from 'express';
import { actorOf } from '../actor.ts';
import { toMessage } from '../conversations/message-form.ts';
import { noSuchMemory, targetOf } from '../memories/memory-target.ts';
import type { RouteDeps } from '../route-deps.ts';

/** `/v1/memories/{id}/…`: what a memory rests on and what is like it, and taking it out of searches. */
export function memoryInsightRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');

  router.get('/:id/sources', read, async (request, response) => {
    const target = targetOf(request, response);
    const { tenantId } = target;
    const memory = await findMemory(deps.database.list, { ...target, includeDeleted: true });
    if (memory === undefined) throw noSuchMemory();
    const { extractionId, messageIds, userId } = memory;
    const extraction =
      extractionId === null
        ? undefined
        : await findExtraction(deps.database.list, tenantId, extractionId, userId);
    const conversationId = extraction?.conversationId ?? null;
    const messages =
      conversationId === null
        ? []
        : await listSourceMessages(deps.database.list, { tenantId, conversationId, messageIds });
    response.json({
      conversation_id: conversationId,
      extraction_id: extractionId,
      messages: messages.map((row) => ({ ...toMessage(row), is_source: row.isSource })),
    } satisfies MemorySources);
  });

  router.get('/:id/neighbours', read, async (request, response) => {
    const { user_id, limit } = validate(listNeighboursQuerySchema, request.query);
    const target = targetOf(request, response, user_id ?? null);
    const memory = await findMemory(deps.database.list, { ...target, includeDeleted: true });
    if (memory === undefined) throw noSuchMemory();
    const { id, userId, conversationId } = memory;
    const rows = await findSimilarMemories(deps.database.list, {
      ...target,
      id,
      userId,
      conversationId,
      limit,
    });
    response.json({
      data: (rows ?? []).map((row) => ({ memory: toMemory(row), similarity: row.similarity })),
      has_vector: rows !== null,
    } satisfies MemoryNeighbours);
  });

  router.post('/:id/archive', requirePermission('memory.write'), async (request, response) => {
    const row = await archiveMemory(deps.database.accept, targetOf(request, response), actorOf(response));
    if (row === undefined) throw noSuchMemory();
    response.json(toMemory(row));
  });

  return router;
}
