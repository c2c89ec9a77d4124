import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  listCompressionsQuerySchema,
  startCompressionSchema,
  timestampSchema,
  UNKNOWN_USER,
  uuidParamsSchema,
  uuidSchema,
} from '@factmill/contracts';
import { listCompressionRuns, toCompression } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { readCompression, startCompression } from '@factmill/memories';
import { compressJob } from '@factmill/queue';
import { Router } from 'express';
import { z } from 'zod';
import { enqueueSoon } from '../enqueue-soon.ts';
import { listedUser } from '../listed-user.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

const positionSchema = z.tuple([timestampSchema, uuidSchema]);

/** `/v1/compressions`: compression by hand, for administrators of a tenant. */
export function compressionRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('admin'));

  router.post('/', async (request, response) => {
    const body = validate(startCompressionSchema, request.body);
    const principal = principalOf(response);
    const userId = effectiveUser(resolveUser(body.user_id, principal, deps.config.auth.defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json({ outcome: 'nothing', compression: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { outcome, run, open } = await startCompression(deps.database.accept, {
      tenantId: principal.tenantId,
      userId,
      kind: body.kind,
      date: body.date ?? null,
      dryRun: body.dry_run,
      timeZone: deps.config.timeZone,
      now: deps.now(),
      newId: deps.newId,
    });
    if (open !== null) await enqueueSoon(deps, compressJob(open));
    response
      .status(202)
      .json({ outcome, compression: run === null ? null : toCompression(run), user_id: userId });
  });

  router.get('/', async (request, response) => {
    const query = validate(listCompressionsQuerySchema, request.query);
    const principal = principalOf(response);
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listCompressionRuns(deps.database.list, {
      tenantId: principal.tenantId,
      userId: listedUser(query, response),
      limit: query.limit,
      before: position === null ? null : { position: position[0], id: position[1] },
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toCompression),
      next_cursor: last?.more !== true ? null : encodeCursor([last.position, last.id]),
    });
  });

  router.get('/:id', async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const found = await readCompression(deps.database.list, principalOf(response).tenantId, id);
    if (found === undefined) throw new AppError('not_found', 'There is no compression with this id.');
    response.json(found);
  });

  return router;
}
