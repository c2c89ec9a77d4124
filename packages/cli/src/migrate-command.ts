import { migrate } from '@factmill/database';
import type { Command } from 'commander';
import { print, withDatabase } from './with-database.ts';

/** `factmill migrate`: brings the database to this version's schema; safe to run again and in parallel. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .action(() =>
      withDatabase(async ({ connectionString, logger }) => {
        const result = await migrate(connectionString, { logger });
        print(
          result.applied.length === 0 ? 'The schema is up to date.' : `Applied ${result.applied.join(', ')}.`,
        );
        print(`pgvector ${result.vectorVersion}, pg_trgm ${result.trigram ? 'available' : 'not available'}.`);
      }),
    );
}
