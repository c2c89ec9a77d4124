export { createBatcher } from './batcher.ts';
export { settlesWithin, untilAborted, withDeadline } from './time-limits.ts';
