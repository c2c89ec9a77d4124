export { createBatcher } from './batcher.ts';
export { type ChangeSignal, createChangeSignal } from './change-signal.ts';
export { createLatest, type Latest } from './latest.ts';
export { repeat, type Repeated } from './repeat.ts';
export { settlesWithin, untilAborted, withDeadline } from './time-limits.ts';
