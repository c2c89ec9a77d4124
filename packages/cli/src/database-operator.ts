import { generateApiKey, generateSecret } from '@factmill/auth';
import {
  assertFits,
  type Config,
  findRunTimeSetting,
  listRunTimeSettings,
  parseSettingValue,
  settingInForce,
} from '@factmill/config';
import type { Setting } from '@factmill/contracts';
import {
  appendAudit,
  audited,
  clearUser,
  type Database,
  DEFAULT_TENANT_ID,
  ensureTenant,
  exportRows,
  importRows,
  insertApiKey,
  keyCreated,
  keyRevoked,
  keyRotated,
  listApiKeys,
  listCompressionRuns,
  type OpenCompressionRun,
  readSettings,
  revokeApiKey,
  rotateApiKey,
  toApiKey,
  toCompression,
  verifyAudit,
  writeSetting,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { writeExport } from '@factmill/exchange';
import { importMemories, readCompression, startCompression } from '@factmill/memories';
import { externalStorage } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import { v7 as newId } from 'uuid';
import { administeringOf, byOperator } from './database-administering.ts';
import { LISTED_COMPRESSIONS, type Operator } from './operator.ts';
import { DEFAULT_TENANT_NAME, tenantNamed } from './tenant-named.ts';
import { print } from './with-database.ts';

/** A caller with access to the database has every permission. */
const BY_OPERATOR = true;

export type DatabaseOperatorDeps = Readonly<{ database: Database; config: Config; logger: Logger }>;

/** The operator's commands on the Postgres of the services. */
export function createDatabaseOperator(deps: DatabaseOperatorDeps): Operator {
  const { database } = deps;
  return {
    settings: settingsOf(deps),
    keys: keysOf(deps),
    audit: {
      async verify(known, tenant) {
        const tenantId = await tenantNamed(database, tenant);
        return database.transaction((tx) => verifyAudit(tx, tenantId, known), {
          isolation: 'repeatable read',
        });
      },
    },
    ...administeringOf(deps),
    async clear(userId, tenant) {
      const owner = { tenantId: await tenantNamed(database, tenant), userId };
      const cleared = await clearUser(
        database,
        owner,
        { actor: 'operator', extractionId: null },
        byOperator(owner.tenantId),
      );
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
    ...exchangeOf(deps),
    compressions: compressionsOf(deps),
  };
}

function settingsOf({ database, config }: DatabaseOperatorDeps): Operator['settings'] {
  async function write(key: string, value: unknown): Promise<Setting> {
    const setting = findRunTimeSetting(config, key);
    if (value !== null) assertFits(setting, value);
    await audited(
      database,
      (tx) => writeSetting(tx, key, value),
      () => ({
        ...byOperator(DEFAULT_TENANT_ID),
        action: 'setting.changed',
        target: { kind: 'setting', id: key },
      }),
    );
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
    async create(key, tenant = DEFAULT_TENANT_NAME) {
      const generated = generateApiKey();
      const created = {
        id: generated.id,
        tenantId: await ensureTenant(database, tenant, newId()),
        secretSha256: generated.secretSha256,
        name: key.name,
        permissions: [...key.permissions],
        userId: key.userId ?? null,
        userLocked: key.userLocked,
        preset: key.preset ?? null,
        expiresAt: key.expiresAt ?? null,
      };
      const row = await audited(
        database,
        (tx) => insertApiKey(tx, created),
        (made) => (made === undefined ? null : { ...byOperator(created.tenantId), ...keyCreated(created) }),
      );
      if (row !== undefined) return generated.key;
      throw new AppError(
        'state_conflict',
        'The tenant has a key with this name; revoke it or choose another name.',
      );
    },
    async list(tenant) {
      return (await listApiKeys(database, await tenantNamed(database, tenant))).map((row) => toApiKey(row));
    },
    async rotate(id, overlapSeconds, tenant) {
      const { key, secretSha256 } = generateSecret(id);
      const tenantId = await tenantNamed(database, tenant);
      const rotation = { tenantId, id, secretSha256, overlapSeconds, expiresAt: undefined };
      const rotated = await audited(
        database,
        (tx) => rotateApiKey(tx, { ...rotation, byOperator: BY_OPERATOR }),
        (row) => (row === undefined ? null : { ...byOperator(tenantId), ...keyRotated(id) }),
      );
      if (rotated !== undefined) return key;
      throw new AppError('not_found', 'There is no key with this id in force for this tenant.');
    },
    async revoke(id, tenant) {
      const tenantId = await tenantNamed(database, tenant);
      const isRevoked = await audited(
        database,
        (tx) => revokeApiKey(tx, tenantId, id, BY_OPERATOR),
        (done) => (done ? { ...byOperator(tenantId), ...keyRevoked(id) } : null),
      );
      if (isRevoked) return;
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
  const { compressJob, createQueues, queueConfigOf } = await import('@factmill/queue');
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

function exchangeOf({ database, config }: DatabaseOperatorDeps): Pick<Operator, 'exportRows' | 'importRows'> {
  return {
    async exportRows(userId, tenant, write) {
      const tenantId = await tenantNamed(database, tenant);
      await appendAudit(database, {
        ...byOperator(tenantId),
        ...(userId === null
          ? { action: 'tenant.exported' }
          : { action: 'user.exported', target: { kind: 'user', id: userId }, userId }),
      });
      await database.transaction(
        async (tx) => {
          const rows = exportRows(tx, { tenantId, userId });
          for await (const part of writeExport({ userId }, rows, new Date())) await write(Buffer.from(part));
        },
        { isolation: 'repeatable read' },
      );
    },
    async importRows(userId, { lines }, tenant) {
      const tenantId = await ensureTenant(database, tenant ?? DEFAULT_TENANT_NAME, newId());
      const wantsEmbedding = config.embedding.provider !== 'none';
      return database.transaction(async (tx) => {
        const counts = await importRows(tx, lines(), { tenantId, userId, wantsEmbedding });
        await appendAudit(tx, {
          ...byOperator(tenantId),
          ...(userId === null
            ? { action: 'tenant.imported' }
            : { action: 'user.imported', target: { kind: 'user', id: userId }, userId }),
          counts: counts.imported,
        });
        return { ...counts };
      });
    },
  };
}
