export { backUpEmbedded, restoreEmbedded } from './embedded/backup.ts';
export { holdsDatabase } from './embedded/data-directory.ts';
export { startEmbedded } from './embedded/start-embedded.ts';
export type { EmbeddedPostgres } from './embedded/start-embedded.ts';
export { assertSchemaVersion } from './migrate/assert-schema-version.ts';
export { checkSchema } from './migrate/check-schema.ts';
export { migrate } from './migrate/migrate.ts';
export type { MigrateOptions } from './migrate/migrate.ts';
export { toHalfvec } from './pool/binary.ts';
export { createPool } from './pool/create-pool.ts';
export type { PoolOptions } from './pool/create-pool.ts';
export {
  isConnectTimeout,
  isFaultOfServer,
  isRetryableConflict,
  violatedConstraint,
} from './pool/database-errors.ts';
export type { Database, DatabasePool, Sql } from './pool/sql.ts';
export { asTenant } from './pool/tenant-scope.ts';
export { whileWanted } from './pool/while-wanted.ts';
export { fitting, MAX_ANSWER_BYTES, textBytes } from './queries/fitting.ts';
export type { Listed } from './queries/fitting.ts';
export * from './queries/accept/accept.ts';
export * from './queries/accept/schedule.ts';
export * from './queries/audit/append-audit.ts';
export * from './queries/audit/read-audit.ts';
export * from './queries/claims.ts';
export * from './queries/compression/compression-claims.ts';
export * from './queries/compression/compression-memories.ts';
export * from './queries/compression/compression-periods.ts';
export * from './queries/compression/compression-runs.ts';
export * from './queries/conversations/chat-places.ts';
export * from './queries/conversations/conversations.ts';
export * from './queries/documents/document-chunks.ts';
export * from './queries/documents/document-matches.ts';
export * from './queries/documents/documents.ts';
export * from './queries/events/events.ts';
export * from './queries/events/webhook-deliveries.ts';
export * from './queries/events/webhooks.ts';
export * from './queries/exchange/export-rows.ts';
export * from './queries/exchange/import-rows.ts';
export * from './queries/extractions/apply-memories.ts';
export * from './queries/extractions/extraction-counts.ts';
export * from './queries/extractions/extractions.ts';
export * from './queries/extractions/known-memories.ts';
export * from './queries/extractions/ledger.ts';
export * from './queries/extractions/model-output.ts';
export * from './queries/extractions/outputs.ts';
export * from './queries/extractions/provider-breakers.ts';
export * from './queries/extractions/queue-pressure.ts';
export * from './queries/extractions/sweep.ts';
export * from './queries/access-counts.ts';
export * from './queries/memories/chat-turn.ts';
export * from './queries/memories/containing.ts';
export * from './queries/next-due.ts';
export * from './queries/memories/memories-as-of.ts';
export * from './queries/memories/memories.ts';
export { typeOfSort } from './queries/memories/memory-order.ts';
export * from './queries/memories/memory-rows.ts';
export type { Actor } from './queries/memories/memory-versions.ts';
export * from './queries/memories/memory-edits.ts';
export * from './queries/memories/memory-writes.ts';
export type { NewMemory } from './queries/memories/new-memory.ts';
export * from './queries/memories/neighbours.ts';
export * from './queries/memories/purge-memories.ts';
export * from './queries/operators/api-keys.ts';
export * from './queries/operators/clear-user.ts';
export * from './queries/operators/console-sessions.ts';
export * from './queries/operators/imported-items.ts';
export * from './queries/operators/login.ts';
export * from './queries/operators/planner-statistics.ts';
export * from './queries/operators/purge.ts';
export * from './queries/replays/apply-replay.ts';
export * from './queries/replays/replay-answers.ts';
export * from './queries/replays/replay-diff.ts';
export * from './queries/replays/replay-runs.ts';
export * from './queries/replays/replays.ts';
export {
  copyBaseMemories,
  createShadowStore,
  listShadowKnown,
  saveShadowEmbeddings,
} from './queries/replays/shadow-memories.ts';
export type { MemoryStore, Shadow } from './queries/replays/shadow-memories.ts';
export * from './queries/retention/legal-holds.ts';
export * from './queries/retention/policies.ts';
export * from './queries/retention/retention-runs.ts';
export * from './queries/users/erasures.ts';
export * from './queries/users/users.ts';
export * from './queries/operators/settings.ts';
export * from './queries/operators/server-state.ts';
export * from './queries/operators/statistics.ts';
export * from './queries/operators/change-tenant.ts';
export * from './queries/operators/tenant-statistics.ts';
export * from './queries/operators/tenants.ts';
export * from './queries/summaries/summaries.ts';
export * from './queries/summaries/summary-parts.ts';
export * from './queries/summaries/summary-refresh.ts';
export * from './queries/turns/turn-parts.ts';
export * from './queries/turns/turn-vectors.ts';
export * from './queries/usage/budgets.ts';
export * from './queries/usage/usage.ts';
export * from './queries/vaults/vault-files.ts';
export * from './queries/vaults/vault-memories.ts';
export * from './queries/vaults/vaults.ts';
export * from './queries/vectors/embedding-models.ts';
export * from './queries/vectors/embeddings.ts';
export * from './queries/vectors/missing-vectors.ts';
export * from './queries/vectors/vector-text.ts';
