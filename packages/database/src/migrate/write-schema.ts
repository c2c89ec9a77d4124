// Gives the functions a new revision when one has changed, and writes packages/database/schema.sql from migrations and
// functions, on a temporary embedded Postgres. Run it after changing either: node --conditions=factmill-source
// packages/database/src/migrate/write-schema.ts
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { createPool } from '../pool/create-pool.ts';
import { dumpSchema } from './dump-schema.ts';
import { nextRevision, REVISION_FILE } from './function-files.ts';
import { migrate } from './migrate.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY } from './schema-files.ts';

const logger = { info: () => undefined, warn: () => undefined };
const { functions } = await loadSchemaFiles(SCHEMA_DIRECTORY);
await writeFile(join(SCHEMA_DIRECTORY, REVISION_FILE), nextRevision(functions));

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
  await writeFile(join(SCHEMA_DIRECTORY, 'schema.sql'), schema);
} finally {
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}
