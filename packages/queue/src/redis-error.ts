import { AppError } from '@factmill/errors';
import type { RedisAddress } from '@factmill/redis';
import { errorCodeOf } from './error-code.ts';

/** What failed when Redis was first connected to, in a sentence that says what to look at. */
export function toRedisError(error: unknown, { mode, url }: RedisAddress): AppError {
  // A cluster says beside its own error what the last server said.
  const { lastNodeError } = error as { lastNodeError?: Error };
  const message = `${String(error)} ${lastNodeError?.message ?? ''}`;
  const known = sentenceFor(message, mode);
  if (known !== null) return new AppError('config_invalid', known);
  const code = errorCodeOf(lastNodeError ?? error);
  // A server that misses a certificate of ours says so, or ends the connection before it is heard.
  if (/CERT|TLS|SSL|SIGNATURE/.test(code) || (code === 'ECONNRESET' && url.startsWith('rediss:'))) {
    return new AppError(
      'config_invalid',
      `The TLS connection with Redis fails (${code}); check REDIS_TLS_CA, the names in the server’s certificate, and whether it asks for REDIS_TLS_CERT.`,
    );
  }
  // Of several servers that all end the connection, the client does not say why.
  const orTls =
    mode !== 'single' && mode !== undefined && url.startsWith('rediss:')
      ? ' Or the TLS connection fails: check REDIS_TLS_CA and REDIS_TLS_CERT.'
      : '';
  const sentence =
    mode === 'sentinel'
      ? 'No Sentinel in REDIS_URL can be reached, none knows the master of REDIS_SENTINEL_MASTER, or the master is away.'
      : `Redis cannot be reached at the address in REDIS_URL (${code}).`;
  return new AppError('queue_unavailable', sentence + orTls);
}

function sentenceFor(message: string, mode: RedisAddress['mode']): string | null {
  if (/WRONGPASS|NOAUTH|invalid password|without any password configured/i.test(message)) {
    return `Redis refuses the user name or password in REDIS_URL${mode === 'sentinel' ? ', or that of REDIS_SENTINEL_PASSWORD' : ''}.`;
  }
  if (/NOPERM/i.test(message)) {
    return `The Redis user in REDIS_URL may not run the command INFO${mode === 'cluster' ? ' or CLUSTER' : ''}; allow it.`;
  }
  if (/cluster support disabled/i.test(message)) {
    return 'The Redis at REDIS_URL is not part of a cluster; set REDIS_MODE=single.';
  }
  if (/unknown command 'sentinel'/i.test(message)) {
    return 'The servers in REDIS_URL are no Sentinels; set REDIS_MODE to single, or give the addresses of the Sentinels.';
  }
  return null;
}
