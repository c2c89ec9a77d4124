export { acceptRequest, NO_QUEUE_LIMITS } from './accept-request.ts';
export { createCertificates } from './create-certificates.ts';
export {
  collectPlans,
  type Explained,
  explainEverything,
  partitionsIn,
  rowsReadBy,
  wholeTablesIn,
  writesOrLocks,
} from './explained.ts';
export { freePort } from './free-port.ts';
export { newMemory } from './new-memory.ts';
export { createRedisNamespace } from './redis-namespace.ts';
export type { RedisNamespace } from './redis-namespace.ts';
export type { ProcessExit } from './child-process.ts';
export { startPgbouncer } from './start-pgbouncer.ts';
export { startPostgres } from './start-postgres.ts';
export type { OwnPostgres } from './start-postgres.ts';
export { inheritedEnvironment, startProcess } from './start-process.ts';
export type { RunningProcess } from './start-process.ts';
export { startRedis } from './start-redis.ts';
export { startRedisCluster } from './start-redis-cluster.ts';
export { startRedisSentinels } from './start-redis-sentinels.ts';
export type { OwnRedis } from './start-redis.ts';
export { createEmptyDatabase, createTestDatabase } from './test-database.ts';
export type { TestDatabase } from './test-database.ts';
export { testDatabaseUrl, testPartitions, testPgBinDir, testRedisUrl } from './test-environment.ts';
export { createSimulatedExtractors } from './simulated-extractors.ts';
export type { SimulatedScaling, SimulatedStep } from './simulated-extractors.ts';
export { createThreadTime } from './thread-time.ts';
export { patiently, waitFor } from './wait-for.ts';
export { seedMemories } from './seed-memories.ts';
export { createScriptedModel } from './scripted-model/scripted-model.ts';
export type { ScriptedModel } from './scripted-model/scripted-model.ts';
export type { ModelScript, ReplyFunction, ScriptedReply, ScriptedRequest } from './scripted-model/reply.ts';
export { type Purpose, readPromptRequest } from './scripted-model/prompt-request.ts';
export { countPromptTokens, countTokens } from './scripted-model/bodies.ts';
export { type Finding, replyDiligently, type Skill } from './scripted-model/diligent-reply.ts';
export { toWordVector } from './scripted-model/word-vector.ts';
export { type Attempt } from './injection-corpus/attempt.ts';
export { INJECTION_CORPUS } from './injection-corpus/injection-corpus.ts';
export { type DoorAttempt } from './injection-corpus-2/door-attempt.ts';
export { DOOR_ATTEMPTS } from './injection-corpus-2/attempts.ts';
export { tinyCrossEncoder, tinyEncoder, type TinyFiles, writeTinyModel } from './tiny-models/tiny-models.ts';
export { withoutPredicates } from './without-predicates.ts';
