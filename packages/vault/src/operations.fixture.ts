import type { Database, Sql } from '@factmill/database';
import { link, rename, rm, unlink, writeFile } from 'node:fs/promises';
import type { FileOperations } from './folder/file-operations.ts';
import type { VaultDeps } from './session.ts';

/**
 * The same, but every statement, transaction and change of a file is told before and after: `onStep` can throw or end
 * the process there.
 */
export function withSteps(deps: VaultDeps, onStep: () => void): VaultDeps {
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    onStep();
    const result = await work();
    onStep();
    return result;
  };
  const stepped = (sql: Sql): Sql => ({
    query: (...args) => step(() => sql.query(...args)),
    one: (...args) => step(() => sql.one(...args)),
    maybeOne: (...args) => step(() => sql.maybeOne(...args)),
  });
  const { database } = deps;
  const steppedDatabase: Database = {
    ...stepped(database),
    transaction: (fn, options) => step(() => database.transaction((tx) => fn(stepped(tx)), options)),
  };
  const files: FileOperations = {
    link: (...args) => step(() => link(...args)),
    rename: (...args) => step(() => rename(...args)),
    rm: (...args) => step(() => rm(...args)),
    unlink: (...args) => step(() => unlink(...args)),
    writeFile: (...args) => step(() => writeFile(...args)),
  };
  return { ...deps, database: steppedDatabase, files };
}
