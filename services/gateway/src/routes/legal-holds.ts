import { principalOf, requirePermission } from '@factmill/auth';
import {
  listLegalHoldsQuerySchema,
  placeLegalHoldSchema,
  timestampSchema,
  uuidParamsSchema,
  uuidSchema,
} from '@factmill/contracts';
import { audited, deleteLegalHold, insertLegalHold, listLegalHolds } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([timestampSchema, uuidSchema]);

/** `/v1/legal-holds`: what must not be removed, for administrators of a tenant. */
export function legalHoldRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('admin'));

  router.post('/', async (request, response) => {
    const { user_id: userId = null } = validate(placeLegalHoldSchema, request.body);
    const { tenantId } = principalOf(response);
    const wanted = { id: deps.newId(), tenantId, userId, placedBy: actorOf(response).actor };
    const hold = await audited(
      deps.database.accept,
      (tx) => insertLegalHold(tx, wanted),
      (placed) =>
        placed === undefined
          ? null
          : {
              ...auditedBy(response),
              action: 'legal_hold.placed',
              target: { kind: 'legal_hold', id: placed.id },
              userId,
            },
    );
    if (hold === undefined) throw new AppError('state_conflict', 'There is such a legal hold already.');
    response.status(201).json(hold);
  });

  router.get('/', async (request, response) => {
    const query = validate(listLegalHoldsQuerySchema, request.query);
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listLegalHolds(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit + 1,
    });
    const data = rows.slice(0, query.limit);
    const last = data.at(-1);
    const hasMore = rows.length > data.length && last !== undefined;
    response.json({
      data: data.map(({ position: _position, ...hold }) => hold),
      next_cursor: hasMore ? encodeCursor([last.position, last.id]) : null,
    });
  });

  router.delete('/:id', async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const lifted = await audited(
      deps.database.accept,
      (tx) => deleteLegalHold(tx, principalOf(response).tenantId, id),
      (hold) =>
        hold === undefined
          ? null
          : {
              ...auditedBy(response),
              action: 'legal_hold.lifted',
              target: { kind: 'legal_hold', id },
              userId: hold.user_id,
            },
    );
    if (lifted === undefined) throw new AppError('not_found', 'There is no legal hold with this id.');
    response.status(204).end();
  });

  return router;
}
