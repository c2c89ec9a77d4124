import { AppError } from '@factmill/errors';
import { accessSync, constants } from 'node:fs';

const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/**
 * Makes sure that the certificates that an address names can be read. They are read for each new connection, so that a
 * renewed certificate needs no restart.
 *
 * @throws AppError `config_invalid` that names the part of the address
 */
export function assertTlsFiles(connectionString: string): void {
  if (!URL.canParse(connectionString)) return;
  const { searchParams } = new URL(connectionString);
  for (const name of FILES) {
    const path = searchParams.get(name);
    if (path === null) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new AppError(
        'config_invalid',
        `The file that is ${name} in the address of the database cannot be read by this process (${code}).`,
        { cause: error },
      );
    }
  }
}
