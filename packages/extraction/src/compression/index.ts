export {
  addDays,
  latestPeriod,
  localDateOf,
  type LocalDate,
  type LocalTime,
  type Period,
  periodOf,
  toCronPattern,
} from './calendar.ts';
export { buildCompressionPrompt } from './build-compression-prompt.ts';
export type {
  CompressionDecision,
  CompressionOutcome,
  CompressionPlan,
  CompressionTemplate,
  PlanStep,
} from './compression-plan.ts';
export type { Compressible } from './compressible.ts';
export { decideCompression } from './decide-compression.ts';
export { COMPRESSION_REPLY_TOKENS } from './partition-memories.ts';
export { planDaily, planWeekly, type WeeklyMaterial } from './plan-compression.ts';
export { readGroups } from './read-groups.ts';
export { compressionReplySchema } from './reply-schema.ts';
