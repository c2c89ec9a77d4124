import { type ChangeSignal, createChangeSignal } from '@factmill/async';
import type { Config } from '@factmill/config';
import {
  assertSchemaVersion,
  type DatabasePool,
  isSchemaOfAnother,
  migrate,
  startEmbedded,
} from '@factmill/database';
import { createExtractor } from '@factmill/extractor';
import { createGateway } from '@factmill/gateway';
import { assertPortsFree } from '@factmill/http';
import { createEmbedder, reportFetch } from '@factmill/models';
import { assertRedisReady, createQueues, queueConfigOf } from '@factmill/queue';
import { createRetrieval } from '@factmill/retrieval';
import {
  announceInstance,
  assertServiceLogin,
  migrationTarget,
  openAuthenticator,
  openReplica,
  openDatabase,
  type ProcessContext,
  type Storage,
} from '@factmill/runtime';

export type Standalone = Readonly<{ gatewayUrl: string; retrievalUrl: string; extractorUrl: string }>;

import { importAtFirstStart } from './import-at-first-start.ts';

/**
 * All services in one process. Without DATABASE_URL or REDIS_URL the storage is embedded: Postgres as PGlite in
 * DATA_DIR, the queue in that Postgres. The schema is migrated first. The context's disposables release everything,
 * the gateway first.
 *
 * @param say gets a line about each slow step
 */
export async function createStandalone(
  context: ProcessContext,
  say: (line: string) => void,
): Promise<Standalone> {
  const { config, logger, telemetry, disposables } = context;
  // Before slow steps, so that a port conflict shows at once.
  await assertPortsFree([
    { host: config.host, port: config.gateway.port, setting: 'GATEWAY_PORT' },
    { host: config.host, port: config.retrieval.port, setting: 'RETRIEVAL_PORT' },
    { host: config.host, port: config.extractor.port, setting: 'EXTRACTOR_PORT' },
  ]);
  const embedder = disposables.add(
    createEmbedder(config.embedding, { now: Date.now, onFetch: reportFetch(logger) }),
  );
  // Loads in parallel with the database. Retrieval waits for it, and reports when it cannot be loaded.
  embedder.load().catch(() => undefined);
  const storage = await openStorage(context, say);
  await prepareSchema(context, storage);
  // Each service has its own connections, so that accepting does not wait for searches. Connections of embedded storage
  // cost nothing; it prioritises by their names.
  const open = (service: string, share: number) =>
    disposables.add(openDatabase(config, storage, service, logger, storage.embedded ? 1 : share));
  const accepting = open('gateway', 0.4);
  const searching = open('retrieval', 0.3);
  const replica = openReplica(config, logger, 0.3);
  if (replica !== null) disposables.add(replica);
  const working = open('extractor', 0.3);
  if (!storage.embedded) await assertServiceLogin(config, accepting);
  await importAtFirstStart(accepting.as('system'), config, say);
  const signal = storage.embedded ? changesBy(accepting) : null;
  if (config.storage.redis !== null) await assertRedisReady(config.storage.redis, { logger });
  const queueConfig = queueConfigOf(config, storage);
  const queues = disposables.add(await createQueues(queueConfig, { logger, clock: Date.now }));
  const authenticator = openAuthenticator(config, accepting);
  const common = { config, logger, telemetry };

  const isEmbedded = storage.embedded;
  const extractor = disposables.add(
    await createExtractor({
      ...common,
      database: working,
      isEmbedded,
      queueConfig,
      queues,
      embedder,
      signal,
    }),
  );
  const retrieval = disposables.add(
    await createRetrieval({ ...common, database: searching, replica, embedder, authenticator }),
  );
  const gateway = disposables.add(
    await createGateway({
      ...common,
      config: withRetrievalAt(config, retrieval.url),
      database: accepting,
      queues,
      authenticator,
    }),
  );
  // Gone again before anything else closes.
  if (isEmbedded) disposables.add(await announceInstance(config.storage.dataDir, gateway.url));
  return { gatewayUrl: gateway.url, retrievalUrl: retrieval.url, extractorUrl: extractor.url };
}

async function openStorage(
  { config, logger, disposables }: ProcessContext,
  say: (line: string) => void,
): Promise<Storage> {
  if (config.storage.databaseUrl !== null) {
    return { connectionString: config.storage.databaseUrl, embedded: false };
  }
  const embedded = await startEmbedded({
    dataDir: config.storage.dataDir,
    logger,
    onCreate: () => say(`Creating the database in ${config.storage.dataDir}, once (about 10 s)…`),
    onLost: (error) => {
      logger.fatal({ err: error }, 'the embedded database has stopped');
      process.exit(1);
    },
  });
  disposables.add(embedded);
  return { connectionString: embedded.connectionString, embedded: true };
}

/** Migrates, unless the user of DATABASE_URL is one for services only and no other is known. */
async function prepareSchema({ config, logger }: ProcessContext, storage: Storage): Promise<void> {
  if (storage.embedded) {
    await migrate(storage.connectionString, { logger });
    return;
  }
  const { url, services } = migrationTarget(config);
  const database = openDatabase(config, storage, 'standalone', logger);
  try {
    if (services === undefined && (await isSchemaOfAnother(database.as('login')))) {
      await assertSchemaVersion(database, { logger });
    } else {
      await migrate(url, { logger, services });
    }
  } finally {
    await database.close();
  }
}

/** On embedded storage only this process changes anything: workers say so themselves, and the gateway uses its pool. */
function changesBy(accepting: DatabasePool): ChangeSignal {
  const signal = createChangeSignal();
  accepting.pg.on('release', signal.changed);
  return signal;
}

/** The retrieval port can be 0 (any free one), so the gateway gets the actual address. */
function withRetrievalAt(config: Config, retrievalUrl: string): Config {
  return { ...config, gateway: { ...config.gateway, retrievalUrls: [retrievalUrl] } };
}
