import { assertPermission, principalOf, requirePermission } from '@factmill/auth';
import { usageDimensionsOf, usageQuerySchema } from '@factmill/contracts';
import { listUsage } from '@factmill/database';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { Router } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([z.int().min(0)]);

/** `GET /v1/usage` (G8): of the key's tenant; of others for operators. */
export function usageRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.get('/', requirePermission('admin'), async (request, response) => {
    const query = validate(usageQuerySchema, request.query);
    const principal = principalOf(response);
    const ofAll = query.all_tenants === 'true';
    const tenantId = query.tenant_id ?? principal.tenantId;
    const isOwn = !ofAll && tenantId === principal.tenantId;
    if (!isOwn) assertPermission(principal, 'operator');
    const offset = decodeCursor(query.cursor, positionSchema)?.[0] ?? 0;
    const rows = await listUsage(isOwn ? deps.database.list : deps.allTenants, {
      tenantId: ofAll ? null : tenantId,
      since: query.since ?? null,
      until: query.until ?? null,
      userId: query.user_id ?? null,
      model: query.model ?? null,
      purpose: query.purpose ?? null,
      groupBy: usageDimensionsOf(query.group_by),
      offset,
      limit: query.limit + 1,
    });
    response.json({
      data: rows.slice(0, query.limit),
      next_cursor: rows.length > query.limit ? encodeCursor([offset + query.limit]) : null,
    });
  });
  return router;
}
