import { assertSchemaVersion } from '@factmill/database';
import { createEmbedder, reportFetch } from '@factmill/models';
import {
  assertServiceLogin,
  externalStorage,
  openAuthenticator,
  openDatabase,
  openReplica,
  runProcess,
} from '@factmill/runtime';
import { createRetrieval } from './create-retrieval.ts';

await runProcess('retrieval', async ({ config, logger, telemetry, disposables }) => {
  const storage = externalStorage(config);
  // The number of statements that keep one process busy: more of them only slow each other down.
  const database = disposables.add(openDatabase(config, storage, 'retrieval', logger, 0.5));
  await assertSchemaVersion(database, { logger });
  await assertServiceLogin(config, database);
  const replica = openReplica(config, logger, 0.5);
  if (replica !== null) disposables.add(replica);
  const embedder = disposables.add(
    createEmbedder(config.embedding, { now: Date.now, onFetch: reportFetch(logger) }),
  );
  const authenticator = openAuthenticator(config, database);
  disposables.add(
    await createRetrieval({ config, logger, telemetry, database, replica, embedder, authenticator }),
  );
});
