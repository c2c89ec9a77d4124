export { isLoopback, loadConfig } from './load-config.ts';
export { readDotEnv } from './dot-env.ts';
export type {
  AuthConfig,
  ChatModelConfig,
  ClockTime,
  CompressionConfig,
  Config,
  EmbeddingConfig,
  LimitsConfig,
  PassThroughConfig,
  PassThroughRule,
  QueueLimits,
  StatementClass,
  StorageConfig,
} from './config.ts';
export { ENVIRONMENT_NAMES, environmentSchema } from './environment.ts';
export type { Environment } from './environment.ts';
export { parseEnvironment } from './parse-environment.ts';
export type { RawEnvironment } from './parse-environment.ts';
export { loadProcessEnvironment } from './process-environment.ts';
