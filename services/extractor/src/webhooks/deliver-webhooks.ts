import {
  claimDueWebhook,
  findMemory,
  type NextDelivery,
  nextWebhookDelivery,
  releaseWebhook,
  settleDelivery,
  type Sql,
  toMemory,
  type WebhookClaim,
} from '@factmill/database';
import { retryDelayMs, type RetryPolicy } from '@factmill/queue';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';
import type { Posted } from './post-webhook.ts';

export type DeliverDeps = Readonly<{
  database: Sql;
  /** Sends; never rejects. */
  post: (delivery: NextDelivery, signal: AbortSignal) => Promise<Posted>;
  /** Longer than the longest request. */
  leaseMs: number;
  policy: RetryPolicy;
  /** An endpoint that fails for so long, without a success, is disabled. */
  disableAfterHours: number;
  logger: Logger;
  random: () => number;
  now: () => number;
}>;

/** Then it is the turn of another endpoint. */
const MAX_DELIVERIES = 100;
const MAX_TURN_MS = 10_000;

const RESULTS = ['delivered', 'refused', 'no_answer'];

/**
 * Delivers to the endpoint that has waited longest: one event after the other, in their order, until it has all, fails,
 * or its turn is over. Resolves to false when nothing is due. An event that the endpoint does not take is sent again,
 * after a growing delay, before the next one. After a crash it is sent again under the same `webhook-id`. Safe in any
 * number of processes.
 *
 * @throws AppError `database_unavailable`
 */
export function createDeliverWebhooks(deps: DeliverDeps) {
  const { database } = deps;
  const countDelivered = createCounter(
    'factmill_webhook_deliveries_total',
    'Requests to webhooks',
    seriesOf({ result: RESULTS }),
  );

  /** With the memory as it is now, where the endpoint wants it and it is still there. It is kept nowhere. */
  async function filled({ tenantId }: WebhookClaim, delivery: NextDelivery): Promise<NextDelivery> {
    const { payload, event } = delivery;
    const { memory_id: id } = event.data;
    if (payload !== 'full' || typeof id !== 'string') return delivery;
    const row = await findMemory(database, { tenantId, userId: event.user_id, id });
    if (row === undefined) return delivery;
    return { ...delivery, event: { ...event, data: { ...event.data, memory: toMemory(row) } } };
  }

  async function deliver(claim: WebhookClaim, delivery: NextDelivery, signal: AbortSignal): Promise<boolean> {
    const startedAt = deps.now();
    const posted = await deps.post(await filled(claim, delivery), signal);
    // Whether it was taken is not known, so it is sent again.
    if (posted.error === 'stopped') return false;
    const { status, error, retryAfterSeconds } = posted;
    const delivered = status !== null && status >= 200 && status < 300;
    countDelivered(1, { result: delivered ? 'delivered' : status === null ? 'no_answer' : 'refused' });
    const durationMs = Math.max(0, Math.round(deps.now() - startedAt));
    if (!delivered) {
      deps.logger.warn({ webhook_id: claim.id, status, code: error }, 'a webhook did not take an event');
    }
    return settleDelivery(
      database,
      claim,
      delivery,
      { delivered, status, error, durationMs },
      {
        delayMs: (attempt) =>
          retryDelayMs({ attempt, policy: deps.policy, random: deps.random, retryAfterSeconds }),
        disableAfterHours: deps.disableAfterHours,
      },
    );
  }

  return async function deliverWebhooks(signal: AbortSignal): Promise<boolean> {
    const claim = await claimDueWebhook(database, deps.leaseMs);
    if (claim === undefined) return false;
    const endAt = deps.now() + MAX_TURN_MS;
    for (let sent = 0; sent < MAX_DELIVERIES && deps.now() < endAt && !signal.aborted; sent += 1) {
      const delivery = await nextWebhookDelivery(database, claim, deps.leaseMs);
      if (delivery === null || !(await deliver(claim, delivery, signal))) break;
    }
    await releaseWebhook(database, claim);
    return true;
  };
}
