import { isPermitted, principalOf, requirePermission } from '@factmill/auth';
import { MAX_COUNTED_OF_TENANT, type TenantStatistics } from '@factmill/contracts';
import { describeOpenBreakers, listBudgets, readTenantStatistics } from '@factmill/database';
import { Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';

/** `GET /v1/stats/tenant`: what is kept of all users, and what waits. */
export function tenantStatisticsRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.get('/tenant', requirePermission('memory.read_all'), async (_request, response) => {
    const principal = principalOf(response);
    const { tenantId } = principal;
    const [row, breakers, budgets] = await Promise.all([
      readTenantStatistics(deps.database.list, tenantId),
      describeOpenBreakers(deps.database.list),
      isPermitted(principal, 'admin') ? listBudgets(deps.database.list, tenantId) : null,
    ]);
    const { users, conversations, memories, documents, pending, active, deferred, oldestWaitingAt } = row;
    const counted = { users, conversations, memories, documents };
    response.json({
      ...counted,
      extractions: {
        pending,
        active,
        deferred,
        oldest_waiting_at: oldestWaitingAt?.toISOString() ?? null,
      },
      at_least: Object.entries({ ...counted, extractions: pending + active })
        .filter(([, number]) => number >= MAX_COUNTED_OF_TENANT)
        .map(([name]) => name),
      providers_down: breakers.map(({ kind, reason, since, nextProbeAt }) => ({
        kind,
        reason,
        since: since.toISOString(),
        next_probe_at: nextProbeAt.toISOString(),
      })),
      ...(budgets === null
        ? {}
        : {
            budgets: budgets.map(({ resetsAt, ...budget }) => ({
              ...budget,
              resets_at: resetsAt.toISOString(),
            })),
          }),
    } satisfies TenantStatistics);
  });
  return router;
}
