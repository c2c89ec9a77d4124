import { type Config, loadConfig, loadProcessEnvironment } from '@factmill/config';
import type { DatabasePool } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { externalStorage, openDatabase } from '@factmill/runtime';
import { createLogger, type Logger } from '@factmill/telemetry';

type ConfigContext = Readonly<{ config: Config; logger: Logger }>;
export type CommandContext = Readonly<{ database: DatabasePool; logger: Logger }>;

/** Runs an operator command on the database of DATABASE_URL and closes it afterwards. */
export async function withDatabase<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  return withConfig(async ({ config, logger }) => {
    const database = openDatabase(config, externalStorage(config), 'cli', logger).as('system');
    try {
      return await work({ database, logger });
    } finally {
      await database.close();
    }
  });
}

/** The same for a command that connects by itself. */
export async function withConfig<T>(work: (context: ConfigContext) => Promise<T>): Promise<T> {
  const config = loadConfig(loadProcessEnvironment((line) => process.stderr.write(`factmill: ${line}\n`)));
  if (config.storage.databaseUrl === null) {
    throw new AppError(
      'config_invalid',
      'DATABASE_URL has to be set: this command works on the Postgres of the services. npm start brings embedded storage up to date by itself.',
    );
  }
  const logger = createLogger({ service: 'cli', level: 'warn', destination: process.stderr });
  return work({ config, logger });
}

/** One line of a command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
