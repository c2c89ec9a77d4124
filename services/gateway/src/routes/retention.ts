import { principalOf, requirePermission } from '@factmill/auth';
import {
  listRetentionRunsQuerySchema,
  patchRetentionSchema,
  type RetentionRun,
  startRetentionSchema,
  timestampSchema,
  uuidParamsSchema,
  uuidSchema,
} from '@factmill/contracts';
import {
  audited,
  countRetained,
  findRetention,
  findRetentionRun,
  listRetentionRuns,
  requestRetentionRun,
  updateRetention,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import { enqueueSoon } from '../enqueue-soon.ts';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([timestampSchema, uuidSchema]);

/** `/v1/retention`: for how long a tenant keeps things, for its administrators. */
export function retentionRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('admin'));

  router.get('/', async (_request, response) => {
    response.json(await findRetention(deps.database.list, principalOf(response).tenantId));
  });

  router.patch('/', async (request, response) => {
    const changes = validate(patchRetentionSchema, request.body);
    const { tenantId } = principalOf(response);
    const days = await audited(
      deps.database.accept,
      (tx) => updateRetention(tx, tenantId, changes),
      () => ({ ...auditedBy(response), action: 'retention.changed', fields: Object.keys(changes) }),
    );
    response.json(days);
  });

  router.post('/runs', async (request, response) => {
    const { dry_run: dryRun } = validate(startRetentionSchema, request.body);
    const { tenantId } = principalOf(response);
    if (dryRun) {
      const now = deps.now().toISOString();
      const counts = await countRetained(deps.database.batch, tenantId);
      response.json({
        id: null,
        dry_run: true,
        state: 'done',
        requested_at: now,
        finished_at: now,
        counts,
      } satisfies RetentionRun);
      return;
    }
    const wanted = { id: deps.newId(), tenantId, requestedBy: actorOf(response).actor };
    const run = await requestRetentionRun(deps.database.accept, wanted);
    await enqueueSoon(deps, { name: 'purge', data: {}, jobId: `purge-${wanted.id}` });
    response.status(202).json(run);
  });

  router.get('/runs', async (request, response) => {
    const query = validate(listRetentionRunsQuerySchema, request.query);
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listRetentionRuns(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit + 1,
    });
    const data = rows.slice(0, query.limit);
    const last = data.at(-1);
    const hasMore = rows.length > data.length && last !== undefined;
    response.json({
      data: data.map(({ position: _position, ...run }) => run),
      next_cursor: hasMore ? encodeCursor([last.position, last.id]) : null,
    });
  });

  router.get('/runs/:id', async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const run = await findRetentionRun(deps.database.list, principalOf(response).tenantId, id);
    if (run === undefined) throw new AppError('not_found', 'There is no retention run with this id.');
    response.json(run);
  });

  return router;
}
