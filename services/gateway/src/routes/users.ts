import { principalOf, requirePermission } from '@factmill/auth';
import {
  type ErasureReceipt,
  listUsersQuerySchema,
  patchUserSchema,
  type User,
  userIdSchema,
  uuidParamsSchema,
} from '@factmill/contracts';
import {
  audited,
  type Erasure,
  findErasure,
  findUser,
  listUsers,
  requestErasure,
  toUser,
  updateUser,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { eraseJob } from '@factmill/queue';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import { enqueueSoon } from '../enqueue-soon.ts';
import type { RouteDeps } from '../route-deps.ts';

const userParamsSchema = z.object({ id: userIdSchema });
const positionSchema = z.tuple([userIdSchema]);

/** `/v1/users` and `/v1/erasures` (D17): who is there, what is set for them, and how they leave. */
export function userRoutes(deps: RouteDeps): Router {
  const router = Router();
  const admin = requirePermission('admin');
  const readAll = requirePermission('memory.read_all');

  router.get('/users', readAll, async (request, response) => {
    const { cursor, ...filter } = validate(listUsersQuerySchema, request.query);
    const { rows, next } = await listUsers(deps.database.list, {
      ...filter,
      tenantId: principalOf(response).tenantId,
      after: decodeCursor(cursor, positionSchema)?.[0] ?? null,
    });
    response.json({ data: rows.map(toUser), next_cursor: next === null ? null : encodeCursor([next]) });
  });

  router.get('/users/:id', readAll, async (request, response) => {
    const { id: userId } = validate(userParamsSchema, request.params);
    response.json(await read(principalOf(response).tenantId, userId));
  });

  router.patch('/users/:id', admin, async (request, response) => {
    const { id: userId } = validate(userParamsSchema, request.params);
    const changes = validate(patchUserSchema, request.body);
    const { tenantId } = principalOf(response);
    const isKnown = await audited(
      deps.database.accept,
      (tx) => updateUser(tx, { tenantId, userId }, changes),
      (isChanged) =>
        isChanged
          ? {
              ...auditedBy(response),
              action: 'user.changed',
              target: { kind: 'user', id: userId },
              userId,
              fields: Object.keys(changes),
            }
          : null,
    );
    if (!isKnown) throw nobody();
    response.json(await read(tenantId, userId));
  });

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
    if (erasure === undefined) throw nobody();
    await enqueueSoon(deps, eraseJob({ tenantId, erasureId: erasure.id }));
    response.status(202).json(toReceipt(erasure));
  });

  router.get('/erasures/:id', admin, async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const erasure = await findErasure(deps.database.list, principalOf(response).tenantId, id);
    if (erasure === undefined) throw new AppError('not_found', 'There is no erasure with this id.');
    response.json(toReceipt(erasure));
  });

  async function read(tenantId: string, userId: string): Promise<User> {
    const row = await findUser(deps.database.list, { tenantId, userId });
    if (row === undefined) throw nobody();
    return toUser(row);
  }

  return router;
}

function nobody(): AppError {
  return new AppError('not_found', 'Nothing is stored of a user with this id. Check its spelling.');
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
