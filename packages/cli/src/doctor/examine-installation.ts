import { statfs } from 'node:fs/promises';
import { type Config, loadConfig, type RawEnvironment } from '@factmill/config';
import { assertRedisReady } from '@factmill/queue';
import { findTarget } from '../find-target.ts';
import { examineGateway } from './examine-gateway.ts';
import { examineModels } from './examine-models.ts';
import { examinePostgres } from './examine-postgres.ts';
import { examineReplica } from './examine-replica.ts';
import { examine, failed, type Finding, ok, warning } from './finding.ts';

const LITTLE_SPACE_BYTES = 1e9;

/**
 * Looks at all that the address and the environment lead to: a running instance through its gateway, and Postgres,
 * Redis and the models directly where the environment names them. Changes nothing.
 */
export async function examineInstallation(
  url: string | undefined,
  environment: RawEnvironment,
): Promise<readonly Finding[]> {
  const settings = await examine('settings', () => {
    loadConfig(environment);
    findTarget(url, environment);
    return Promise.resolve([]);
  });
  if (settings.length > 0) return settings;
  const config = loadConfig(environment);
  const target = findTarget(url, environment);
  const looks: Promise<readonly Finding[]>[] = [];
  if (target?.kind === 'api') looks.push(examine('gateway', () => examineGateway(target)));
  if (config.storage.databaseUrl !== null) looks.push(examine('Postgres', () => examinePostgres(config)));
  else if (url === undefined && target?.kind === 'api')
    looks.push(examine('storage', () => diskSpace(config)));
  const { readUrl } = config.storage;
  if (readUrl !== null && config.storage.databaseUrl !== null)
    looks.push(examine('replica', () => examineReplica(config, readUrl)));
  const address = config.storage.redis;
  if (address !== null) looks.push(examine('Redis', () => redis(address)));
  // Of an instance elsewhere, this environment does not know the models.
  if (target !== null && (url === undefined || config.storage.databaseUrl !== null)) {
    looks.push(examineModels(config));
  }
  if (looks.length === 0) {
    return [
      failed('gateway', {
        found: 'no running instance was found in the data folder (DATA_DIR)',
        advice:
          'Start npm start first, or say where Factmill is: --url (with FACTMILL_API_KEY), or DATABASE_URL.',
      }),
    ];
  }
  return (await Promise.all(looks)).flat();
}

async function redis(address: NonNullable<Config['storage']['redis']>): Promise<Finding[]> {
  let unknown: string | undefined;
  await assertRedisReady(address, {
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: (_fields: object, message: string) => {
        unknown = message;
      },
      error: () => undefined,
    },
  });
  return [
    unknown === undefined
      ? ok('Redis', 'answers, and throws no job away (noeviction)')
      : warning('Redis', { found: unknown, advice: 'Ask whoever runs the server.' }),
  ];
}

async function diskSpace(config: Config): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(config.storage.dataDir);
  const free = bavail * bsize;
  const found = `embedded, ${(free / 1e9).toFixed(1)} GB free`;
  return [
    free >= LITTLE_SPACE_BYTES
      ? ok('storage', found)
      : warning('storage', {
          found,
          advice: 'Make room on the disk of DATA_DIR: a full disk ends the instance.',
        }),
  ];
}
