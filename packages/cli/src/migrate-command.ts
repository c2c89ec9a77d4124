import { checkSchema, migrate } from '@factmill/database';
import { migrationTarget, openDatabase } from '@factmill/runtime';
import type { Command } from 'commander';
import { parseWhole } from './parse-whole.ts';
import { print, withConfig } from './with-database.ts';

type Options = Readonly<{ check?: true; partitions?: number }>;

/**
 * `factmill migrate`: brings the database to this version's schema, as the user of DATABASE_OWNER_URL if that is set,
 * and gives the services their user; safe to run again and in parallel. `--check` changes nothing and exits with 1 and a
 * sentence when the schema or a function is out of date or missing. `--partitions` is for a new database.
 */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--check', 'change nothing; end with 1 when the schema is not up to date or not whole')
    .option(
      '--partitions <n>',
      'of a new database: partition the tables of tenants by a hash of the tenant',
      parseWhole(2, 256),
    )
    .action((options: Options) =>
      withConfig(async ({ config, logger }) => {
        const { url, services } = migrationTarget(config);
        if (options.check) {
          const storage = { connectionString: url, embedded: false };
          const database = openDatabase(config, storage, 'cli', logger);
          const { vectorVersion, trigram } = await checkSchema(database.as('login'), { logger }).finally(
            database.close,
          );
          print('The schema is up to date and whole.');
          return print(extensions(vectorVersion, trigram));
        }
        const result = await migrate(url, { logger, services, partitions: options.partitions });
        const { vectorVersion, trigram, applied, functions, byHand } = result;
        if (applied.length > 0) print(`Applied ${applied.join(', ')}.`);
        if (functions.length > 0) print(`Created or replaced ${functions.length} functions and triggers.`);
        if (applied.length + functions.length === 0) print('The schema is up to date.');
        if (byHand.length > 0) print(leftToDo(byHand));
        print(extensions(vectorVersion, trigram));
      }),
    );
}

const extensions = (vectorVersion: string, trigram: boolean) =>
  `pgvector ${vectorVersion}, pg_trgm ${trigram ? 'available' : 'not available'}.`;

function leftToDo(byHand: readonly string[]): string {
  return [
    'Services log in as a user of their own, for whom this user may not do everything.',
    'An administrator of the server can run, in this database:',
    ...byHand.map((line) => `  ${line}`),
    'Then migrate again.',
  ].join('\n');
}
