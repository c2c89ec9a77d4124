import { AppError } from '@factmill/errors';
import { Redis } from 'ioredis';
import { errorCodeOf } from './error-code.ts';
import type { QueueLogger } from './types.ts';

const OLDEST_VERSION = [6, 2] as const;
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * The start-up check of a Redis server: reachable, version 6.2 or later, and set to never evict. With any other
 * maxmemory-policy Redis may throw away locks and jobs when memory runs short, and workers stop without an error.
 *
 * @throws AppError `config_invalid` for a wrong password, address form, version or policy; `queue_unavailable`
 * when the server cannot be reached. Messages never contain the address.
 */
export async function assertRedisReady(url: string, deps: { logger: QueueLogger }): Promise<void> {
  const redis = connectOnce(url);
  let lastError: unknown;
  redis.on('error', (error) => {
    lastError = error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    assertVersion(info);
    assertPolicy(fieldOf(info, 'maxmemory_policy') ?? (await askPolicy(redis)), deps.logger);
  } catch (error) {
    throw error instanceof AppError ? error : toRedisError(lastError ?? error);
  } finally {
    redis.disconnect();
  }
}

function connectOnce(url: string): Redis {
  try {
    return new Redis(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_TIMEOUT_MS,
      commandTimeout: CONNECT_TIMEOUT_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: null,
      enableReadyCheck: false,
    });
  } catch {
    throw new AppError(
      'config_invalid',
      'REDIS_URL is not a valid address; use redis://[:password@]host:port.',
    );
  }
}

function toRedisError(error: unknown): AppError {
  const message = String(error);
  if (/WRONGPASS|NOAUTH|invalid password|without any password configured/i.test(message)) {
    return new AppError('config_invalid', 'Redis refuses the user name or password in REDIS_URL.');
  }
  if (/NOPERM/i.test(message)) {
    return new AppError(
      'config_invalid',
      'The Redis user in REDIS_URL may not run the command INFO; allow it.',
    );
  }
  const code = errorCodeOf(error);
  return new AppError('queue_unavailable', `Redis cannot be reached at the address in REDIS_URL (${code}).`);
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function assertVersion(info: string): void {
  const version = fieldOf(info, 'redis_version') ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor >= OLDEST_VERSION[1])) return;
  throw new AppError('config_invalid', `Redis ${version} is too old; 6.2 or later is needed.`);
}

/** Some managed servers omit the policy from INFO and forbid CONFIG: then it is unknown. */
async function askPolicy(redis: Redis): Promise<string | undefined> {
  try {
    return (await redis.config('GET', 'maxmemory-policy'))[1];
  } catch {
    return undefined;
  }
}

function assertPolicy(policy: string | undefined, logger: QueueLogger): void {
  if (policy === 'noeviction') return;
  if (policy === undefined) {
    logger.warn({}, 'Redis does not tell its maxmemory-policy; make sure that it is noeviction');
    return;
  }
  throw new AppError(
    'config_invalid',
    `Redis has maxmemory-policy ${policy}, which may throw jobs away; set "maxmemory-policy noeviction" in ` +
      'redis.conf or run CONFIG SET maxmemory-policy noeviction.',
  );
}
