import type { Config } from './config.ts';
import type { Environment } from './environment.ts';
import type { ConfigProblem } from './invalid-configuration.ts';
import { withPassword } from './with-password.ts';

type StorageConfig = Config['storage'];

/** Where Redis is, and the prefix of its keys: keys with the same text in braces are in the same slot of a cluster. */
export function redisConfig(env: Environment): Pick<StorageConfig, 'redis' | 'queuePrefix'> {
  const url = withPassword(env.REDIS_URL, env.REDIS_PASSWORD);
  return {
    queuePrefix: env.REDIS_MODE === 'cluster' ? `{${env.QUEUE_PREFIX}}` : env.QUEUE_PREFIX,
    redis:
      url === null
        ? null
        : {
            url,
            mode: env.REDIS_MODE,
            sentinelMaster: env.REDIS_SENTINEL_MASTER,
            sentinelPassword: env.REDIS_SENTINEL_PASSWORD,
            tls: { ca: env.REDIS_TLS_CA, cert: env.REDIS_TLS_CERT, key: env.REDIS_TLS_KEY },
          },
  };
}

/** Settings of Redis that do not fit together. Looks at them as they are written, also where one is not valid. */
export function redisProblems(
  environment: Readonly<Partial<Record<keyof Environment, string | undefined>>>,
): ConfigProblem[] {
  const {
    REDIS_URL: url,
    REDIS_MODE: mode = 'single',
    REDIS_TLS_CERT: cert,
    REDIS_TLS_KEY: key,
  } = environment;
  const [, hosts = '', database = ''] = /^rediss?:\/\/(?:[^@/]*@)?([^@/]*)(?:\/(.*))?$/.exec(url ?? '') ?? [];
  const problems: ConfigProblem[] = [];
  if (mode !== 'single' && url === undefined) {
    problems.push({ name: 'REDIS_URL', rule: 'must be set together with REDIS_MODE' });
  }
  if (mode === 'single' && hosts.includes(',')) {
    problems.push({ name: 'REDIS_MODE', rule: 'must be sentinel or cluster for more than one address' });
  }
  if (mode === 'cluster' && !['', '0'].includes(database)) {
    problems.push({ name: 'REDIS_URL', rule: 'must have no database number, because a cluster has none' });
  }
  if ((cert === undefined) !== (key === undefined)) {
    const [missing, given] = cert === undefined ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    problems.push({ name: `REDIS_TLS_${missing}`, rule: `must be set together with REDIS_TLS_${given}` });
  }
  const hasTlsSettings = [environment.REDIS_TLS_CA, cert, key].some((text) => text !== undefined);
  if (hasTlsSettings && !(url ?? '').startsWith('rediss:')) {
    problems.push({ name: 'REDIS_URL', rule: 'must begin with rediss:// for REDIS_TLS_ settings' });
  }
  return problems;
}
