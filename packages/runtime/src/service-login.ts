import type { Config } from '@factmill/config';
import { type DatabasePool, type Exemption, findExemption, type MigrateOptions } from '@factmill/database';
import { AppError } from '@factmill/errors';

const REASONS: Readonly<Record<Exemption, string>> = {
  superuser: 'is a superuser',
  bypassrls: 'has BYPASSRLS',
  owner: 'owns the tables',
};

/** The rest of a sentence that begins with the user. */
export const describeExemption = (exemption: Exemption): string => REASONS[exemption];

/**
 * Makes sure that the database keeps tenants apart for a service, as far as that needs API keys.
 *
 * @throws AppError `config_invalid` when keys are required and the policies do not apply to the user of DATABASE_URL
 */
export async function assertServiceLogin(config: Config, database: DatabasePool): Promise<void> {
  if (config.auth.mode !== 'required') return;
  const exemption = await findExemption(database.as('login'));
  if (exemption === null) return;
  throw new AppError(
    'config_invalid',
    `The user of DATABASE_URL ${describeExemption(exemption)}, so that the database would not keep tenants apart. ` +
      'With API keys, services need a user of their own: put its name and a password into DATABASE_URL and the present ' +
      'address into DATABASE_OWNER_URL, and run the migrate command, which creates that user ' +
      '(docs/operations/running.md, Database users).',
  );
}

/** Where to migrate, and how services reach the same database if that is as another user. */
export function migrationTarget({ storage }: Config): { url: string; services: MigrateOptions['services'] } {
  const { databaseUrl, ownerUrl, redis } = storage;
  if (databaseUrl === null) throw new AppError('config_invalid', 'DATABASE_URL has to be set.');
  if (ownerUrl === null) return { url: databaseUrl, services: undefined };
  return { url: ownerUrl, services: { url: databaseUrl, hasQueue: redis === null } };
}
