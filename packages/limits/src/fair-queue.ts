import { AppError } from '@factmill/errors';
import type { TenantActivity } from './tenant-activity.ts';

export type FairQueueOptions = Readonly<{
  /** Slots in all. A request takes one, a heavy one more. */
  slots: number;
  /** Slots of one tenant while another tenant is active, so that the other one finds a free slot. */
  share: number;
  /** Who else is active. Queues that share a process share it, so that a tenant is not alone in one of them. */
  activity: TenantActivity;
  /** Requests of one tenant that may wait, and how long each of them may. */
  maxWaiting: number;
  maxWaitMs: number;
}>;

export type FairQueue = Readonly<{
  /**
   * Resolves when it is this request's turn. Call the result once when the work is done.
   *
   * @param weight slots that it takes; never more than the share of one tenant
   * @param signal takes the request out of the queue when nobody waits for its answer any more
   * @throws AppError `overloaded` when too many requests of this tenant wait, or this one has waited too long
   */
  acquire: (tenant: string, weight?: number, signal?: AbortSignal) => Promise<() => void>;
  /** Requests that wait, and slots in use, over all tenants. */
  state: () => Readonly<{ waiting: number; inUse: number }>;
}>;

type Waiter = Readonly<{ weight: number; start: () => void }>;
/** `servedAt` counts starts: that of this tenant's last one, or of the moment at which it came. */
type Lane = { inUse: number; servedAt: number; waiting: Waiter[] };

/**
 * Shares the slots of one process between tenants.
 *
 * - A free slot goes to the waiting tenant that uses the fewest slots; among equals they take turns, whoever was served
 *   longest ago first, and a tenant that has just come last. Requests of one tenant start in their order.
 * - A tenant alone gets every slot. As soon as another one is active it gets its share: a slot that is free before the
 *   other one asks is what keeps that one quick.
 * - A request that takes several slots keeps its place until they are free: nothing overtakes it for ever.
 * - Waiting is bounded for each tenant alone, so that nobody is refused because of others.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { slots, activity, maxWaiting, maxWaitMs } = options;
  const share = Math.max(1, Math.min(options.share, slots));
  const lanes = new Map<string, Lane>();
  let inUse = 0;
  let waiting = 0;
  let starts = 0;

  function limitOf(tenant: string): number {
    const isAlone = lanes.size - (lanes.has(tenant) ? 1 : 0) === 0 && !activity.ofOthers(tenant);
    return isAlone ? slots : share;
  }

  function laneOf(tenant: string): Lane {
    const lane = lanes.get(tenant) ?? { inUse: 0, servedAt: starts, waiting: [] };
    lanes.set(tenant, lane);
    return lane;
  }

  function leaveIfEmpty(tenant: string, lane: Lane): void {
    if (lane.inUse === 0 && lane.waiting.length === 0) lanes.delete(tenant);
  }

  /** The tenant whose turn it is; undefined when none may start. */
  function next(): { tenant: string; lane: Lane; waiter: Waiter } | undefined {
    let best: { tenant: string; lane: Lane; waiter: Waiter } | undefined;
    for (const [tenant, lane] of lanes) {
      const waiter = lane.waiting[0];
      if (waiter === undefined || lane.inUse + waiter.weight > limitOf(tenant)) continue;
      const isBetter =
        best === undefined ||
        lane.inUse < best.lane.inUse ||
        (lane.inUse === best.lane.inUse && lane.servedAt < best.lane.servedAt);
      if (isBetter) best = { tenant, lane, waiter };
    }
    return best;
  }

  function startNext(): void {
    while (waiting > 0) {
      const turn = next();
      if (turn === undefined || inUse + turn.waiter.weight > slots) return;
      turn.lane.waiting.shift();
      waiting -= 1;
      use(turn.tenant, turn.lane, turn.waiter.weight);
      turn.waiter.start();
    }
  }

  function use(tenant: string, lane: Lane, weight: number): void {
    starts += 1;
    lane.servedAt = starts;
    lane.inUse += weight;
    inUse += weight;
    activity.note(tenant);
  }

  function releaseOf(tenant: string, lane: Lane, weight: number): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      lane.inUse -= weight;
      inUse -= weight;
      activity.note(tenant);
      leaveIfEmpty(tenant, lane);
      startNext();
    };
  }

  function wait(tenant: string, lane: Lane, weight: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (error: AppError): void => {
        stop();
        lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
        waiting -= 1;
        leaveIfEmpty(tenant, lane);
        reject(error);
        // What stood behind it may fit.
        startNext();
      };
      const onAbort = (): void => leave(overloaded('The caller has gone.'));
      const timer = setTimeout(() => leave(overloaded(WAITED_TOO_LONG)), maxWaitMs).unref();
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        weight,
        start: () => {
          stop();
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      lane.waiting.push(waiter);
      waiting += 1;
    });
  }

  return {
    async acquire(tenant, wanted = 1, signal) {
      if (signal?.aborted === true) throw overloaded('The caller has gone.');
      const weight = Math.min(wanted, share);
      const lane = laneOf(tenant);
      activity.note(tenant);
      if (lane.waiting.length >= maxWaiting) throw overloaded(TOO_MANY_WAIT);
      const turn = wait(tenant, lane, weight, signal);
      startNext();
      await turn;
      return releaseOf(tenant, lane, weight);
    },
    state: () => ({ waiting, inUse }),
  };
}

const WAITED_TOO_LONG = 'Other requests of this tenant take too long; send fewer at once, or try again.';
const TOO_MANY_WAIT = 'Too many requests of this tenant wait already; send fewer at once, or try again.';
/** Long enough for many short requests to end. */
const RETRY_AFTER_SECONDS = 2;

function overloaded(message: string): AppError {
  return new AppError('overloaded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
