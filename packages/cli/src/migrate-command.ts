import { checkSchema, type DatabasePool, migrate, ROLES_BY_HAND } from '@factmill/database';
import type { Command } from 'commander';
import { print, withDatabase } from './with-database.ts';

type Options = Readonly<{ check?: true }>;

/**
 * `factmill migrate`: brings the database to this version's schema; safe to run again and in parallel. `--check`
 * changes nothing and exits with 1 and a sentence when the schema or a function is out of date or missing.
 */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--check', 'change nothing; end with 1 when the schema is not up to date or not whole')
    .action((options: Options) =>
      withDatabase(async ({ connectionString, database, logger }) => {
        const { vectorVersion, trigram, applied, functions, roles } = options.check
          ? {
              ...(await checkSchema(database.as('login'), { logger })),
              applied: [],
              functions: [],
              roles: true,
            }
          : await migrate(connectionString, { logger });
        if (applied.length > 0) print(`Applied ${applied.join(', ')}.`);
        if (functions.length > 0) print(`Created or replaced ${functions.length} functions and triggers.`);
        if (applied.length + functions.length === 0) {
          print(`The schema is up to date${options.check ? ' and whole' : ''}.`);
        }
        if (!roles) print(await rolesMissing(database));
        print(`pgvector ${vectorVersion}, pg_trgm ${trigram ? 'available' : 'not available'}.`);
      }),
    );
}

/** What an administrator of the server has to run. */
async function rolesMissing(database: DatabasePool): Promise<string> {
  const { user } = await database
    .as('login')
    .one<{ user: string }>('select quote_ident(current_user) as user');
  return [
    'Services that log in as a user of their own need two roles, which this user may not create.',
    'An administrator of the server can run:',
    ...ROLES_BY_HAND.map((line) => `  ${line}${line.endsWith(';') ? '' : ` ${user};`}`),
    'Then migrate again.',
  ].join('\n');
}
