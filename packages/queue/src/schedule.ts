import type { Queue } from 'bullmq';
import type { ScheduledJob } from './types.ts';

/** A next run this long overdue has lost its job (removed by hand), and with it all later runs. */
const OVERDUE_MS = 60_000;

/**
 * Registers, changes or removes one of BullMQ's job schedulers. A correct one is left alone: writing it again would
 * replace its next job, even one that is due now.
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
