import { generateApiKey } from '@factmill/auth';
import {
  assertFits,
  type Config,
  findRunTimeSetting,
  listRunTimeSettings,
  parseSettingValue,
  settingInForce,
} from '@factmill/config';
import { listMemoriesQuerySchema, type Memory, type Setting } from '@factmill/contracts';
import {
  clearUser,
  type Database,
  ensureTenant,
  findTenantId,
  insertApiKey,
  listApiKeys,
  listCompressionRuns,
  listMemories,
  type OpenCompressionRun,
  readSettings,
  revokeApiKey,
  type Sql,
  toApiKey,
  toCompression,
  toMemory,
  writeSetting,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { importMemories, readCompression, startCompression } from '@factmill/memories';
import { compressJob, createQueues, queueConfigOf } from '@factmill/queue';
import { externalStorage } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import { v7 as newId } from 'uuid';
import { LISTED_COMPRESSIONS, type Operator } from './operator.ts';
import { print } from './with-database.ts';

/** A caller with access to the database has every permission. */
const BY_OPERATOR = true;

const DEFAULT_TENANT = 'default';

export type DatabaseOperatorDeps = Readonly<{ database: Database; config: Config; logger: Logger }>;

/** The operator's commands on the Postgres of the services. */
export function createDatabaseOperator(deps: DatabaseOperatorDeps): Operator {
  const { database } = deps;
  return {
    settings: settingsOf(deps),
    keys: keysOf(deps),
    async clear(userId, tenant) {
      const owner = { tenantId: await tenantNamed(database, tenant), userId };
      const cleared = await clearUser(database, owner, { actor: 'operator', extractionId: null });
      return { user_id: userId, ...cleared };
    },
    async import(userId, { source, items, dryRun }, tenant) {
      const { results } = await importMemories(database, {
        tenantId: await tenantNamed(database, tenant),
        userId,
        source,
        items,
        dryRun,
        actor: { actor: 'operator', extractionId: null },
        wantsEmbedding: deps.config.embedding.provider !== 'none',
        newId: () => newId(),
        now: new Date(),
      });
      return results;
    },
    memoriesOf: (userId, tenant) => everyMemory(database, userId, tenant),
    compressions: compressionsOf(deps),
  };
}

function settingsOf({ database, config }: DatabaseOperatorDeps): Operator['settings'] {
  async function write(key: string, value: unknown): Promise<Setting> {
    const setting = findRunTimeSetting(config, key);
    if (value !== null) assertFits(setting, value);
    await writeSetting(database, key, value);
    return settingInForce(setting, await readSettings(database));
  }
  return {
    async list() {
      const changed = await readSettings(database);
      return listRunTimeSettings(config).map((setting) => settingInForce(setting, changed));
    },
    set: (key, text) => write(key, parseSettingValue(text)),
    unset: (key) => write(key, null),
  };
}

function keysOf({ database }: DatabaseOperatorDeps): Operator['keys'] {
  return {
    async create(key, tenant = DEFAULT_TENANT) {
      const generated = generateApiKey();
      const row = await insertApiKey(database, {
        id: generated.id,
        tenantId: await ensureTenant(database, tenant, newId()),
        secretSha256: generated.secretSha256,
        name: key.name,
        permissions: [...key.permissions],
        userId: key.userId ?? null,
        userLocked: key.userLocked,
        preset: key.preset ?? null,
        expiresAt: key.expiresAt ?? null,
      });
      if (row !== undefined) return generated.key;
      throw new AppError(
        'state_conflict',
        'The tenant has a key with this name; revoke it or choose another name.',
      );
    },
    async list(tenant) {
      return (await listApiKeys(database, await tenantNamed(database, tenant))).map(toApiKey);
    },
    async revoke(id, tenant) {
      if (await revokeApiKey(database, await tenantNamed(database, tenant), id, BY_OPERATOR)) return;
      throw new AppError('not_found', 'There is no key with this id in force for this tenant.');
    },
  };
}

function compressionsOf(deps: DatabaseOperatorDeps): Operator['compressions'] {
  const { database, config } = deps;
  return {
    async start(wanted, tenant) {
      const { outcome, run, open } = await startCompression(database, {
        tenantId: await tenantNamed(database, tenant),
        userId: wanted.userId,
        kind: wanted.kind,
        date: wanted.date ?? null,
        dryRun: wanted.dryRun,
        timeZone: config.timeZone,
        now: new Date(),
        newId: () => newId(),
      });
      if (open !== null) await enqueue(deps, open);
      return { outcome, compression: run === null ? null : toCompression(run), user_id: wanted.userId };
    },
    async get(id, tenant) {
      const found = await readCompression(database, await tenantNamed(database, tenant), id);
      if (found === undefined) throw new AppError('not_found', 'The run is gone.');
      return found;
    },
    async list(userId, tenant) {
      const rows = await listCompressionRuns(database, {
        tenantId: await tenantNamed(database, tenant),
        userId: userId ?? null,
        limit: LISTED_COMPRESSIONS,
        before: null,
      });
      return rows.map(toCompression);
    },
  };
}

/** Only for speed: an extractor also finds the run in the ledger. */
async function enqueue({ config, logger }: DatabaseOperatorDeps, run: OpenCompressionRun): Promise<void> {
  const queues = await createQueues(queueConfigOf(config, externalStorage(config)), {
    logger,
    clock: Date.now,
  });
  try {
    await queues.enqueue([compressJob(run)]);
  } catch {
    print('The queue does not answer; an extractor will find the run in the database.');
  } finally {
    await queues.close();
  }
}

/** Page after page, by the position of the last memory. */
async function* everyMemory(
  database: Sql,
  userId: string,
  tenant: string | undefined,
): AsyncGenerator<Memory> {
  const tenantId = await tenantNamed(database, tenant);
  const query = listMemoriesQuerySchema.parse({ limit: '200' });
  let after: readonly [string | number, string] | null = null;
  for (let more = true; more;) {
    const rows = await listMemories(database, { tenantId, userId, query, pattern: null, after });
    yield* rows.map(toMemory);
    const last = rows.at(-1);
    more = last?.more === true;
    if (last !== undefined) after = [last.position, last.id];
  }
}

async function tenantNamed(database: Sql, name = DEFAULT_TENANT): Promise<string> {
  const id = await findTenantId(database, name);
  if (id === undefined) throw new AppError('not_found', 'There is no tenant with this name.');
  return id;
}
