export { createFairQueue } from './fair-queue.ts';
export { createAuthenticationGuard } from './guard-authentication.ts';
export { createCountLimited, watchQueues } from './limit-metrics.ts';
export { createRateLimit } from './rate-limit.ts';
export type { TenantRates } from './rate-limit.ts';
export { createRates } from './rate.ts';
export { afterGoneMs, takeTurns } from './take-turns.ts';
export { createTenantActivity } from './tenant-activity.ts';
