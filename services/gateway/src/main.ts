import { assertSchemaVersion } from '@factmill/database';
import { createQueues, queueConfigOf } from '@factmill/queue';
import {
  assertServiceLogin,
  externalStorage,
  openAuthenticator,
  openDatabase,
  runProcess,
} from '@factmill/runtime';
import { createGateway } from './create-gateway.ts';

await runProcess('gateway', async ({ config, logger, telemetry, disposables }) => {
  const storage = externalStorage(config);
  const database = disposables.add(openDatabase(config, storage, 'gateway', logger));
  await assertSchemaVersion(database, { logger });
  await assertServiceLogin(config, database);
  const queues = disposables.add(
    await createQueues(queueConfigOf(config, storage), { logger, clock: Date.now }),
  );
  const authenticator = openAuthenticator(config, database);
  disposables.add(await createGateway({ config, logger, telemetry, database, queues, authenticator }));
});
