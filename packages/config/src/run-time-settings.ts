import type { Setting, SettingValue } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Config } from './config.ts';

/** A setting that can change while services run, and its value in a process of this configuration. */
export type RunTimeSetting = Readonly<{
  key: string;
  /** Which values fit, as the end of a sentence. */
  rule: string;
  fits: (value: unknown) => boolean;
  /** What the environment says. */
  configured: SettingValue;
}>;

type Rule = Readonly<Pick<RunTimeSetting, 'rule' | 'fits'>>;

function wholeNumber(minimum: number): Rule {
  return {
    rule: `a whole number from ${minimum} to 999999999`,
    fits: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= 999_999_999,
  };
}

const STRATEGY: Rule = {
  rule: 'fixed or exponential',
  fits: (value) => value === 'fixed' || value === 'exponential',
};
/** What `chat.memory` is where the preset decides. */
export const OF_PRESET = 'of-preset';
const SWITCH_OF_PRESET: Rule = {
  rule: `true, false or ${OF_PRESET}`,
  fits: (value) => typeof value === 'boolean' || value === OF_PRESET,
};
const SWITCH: Rule = { rule: 'true or false', fits: (value) => typeof value === 'boolean' };

/** The settings that operators can change while services run. They override the environment within seconds. */
export function listRunTimeSettings({ scheduling, extractor, gateway }: Config): readonly RunTimeSetting[] {
  const { limits } = scheduling;
  const { retry } = extractor;
  return [
    { key: 'queue.limit', ...wholeNumber(0), configured: limits.queueLimit },
    { key: 'queue.tenant_limit', ...wholeNumber(0), configured: limits.tenantQueueLimit },
    { key: 'retry.strategy', ...STRATEGY, configured: retry.strategy },
    { key: 'retry.interval_ms', ...wholeNumber(1), configured: retry.intervalMs },
    { key: 'retry.max_interval_ms', ...wholeNumber(1), configured: retry.maxIntervalMs },
    { key: 'extraction.enabled', ...SWITCH, configured: extractor.enabled },
    ...gateway.chat.upstreams.map(({ name, memory }) => ({
      key: chatMemoryKey(name),
      ...SWITCH_OF_PRESET,
      configured: memory ?? OF_PRESET,
    })),
  ];
}

/** The key of the memory flag of a chat upstream. */
export function chatMemoryKey(upstream: string): string {
  return `chat.memory.${upstream}`;
}

/** @throws AppError `not_found` when there is no such setting */
export function findRunTimeSetting(config: Config, key: string): RunTimeSetting {
  const settings = listRunTimeSettings(config);
  const found = settings.find((setting) => setting.key === key);
  if (found !== undefined) return found;
  const known = settings.map((setting) => setting.key).join(', ');
  throw new AppError('not_found', `There is no setting of this name; known are ${known}.`);
}

/** @throws AppError `invalid_request` when the value does not fit */
export function assertFits({ key, rule, fits }: RunTimeSetting, value: unknown): void {
  if (fits(value)) return;
  throw new AppError('invalid_request', `${key} must be ${rule}.`, {
    fields: [{ field: 'value', message: `must be ${rule}` }],
  });
}

/** A setting in the form of the REST contract. A stored value that does not fit any more counts as not set. */
export function settingInForce(
  { key, rule, fits, configured }: RunTimeSetting,
  changed: Readonly<Record<string, unknown>>,
): Setting {
  const value = changed[key];
  return fits(value)
    ? { key, value: value as SettingValue, source: 'run_time', rule }
    : { key, value: configured, source: 'environment', rule };
}

/** A value as it is written on a command line: `60`, `true` or a word. */
export function parseSettingValue(text: string): SettingValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
