import { createCounter, createGauge, seriesOf } from '@factmill/telemetry';
import type { FairQueue } from './fair-queue.ts';
import { WORK_CLASSES, type WorkClass } from './work.ts';

/** Why a request was refused: its key's rate, its tenant's rate, failed authentication, a full queue. */
type LimitReason = 'key' | 'tenant' | 'auth' | 'overload';

export type CountLimited = (reason: LimitReason, work: WorkClass | 'none') => void;

/** Counts refused requests by reason and class of work. Every series begins at 0. */
export function createCountLimited(service: string): CountLimited {
  const count = createCounter(
    'factmill_limited_requests_total',
    'Requests refused by a limit, by reason and class of work',
    [
      ...seriesOf({ service: [service], reason: ['key', 'tenant', 'overload'], work: WORK_CLASSES }),
      { service, reason: 'auth', work: 'none' },
    ],
  );
  return (reason, work) => {
    count(1, { service, reason, work });
  };
}

/** Shows how many requests wait in each queue. */
export function watchQueues(
  service: string,
  queues: Readonly<Record<string, FairQueue>>,
): Readonly<{ close: () => void }> {
  return createGauge('factmill_waiting_requests', 'Requests that wait for their turn', () =>
    Promise.resolve(
      Object.entries(queues).map(([queue, { state }]) => ({
        value: state().waiting,
        attributes: { service, queue },
      })),
    ),
  );
}
