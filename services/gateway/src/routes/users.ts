import { principalOf, requirePermission } from '@factmill/auth';
import { type ErasureReceipt, userIdSchema, uuidParamsSchema } from '@factmill/contracts';
import { audited, type Erasure, findErasure, requestErasure } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { eraseJob } from '@factmill/queue';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import { enqueueSoon } from '../enqueue-soon.ts';
import type { RouteDeps } from '../route-deps.ts';

const userParamsSchema = z.object({ id: userIdSchema });

/** `/v1/users` and `/v1/erasures`, for administrators of a tenant (D17). */
export function userRoutes(deps: RouteDeps): Router {
  const router = Router();
  const admin = requirePermission('admin');

  router.delete('/users/:id', admin, async (request, response) => {
    const { tenantId } = principalOf(response);
    const { id: userId } = validate(userParamsSchema, request.params);
    const wanted = { id: deps.newId(), tenantId, userId, requestedBy: actorOf(response).actor };
    const erasure = await audited(
      deps.database.accept,
      (tx) => requestErasure(tx, wanted),
      (made) =>
        made?.id !== wanted.id
          ? null
          : {
              ...auditedBy(response),
              action: 'user.erasure_requested',
              target: { kind: 'erasure', id: made.id },
              userId,
            },
    );
    if (erasure === undefined) {
      throw new AppError('not_found', 'Nothing is stored of a user with this id. Check its spelling.');
    }
    await enqueueSoon(deps, eraseJob({ tenantId, erasureId: erasure.id }));
    response.status(202).json(toReceipt(erasure));
  });

  router.get('/erasures/:id', admin, async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const erasure = await findErasure(deps.database.list, principalOf(response).tenantId, id);
    if (erasure === undefined) throw new AppError('not_found', 'There is no erasure with this id.');
    response.json(toReceipt(erasure));
  });

  return router;
}

function toReceipt({ id, userSha256, requestedAt, finishedAt, counts }: Erasure): ErasureReceipt {
  return {
    id,
    state: finishedAt === null ? 'pending' : 'done',
    requested_at: requestedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    user_sha256: userSha256,
    counts: { ...counts },
  };
}
