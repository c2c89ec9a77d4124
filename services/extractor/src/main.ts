import { assertSchemaVersion } from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import { assertRedisReady, createQueues, queueConfigOf } from '@factmill/queue';
import { externalStorage, openDatabase, runProcess } from '@factmill/runtime';
import { getPriority, setPriority } from 'node:os';
import { createExtractor } from './create-extractor.ts';

/** Where they share processors, work that can wait gives way to requests that are waited for. */
const BACKGROUND = 10;

// To raise it again would take a privilege.
if (getPriority() < BACKGROUND) setPriority(BACKGROUND);
await runProcess('extractor', async ({ config, logger, telemetry, closers }) => {
  const storage = externalStorage(config);
  // Postgres has no priorities: half as many statements at a time leave it to searches, and get as much done.
  const database = closers.add(openDatabase(config, storage, 'extractor', logger, 0.5));
  await assertSchemaVersion(database, { logger });
  if (config.storage.redisUrl !== null) await assertRedisReady(config.storage.redisUrl, { logger });
  const queueConfig = queueConfigOf(config, storage);
  const queues = closers.add(await createQueues(queueConfig, { logger, clock: Date.now }));
  const embedder = closers.add(createEmbedder(config.embedding));
  closers.add(
    await createExtractor({
      config,
      logger,
      telemetry,
      database,
      isEmbedded: false,
      queueConfig,
      queues,
      embedder,
    }),
  );
});
