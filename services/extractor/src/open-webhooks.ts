import { repeat, settlesWithin } from '@factmill/async';
import { nextWebhookDueMs } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { VERSION } from '@factmill/runtime';
import type { ExtractorDeps } from './extractor-deps.ts';
import type { Part } from './shutdown.ts';
import { createDeliverWebhooks } from './webhooks/deliver-webhooks.ts';
import { postWebhook } from './webhooks/post-webhook.ts';
import { lookUpName } from './webhooks/resolve-target.ts';

/** Endpoints at a time. Those that hang take a lane for a request, and then wait for longer and longer. */
const LANES = 8;
/** Where statements run one after the other, looking costs all others. */
const EMBEDDED_LANES = 2;
/** How long an event waits for a lane that looks. */
const LOOK_EVERY_MS = 250;
const TIMEOUT_MS = 15_000;
const LEASE_MS = 30_000;
/** 5 s, doubling to half an hour. */
const POLICY = { kind: 'exponential', baseMs: 5_000, capMs: 1_800_000 } as const;
const DISABLE_AFTER_HOURS = 24;
const GRACE_MS = 1_000;

/**
 * Delivers events to webhooks. Works straight from the tables, like summaries (ADR 7): an endpoint's place in the events
 * says all that a job would, and one endpoint gets one delivery at a time.
 */
export function openWebhooks({ config, database, isEmbedded, logger, signal }: ExtractorDeps): Part {
  const deliver = createDeliverWebhooks({
    database,
    post: (delivery, stopped) =>
      postWebhook(delivery, {
        privateNetworks: config.webhooks.privateNetworks,
        timeoutMs: TIMEOUT_MS,
        userAgent: `Factmill-Webhooks/${VERSION}`,
        lookUp: lookUpName,
        now: Date.now,
        signal: stopped,
      }),
    leaseMs: LEASE_MS,
    policy: POLICY,
    disableAfterHours: DISABLE_AFTER_HOURS,
    logger,
    random: Math.random,
    now: Date.now,
  });
  const count = isEmbedded ? EMBEDDED_LANES : LANES;
  const lanes = Array.from({ length: count }, (_, lane) =>
    repeat({
      firstMs: (lane + 1) * LOOK_EVERY_MS,
      everyMs: count * LOOK_EVERY_MS,
      signal,
      round: async (stopped) => {
        while (!stopped.aborted && (await deliver(stopped)));
        return signal === null ? undefined : { idleMs: await nextWebhookDueMs(database) };
      },
      // What is not delivered stays where it is; readiness shows the database.
      onError: (error) =>
        logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'no webhooks for now'),
    }),
  );
  return { drain: () => settlesWithin(Promise.all(lanes.map((lane) => lane.close())), GRACE_MS) };
}
