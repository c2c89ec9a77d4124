import type { Queue } from 'bullmq';
import type { ScheduledJob } from './types.ts';

/** A next run that is this long over has lost its job (removed by hand), and with it the chain of all later ones. */
const OVERDUE_MS = 60_000;

/**
 * Registers, changes or removes one of BullMQ's job schedulers. One that is in order is left alone: writing it anew
 * would replace its next job, also one that is due at this moment.
 */
export async function setSchedule(
  queue: Queue,
  { id, name, data, at }: ScheduledJob,
  nowMs: number,
): Promise<void> {
  const known = await queue.getJobScheduler(id);
  if (at === null) {
    if (known !== undefined) await queue.removeJobScheduler(id);
    return;
  }
  const isSame = known?.pattern === at.pattern && known.tz === at.timeZone;
  if (isSame && (known.next ?? 0) > nowMs - OVERDUE_MS) return;
  await queue.upsertJobScheduler(
    id,
    { pattern: at.pattern, tz: at.timeZone },
    { name, data, opts: { stackTraceLimit: 0 } },
  );
}
