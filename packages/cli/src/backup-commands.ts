import { resolve } from 'node:path';
import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import {
  backUpEmbedded,
  createPool,
  holdsDatabase,
  restoreEmbedded,
  startEmbedded,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { createLogger } from '@factmill/telemetry';
import type { Command } from 'commander';
import { print } from './with-database.ts';

/** `factmill backup` and `factmill restore`: the embedded storage of `npm start`, while that is stopped. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write the embedded storage in DATA_DIR to a new file (stop npm start first)')
    .argument('<file>', 'for example factmill-2026-05-10.tar.gz')
    .action(async (file: string) => {
      const dataDir = embeddedDirectory();
      // Opens the database once, so that a damaged one is found now and not when it is restored.
      const memories = holdsDatabase(dataDir) ? await countMemories(dataDir) : 0;
      const bytes = await backUpEmbedded({ dataDir, file });
      print(
        `Backed up ${memories} memories to ${resolve(file)} (${(bytes / 1_000_000).toFixed(1)} MB). Keep it on another machine.`,
      );
    });
  program
    .command('restore')
    .description('put a backup of embedded storage into DATA_DIR, which has to be new or empty')
    .argument('<file>', 'made by factmill backup')
    .action(async (file: string) => {
      const dataDir = embeddedDirectory();
      await restoreEmbedded({ dataDir, file });
      print(`Restored ${await countMemories(dataDir)} memories into ${resolve(dataDir)}.`);
    });
}

function embeddedDirectory(): string {
  const { storage } = loadConfig(loadProcessEnvironment());
  if (storage.databaseUrl !== null) {
    throw new AppError(
      'config_invalid',
      'DATABASE_URL is set, and this command is for embedded storage. A Postgres is backed up with pg_dump: see docs/operations/backup-and-restore.md.',
    );
  }
  return storage.dataDir;
}

/** Starts the database of a data folder, counts its memories, and stops it in order. */
async function countMemories(dataDir: string): Promise<number> {
  const logger = createLogger({ service: 'cli', level: 'warn', destination: process.stderr });
  const embedded = await startEmbedded({ dataDir, logger });
  try {
    const database = createPool({
      connectionString: embedded.connectionString,
      max: 1,
      applicationName: 'factmill-cli',
      logger,
    });
    try {
      const { memories } = await database.one<{ memories: number }>(
        'select count(*)::integer as memories from memories where is_current',
      );
      return memories;
    } finally {
      await database.close();
    }
  } finally {
    await embedded.close();
  }
}
