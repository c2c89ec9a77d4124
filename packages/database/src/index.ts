export { backUpEmbedded, restoreEmbedded } from './embedded/backup.ts';
export { holdsDatabase } from './embedded/data-directory.ts';
export { startEmbedded } from './embedded/start-embedded.ts';
export type { EmbeddedOptions, EmbeddedPostgres } from './embedded/start-embedded.ts';
export { assertSchemaVersion } from './migrate/assert-schema-version.ts';
export type { SchemaState } from './migrate/assert-schema-version.ts';
export { checkSchema } from './migrate/check-schema.ts';
export { migrate } from './migrate/migrate.ts';
export type { MigrateOptions, MigrateResult } from './migrate/migrate.ts';
export { createPool } from './pool/create-pool.ts';
export type { PoolOptions } from './pool/create-pool.ts';
export {
  isRetryableConflict,
  isConnectTimeout,
  isUnavailable,
  sqlStateOf,
  toDatabaseError,
  violatedConstraint,
} from './pool/database-errors.ts';
export type { DatabaseLogger } from './pool/database-logger.ts';
export type {
  DatabasePool,
  IsolationLevel,
  QueryOptions,
  Sql,
  SqlResult,
  TransactionOptions,
} from './pool/sql.ts';
export { whileWanted } from './pool/while-wanted.ts';
export * from './queries/accept.ts';
export * from './queries/api-keys.ts';
export * from './queries/apply-memories.ts';
export * from './queries/compression-claims.ts';
export * from './queries/compression-memories.ts';
export * from './queries/compression-periods.ts';
export * from './queries/compression-runs.ts';
export * from './queries/chat-places.ts';
export * from './queries/conversations.ts';
export * from './queries/document-chunks.ts';
export * from './queries/document-matches.ts';
export * from './queries/distance-indexes.ts';
export * from './queries/documents.ts';
export * from './queries/embedding-models.ts';
export * from './queries/embeddings.ts';
export * from './queries/vector-text.ts';
export * from './queries/extractions.ts';
export { MAX_ANSWER_BYTES } from './queries/fitting.ts';
export type { Listed } from './queries/fitting.ts';
export * from './queries/known-memories.ts';
export * from './queries/ledger.ts';
export * from './queries/memories.ts';
export * from './queries/memory-rows.ts';
export * from './queries/memory-writes.ts';
export * from './queries/missing-vectors.ts';
export * from './queries/neighbours.ts';
export * from './queries/outputs.ts';
export * from './queries/planner-statistics.ts';
export * from './queries/provider-breakers.ts';
export * from './queries/purge.ts';
export * from './queries/schedule.ts';
export * from './queries/search.ts';
export * from './queries/settings.ts';
export * from './queries/statistics.ts';
export * from './queries/summaries.ts';
export * from './queries/summary-refresh.ts';
export * from './queries/sweep.ts';
export * from './queries/tenants.ts';
