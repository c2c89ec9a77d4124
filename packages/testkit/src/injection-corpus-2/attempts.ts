import type { DoorAttempt } from './door-attempt.ts';

/** Attempts at every door, written without a look at what stands in their way. */
export const DOOR_ATTEMPTS: readonly DoorAttempt[] = [];
