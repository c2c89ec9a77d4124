import { type Authenticator, createAuthenticator, createSessions, type Sessions } from '@factmill/auth';
import { type Config, isLoopback, type StatementClass } from '@factmill/config';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  findApiKey,
  findConsoleSession,
  noteApiKeyUse,
  noteConsoleSessionUse,
  type PoolOptions,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { createGauge, type Logger } from '@factmill/telemetry';

/** Where this process stores its data. `embedded` says that PGlite is behind `connectionString`. */
export type Storage = Readonly<{ connectionString: string; embedded: boolean }>;

/** @throws AppError `config_invalid` without DATABASE_URL: separate services must share a real Postgres. */
export function externalStorage(config: Config): Storage {
  if (config.storage.databaseUrl === null) {
    throw new AppError(
      'config_invalid',
      'DATABASE_URL has to be set: a service on its own needs a Postgres to share with the others. npm start runs all of them on embedded storage.',
    );
  }
  return { connectionString: config.storage.databaseUrl, embedded: false };
}

/** The statement classes of each service; the others are for background work only. */
const CLASSES: Readonly<Record<string, readonly StatementClass[]>> = {
  gateway: ['list', 'accept', 'batch'],
  retrieval: ['search'],
  replica: ['search'],
};

/**
 * A pool for this process. Its statement limit is that of the longest class its service uses. It connects on first
 * use.
 *
 * @param share of the configured connections, for services that run better with fewer statements at once
 * @param rowSecurity by default, policies apply on embedded storage, and elsewhere to a user who does not own the tables
 */
export function openDatabase(
  config: Config,
  storage: Storage,
  service: string,
  logger: Logger,
  share = 1,
  rowSecurity: PoolOptions['rowSecurity'] = storage.embedded ? 'always' : 'as-needed',
): DatabasePool {
  const { poolMax, preparedStatements, statementTimeoutsMs } = config.storage;
  const pool = createPool({
    connectionString: storage.connectionString,
    max: Math.ceil(share * poolMax),
    applicationName: `factmill-${service}`,
    statementTimeoutMs: Math.max(
      ...(CLASSES[service] ?? ['maintenance']).map((name) => statementTimeoutsMs[name]),
    ),
    // PGlite cannot cancel a statement (ADR 6), so the pool does not wait for a cancellation.
    ...(storage.embedded ? { answerGraceMs: 0 } : {}),
    rowSecurity,
    preparedStatements,
    logger,
  });
  const { pg } = pool;
  const gauge = createGauge(
    'factmill_database_connections',
    'Connections of this process: used, idle, and callers that wait for one',
    () =>
      Promise.resolve(
        Object.entries({
          used: pg.totalCount - pg.idleCount,
          idle: pg.idleCount,
          waiting: pg.waitingCount,
        }).map(([state, value]) => ({ value, attributes: { service, state } })),
      ),
  );
  const close = () => {
    gauge.close();
    return pool.close();
  };
  const as: DatabasePool['as'] = (who) => ({ ...pool.as(who), as, close });
  return as('tenant');
}

/** A pool for searches on the replica of DATABASE_READ_URL, with as many connections as on the primary; else null. */
export function openReplica(config: Config, logger: Logger, share: number): DatabasePool | null {
  const { readUrl } = config.storage;
  if (readUrl === null) return null;
  const storage = { connectionString: readUrl, embedded: false };
  // It may be away at the start, when its user could be looked at. So the roles are taken whoever that is.
  const rowSecurity = config.auth.mode === 'required' ? 'always' : 'as-needed';
  return openDatabase(config, storage, 'replica', logger, share, rowSecurity);
}

/** Checks API keys, and sessions of the console that stand for them. */
export type Access = Authenticator & Readonly<{ sessions: Sessions }>;

/** The one way all HTTP services check API keys and sessions. */
export function openAuthenticator(config: Config, database: DatabasePool, now = () => new Date()): Access {
  // The tenant is known when the key is.
  const reading = database.as('system').within(config.storage.statementTimeoutsMs.list);
  const common = { adminKey: config.auth.adminKey, defaultTenantId: DEFAULT_TENANT_ID, now };
  return {
    ...createAuthenticator({
      ...common,
      mode: config.auth.mode,
      isLoopback: isLoopback(config.host),
      findKey: (id) => findApiKey(reading, id),
      noteUse: (key) => noteApiKeyUse(reading, key),
    }),
    sessions: createSessions({
      ...common,
      find: (tokenSha256) => findConsoleSession(reading, tokenSha256),
      noteUse: ({ tokenSha256 }, at) => noteConsoleSessionUse(reading, tokenSha256, at),
    }),
  };
}
