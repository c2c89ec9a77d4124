import { assertSchemaVersion } from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import { externalStorage, openAuthenticator, openDatabase, runProcess } from '@factmill/runtime';
import { createRetrieval } from './create-retrieval.ts';

await runProcess('retrieval', async ({ config, logger, telemetry, closers }) => {
  const storage = externalStorage(config);
  // The number of statements that keep one process busy: more of them only slow each other down.
  const database = closers.add(openDatabase(config, storage, 'retrieval', logger, 0.5));
  await assertSchemaVersion(database, { logger });
  const embedder = closers.add(createEmbedder(config.embedding));
  const authenticator = openAuthenticator(config, database);
  closers.add(await createRetrieval({ config, logger, telemetry, database, embedder, authenticator }));
});
