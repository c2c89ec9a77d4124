import { assertSchemaVersion } from '@factmill/database';
import { createEmbedder, reportFetch } from '@factmill/models';
import { assertRedisReady, createQueues, queueConfigOf } from '@factmill/queue';
import { assertServiceLogin, externalStorage, openDatabase, runProcess } from '@factmill/runtime';
import { getPriority, setPriority } from 'node:os';
import { createExtractor } from './create-extractor.ts';

/** On shared processors, background work has a lower priority than requests. */
const BACKGROUND = 10;

// Raising it again would need a privilege.
if (getPriority() < BACKGROUND) setPriority(BACKGROUND);
await runProcess('extractor', async ({ config, logger, telemetry, disposables }) => {
  const storage = externalStorage(config);
  // Postgres has no priorities: half the statements at a time leave room for searches, and get as much done.
  const database = disposables.add(openDatabase(config, storage, 'extractor', logger, 0.5));
  await assertSchemaVersion(database, { logger });
  await assertServiceLogin(config, database);
  if (config.storage.redis !== null) await assertRedisReady(config.storage.redis, { logger });
  const queueConfig = queueConfigOf(config, storage);
  const queues = disposables.add(await createQueues(queueConfig, { logger, clock: Date.now }));
  const embedder = disposables.add(
    createEmbedder(config.embedding, { now: Date.now, onFetch: reportFetch(logger) }),
  );
  disposables.add(
    await createExtractor({
      config,
      logger,
      telemetry,
      database,
      isEmbedded: false,
      queueConfig,
      queues,
      embedder,
      signal: null,
    }),
  );
});
