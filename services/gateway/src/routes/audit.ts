import { principalOf, requirePermission } from '@factmill/auth';
import { listAuditQuerySchema, verifyAuditQuerySchema } from '@factmill/contracts';
import { listAudit, verifyAudit } from '@factmill/database';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { Router } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([z.int().min(1)]);

/** `/v1/audit`: who did what to whom. */
export function auditRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('audit.read'));

  router.get('/', async (request, response) => {
    const query = validate(listAuditQuerySchema, request.query);
    const records = await listAudit(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      action: query.action ?? null,
      actor: query.actor ?? null,
      userId: query.user_id ?? null,
      since: query.since ?? null,
      until: query.until ?? null,
      before: decodeCursor(query.cursor, positionSchema)?.[0] ?? null,
      limit: query.limit + 1,
    });
    const data = records.slice(0, query.limit);
    const last = data.at(-1);
    response.json({
      data,
      next_cursor: last === undefined || records.length === data.length ? null : encodeCursor([last.number]),
    });
  });

  router.get('/verify', async (request, response) => {
    const { number, hash } = validate(verifyAuditQuerySchema, request.query);
    const known = number === undefined || hash === undefined ? null : { number, hash };
    const verification = await deps.database.batch.transaction(
      (tx) => verifyAudit(tx, principalOf(response).tenantId, known),
      { isolation: 'repeatable read' },
    );
    response.json(verification);
  });

  return router;
}
