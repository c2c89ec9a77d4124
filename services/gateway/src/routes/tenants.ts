import { requirePermission } from '@factmill/auth';
import {
  type Budget,
  createTenantSchema,
  listTenantsQuerySchema,
  nameSchema,
  patchTenantSchema,
  type Tenant,
  uuidParamsSchema,
} from '@factmill/contracts';
import {
  type AuditedBy,
  changeTenant,
  createTenant,
  findTenant,
  listTenants,
  type ResumedExtraction,
  tenantOf,
  violatedConstraint,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { createEnqueueAccepted, extractJobId } from '@factmill/queue';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([nameSchema]);

/** `/v1/tenants`, for operators. */
export function tenantRoutes(deps: RouteDeps): Router {
  const router = Router();
  const enqueue = createEnqueueAccepted({ queues: deps.queues, logger: deps.logger, findDropped: null });
  router.use(requirePermission('operator'));

  router.post('/', async (request, response) => {
    const { name, default_preset: preset, limits, budgets = [] } = validate(createTenantSchema, request.body);
    assertPriced(deps, budgets);
    const created = { id: deps.newId(), name, defaultPreset: preset ?? null, limits, budgets };
    const tenant = await createTenant(deps.allTenants, created, auditedBy(response));
    if (tenant === undefined) throw taken();
    response.status(201).json(tenant);
  });

  router.get('/', async (request, response) => {
    const { limit, cursor } = validate(listTenantsQuerySchema, request.query);
    const after = decodeCursor(cursor, positionSchema)?.[0] ?? null;
    const rows = await listTenants(deps.allTenants, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const data: Tenant[] = [];
    for (const row of page) data.push(await tenantOf(deps.allTenants, row));
    const next = rows.length > limit && last !== undefined ? encodeCursor([last.name]) : null;
    response.json({ data, next_cursor: next });
  });

  router.get('/:id', async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const row = existing(await findTenant(deps.allTenants, id));
    response.json(await tenantOf(deps.allTenants, row));
  });

  router.patch('/:id', async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const changes = validate(patchTenantSchema, request.body);
    assertPriced(deps, changes.budgets ?? []);
    const { tenant, resumed } = existing(await change(id, changes, auditedBy(response)));
    await goOn(resumed);
    response.json(tenant);
  });

  async function change(id: string, changes: Parameters<typeof changeTenant>[2], by: AuditedBy) {
    try {
      return await changeTenant(deps.allTenants, id, changes, by);
    } catch (error) {
      if (violatedConstraint(error) === 'tenants_name_key') throw taken();
      throw error;
    }
  }

  /** The ledger lets them go on already; this is for speed, and the sweeper finds what it misses. */
  async function goOn(resumed: readonly ResumedExtraction[]): Promise<void> {
    if (resumed.length === 0) return;
    // Their earlier jobs are over and may still be stored, under the same ids.
    await deps.queues.missing('extract', resumed.map(extractJobId)).catch(() => undefined);
    await enqueue(resumed, []);
  }

  return router;
}

/** A budget in cost that nothing counts against would promise what it cannot keep. */
function assertPriced({ config }: RouteDeps, budgets: readonly Budget[]): void {
  const place = budgets.findIndex(({ unit }) => unit === 'cost');
  if (place < 0 || Object.keys(config.modelPrices).length > 0) return;
  throw new AppError('invalid_request', 'A budget in cost needs the prices of models: set MODEL_PRICES.', {
    fields: [{ field: `budgets.${place}.unit`, message: 'needs MODEL_PRICES' }],
  });
}

function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new AppError('not_found', 'There is no tenant with this id.');
  return found;
}

function taken(): AppError {
  return new AppError('state_conflict', 'There is a tenant with this name; choose another name.', {
    fields: [{ field: 'name', message: 'is taken' }],
  });
}
