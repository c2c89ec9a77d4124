/**
 * The id of the heartbeat job that belongs to a moment. All processes that tick within one interval ask for the
 * same id, so the queue takes one heartbeat per interval however many processes run.
 */
export function heartbeatJobId(nowMs: number, intervalMs: number): string {
  return `heartbeat_${intervalMs}_${Math.floor(nowMs / intervalMs)}`;
}
