import type { Config } from '@factmill/config';
import { readSettings, type Sql } from '@factmill/database';
import type { RetryPolicy } from '@factmill/queue';

/**
 * The retry policy in force (A12): settings changed at run time (`retry.strategy`, `retry.interval_ms`,
 * `retry.max_interval_ms`) override the environment. Read again for each retry.
 */
export async function readRetryPolicy(database: Sql, config: Config['extractor']): Promise<RetryPolicy> {
  const settings = await readSettings(database);
  const strategy = settings['retry.strategy'] ?? config.retry.strategy;
  const intervalMs = positive(settings['retry.interval_ms']) ?? config.retry.intervalMs;
  const maxIntervalMs = positive(settings['retry.max_interval_ms']) ?? config.retry.maxIntervalMs;
  return strategy === 'exponential'
    ? { kind: 'exponential', baseMs: intervalMs, capMs: maxIntervalMs }
    : { kind: 'fixed', intervalMs };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
