import { AppError } from '@factmill/errors';
import { toDatabaseError } from '../pool/database-errors.ts';
import type { Sql } from '../pool/sql.ts';
import type { FunctionFile, FunctionFiles } from './function-files.ts';
import type { MigrationFile } from './migration-files.ts';
import {
  assertOneSignatureEach,
  compareFunctions,
  readSchemaFunctions,
  recordFunction,
  recordRevision,
} from './schema-functions.ts';
import { readSchemaMigrations, recordMigration } from './schema-migrations.ts';

/** One connection. `run` accepts several statements at once, as only the simple protocol does. */
export type Session = Readonly<{ sql: Sql; run: (text: string) => Promise<void> }>;

/** The result of a migration; `functions` are those that it created or replaced, if any were given. */
export type Done = Readonly<{ functions: readonly string[] | undefined }>;

/**
 * Applies a migration and, when given, the functions, in one transaction. Undefined when another session applied it
 * meanwhile, which is possible only on embedded Postgres (one session for all).
 */
export function applyMigration(
  session: Session,
  file: MigrationFile,
  functions: FunctionFiles | undefined,
): Promise<Done | undefined> {
  return inTransaction(session, `Migration ${file.name}`, async () => {
    const applied = (await readSchemaMigrations(session.sql)) ?? [];
    if (applied.some((entry) => entry.number === file.number)) return undefined;
    await session.run(file.sql).catch(throwDatabaseError);
    await recordMigration(session.sql, file);
    return { functions: functions === undefined ? undefined : await applyFunctions(session, functions) };
  });
}

/** Applies the functions in their own transaction; returns the names of those created or replaced. */
export function applyFunctionsAlone(session: Session, functions: FunctionFiles): Promise<readonly string[]> {
  return inTransaction(session, 'Creating the functions', () => applyFunctions(session, functions));
}

async function applyFunctions(session: Session, functions: FunctionFiles): Promise<readonly string[]> {
  const { sql } = session;
  const { isNewer, outdated, removed } = compareFunctions(functions, await readSchemaFunctions(sql));
  if (isNewer) return [];
  for (const file of outdated) {
    await session.run(file.sql).catch((error: unknown) => throwFunctionError(file, error));
    await recordFunction(sql, file, functions.revision);
  }
  await assertOneSignatureEach(sql, functions.files);
  await recordRevision(sql, functions.revision, removed);
  return outdated.map(({ name }) => name);
}

/** Rolls back on failure. The lock separates two clients of embedded Postgres, which share the advisory lock. */
async function inTransaction<T>({ sql }: Session, what: string, work: () => Promise<T>): Promise<T> {
  try {
    await sql.query('begin');
    await sql.query(`select set_config('statement_timeout', '0', true)`);
    await sql.query('lock table factmill_migrations in share row exclusive mode');
    const result = await work();
    await sql.query('commit');
    return result;
  } catch (error) {
    await sql.query('rollback').catch(() => undefined);
    const reason = toDatabaseError(error);
    throw new AppError(reason.code, `${what} failed: ${reason.message}`, { cause: reason.cause });
  }
}

function throwDatabaseError(error: unknown): never {
  throw toDatabaseError(error);
}

function throwFunctionError({ kind, name }: FunctionFile, error: unknown): never {
  const reason = toDatabaseError(error);
  throw new AppError(reason.code, `the ${kind} ${name}: ${reason.message}`, { cause: reason.cause });
}
