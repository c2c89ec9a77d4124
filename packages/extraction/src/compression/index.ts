export { addDays, latestPeriod, localDateOf, periodOf, toCronPattern } from './calendar.ts';
export { buildCompressionPrompt } from './build-compression-prompt.ts';
export type { CompressionDecision, CompressionPlan, PlanStep } from './compression-plan.ts';
export { decideCompression } from './decide-compression.ts';
export { memoryIdsOf } from './memory-ids.ts';
export { COMPRESSION_REPLY_TOKENS } from './partition-memories.ts';
export { planDaily, planWeekly } from './plan-compression.ts';
export { readGroups } from './read-groups.ts';
export { compressionReplySchema } from './reply-schema.ts';
