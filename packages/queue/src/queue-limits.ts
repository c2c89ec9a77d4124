import { createLatest } from '@factmill/async';

/** Waiting extractions: of all tenants, and of one. 0: any number. */
type QueueLimits = Readonly<{ queueLimit: number; tenantQueueLimit: number }>;

/** How long limits are cached; a change takes at most this long to reach every gateway. */
const CACHE_MS = 2_000;

/**
 * The queue limits in force: settings changed at run time (`queue.limit`, `queue.tenant_limit`) override the
 * environment. While they cannot be read, the last known ones count.
 */
export function createQueueLimits(deps: {
  /** What operators changed at run time. */
  readSettings: () => Promise<Readonly<Record<string, unknown>>>;
  configured: QueueLimits;
  now: () => number;
}): () => Promise<QueueLimits> {
  const { read } = createLatest({
    load: deps.readSettings,
    initial: {},
    everyMs: CACHE_MS,
    now: deps.now,
  });
  return async () => {
    const settings = await read();
    return {
      queueLimit: limitOf(settings['queue.limit'], deps.configured.queueLimit),
      tenantQueueLimit: limitOf(settings['queue.tenant_limit'], deps.configured.tenantQueueLimit),
    };
  };
}

/** Resolves to the ids of those that a queue limit has dropped. */
export type FindDropped = (
  extractions: readonly Readonly<{ id: string; tenantId: string }>[],
) => Promise<readonly string[]>;

/** Asks which extractions a queue limit has dropped: none where no limit is in force. */
export function createFindDropped(limits: () => Promise<QueueLimits>, find: FindDropped): FindDropped {
  return async (extractions) => {
    const { queueLimit, tenantQueueLimit } = await limits();
    return queueLimit === 0 && tenantQueueLimit === 0 ? [] : find(extractions);
  };
}

function limitOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : fallback;
}
