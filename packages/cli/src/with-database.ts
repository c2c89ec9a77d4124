import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import type { DatabasePool } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { externalStorage, openDatabase } from '@factmill/runtime';
import { createLogger, type Logger } from '@factmill/telemetry';

export type CommandContext = Readonly<{ connectionString: string; database: DatabasePool; logger: Logger }>;

/** Runs an operator command on the database of DATABASE_URL and closes it afterwards. */
export async function withDatabase<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = loadConfig(loadProcessEnvironment((line) => process.stderr.write(`factmill: ${line}\n`)));
  if (config.storage.databaseUrl === null) {
    throw new AppError(
      'config_invalid',
      'DATABASE_URL has to be set: this command works on the Postgres of the services. npm start brings embedded storage up to date by itself.',
    );
  }
  const storage = externalStorage(config);
  const logger = createLogger({ service: 'cli', level: 'warn', destination: process.stderr });
  const database = openDatabase(config, storage, 'cli', logger).as('system');
  try {
    return await work({ connectionString: storage.connectionString, database, logger });
  } finally {
    await database.close();
  }
}

/** One line of a command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
