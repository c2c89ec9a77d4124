import { assertSchemaVersion } from '@factmill/database';
import { createQueues, queueConfigOf } from '@factmill/queue';
import { externalStorage, openAuthenticator, openDatabase, runProcess } from '@factmill/runtime';
import { createGateway } from './create-gateway.ts';

await runProcess('gateway', async ({ config, logger, telemetry, closers }) => {
  const storage = externalStorage(config);
  const database = closers.add(openDatabase(config, storage, 'gateway', logger));
  await assertSchemaVersion(database, { logger });
  const queues = closers.add(await createQueues(queueConfigOf(config, storage), { logger, clock: Date.now }));
  const authenticator = openAuthenticator(config, database);
  closers.add(await createGateway({ config, logger, telemetry, database, queues, authenticator }));
});
