export { isLoopback, loadConfig } from './load-config.ts';
export { readDotEnv } from './dot-env.ts';
export type {
  ChatModelConfig,
  ChatUpstreamConfig,
  CompressionConfig,
  Config,
  EmbeddingConfig,
  LimitsConfig,
  PassThroughConfig,
  PassThroughRule,
  QueueLimits,
  StatementClass,
} from './config.ts';
export { ENVIRONMENT_NAMES, SECRET_NAMES } from './environment.ts';
export { costOf } from './model-prices.ts';
export type { ModelPrices } from './model-prices.ts';
export { parseEnvironment } from './parse-environment.ts';
export type { RawEnvironment } from './parse-environment.ts';
export { loadProcessEnvironment } from './process-environment.ts';
export { fileNameOf, readSecretFiles } from './secret-files.ts';
export {
  assertFits,
  chatMemoryKey,
  OF_PRESET,
  findRunTimeSetting,
  listRunTimeSettings,
  parseSettingValue,
  settingInForce,
} from './run-time-settings.ts';
export {
  isUserSetting,
  localUserOf,
  readUserConfiguration,
  USER_SETTINGS,
  userConfigurationPath,
  writeUserSetting,
} from './user-configuration.ts';
