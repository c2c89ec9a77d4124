import { requirePermission } from '@factmill/auth';
import { type QueuePressure, queuePressureQuerySchema } from '@factmill/contracts';
import { readQueuePressure } from '@factmill/database';
import { validate } from '@factmill/http';
import { Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';

/** `GET /v1/queue/pressure` (G11): sums over all tenants, as in the metrics; none of them is named. */
export function queueRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.get('/pressure', requirePermission('queue.read'), async (request, response) => {
    const { target_wait_seconds: targetWaitSeconds } = validate(queuePressureQuerySchema, request.query);
    const changed = (await deps.settings.read())['extraction.enabled'];
    const isEnabled = typeof changed === 'boolean' ? changed : deps.config.extractor.enabled;
    const found = await readQueuePressure(deps.allTenants, { isEnabled, targetWaitSeconds });
    const answer: QueuePressure = {
      oldest_waiting_seconds: Math.max(0, found.oldestWaitingSeconds),
      waiting: found.waiting,
      active: found.active,
      deferred: found.deferred,
      wanted_slots: found.wantedSlots,
      mean_seconds: found.meanSeconds,
      paused: found.paused,
    };
    response.json(answer);
  });
  return router;
}
