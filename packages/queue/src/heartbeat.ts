/**
 * The id of the heartbeat job at a moment. All processes compute the same id within one interval, so the queue
 * takes one heartbeat per interval however many processes run.
 */
export function heartbeatJobId(nowMs: number, intervalMs: number): string {
  return `heartbeat_${intervalMs}_${Math.floor(nowMs / intervalMs)}`;
}
