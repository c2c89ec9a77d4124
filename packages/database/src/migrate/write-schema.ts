// Writes packages/database/schema.sql from the migrations, on an embedded Postgres that is thrown away. Run it
// after adding a migration: node --conditions=factmill-source packages/database/src/migrate/write-schema.ts
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { createPool } from '../pool/create-pool.ts';
import { dumpSchema } from './dump-schema.ts';
import { migrate } from './migrate.ts';

const logger = { info: () => undefined, warn: () => undefined };
const dataDir = await mkdtemp(join(tmpdir(), 'factmill-schema-'));
const embedded = await startEmbedded({ dataDir, logger });
try {
  await migrate(embedded.connectionString, { logger });
  const pool = createPool({
    connectionString: embedded.connectionString,
    max: 1,
    applicationName: 'factmill-write-schema',
    logger,
  });
  const schema = await dumpSchema(pool);
  await pool.close();
  await writeFile(new URL('../../schema.sql', import.meta.url), schema);
} finally {
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}
