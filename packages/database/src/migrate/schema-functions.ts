import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';
import type { FunctionFile, FunctionFiles } from './function-files.ts';
import type { MigrationFile } from './migration-files.ts';

/** An applied function or trigger, as recorded in the table `factmill_functions`. */
export type AppliedFunction = Readonly<{
  name: string;
  checksum: string;
  revision: number;
  isThere: boolean;
}>;

/** How the functions of a database differ from those of this program. */
export type FunctionChanges = Readonly<{
  /** The database has functions of a higher revision, which stay unchanged. */
  isNewer: boolean;
  /** Functions to create or replace, in order. */
  outdated: readonly FunctionFile[];
  /** Recorded names without a file. A migration drops the functions themselves. */
  removed: readonly string[];
}>;

/** Creates the table that records which functions were applied. */
export async function createSchemaFunctions(sql: Sql): Promise<void> {
  await sql.query(`
    create table if not exists factmill_functions (
      name       text        not null,
      checksum   text        not null,
      revision   integer     not null,
      applied_at timestamptz not null default now(),
      constraint factmill_functions_pkey primary key (name)
    )`);
}

/** The applied functions and triggers; none without the table. */
export async function readSchemaFunctions(sql: Sql): Promise<AppliedFunction[]> {
  const { present } = await sql.one<{ present: boolean }>(
    `select to_regclass('factmill_functions') is not null as present`,
  );
  if (!present) return [];
  const { rows } = await sql.query<AppliedFunction>(
    `select f.name, f.checksum, f.revision,
            case split_part(f.name, ' ', 1)
              when 'function' then exists (select from pg_proc p
                where p.pronamespace = 'public'::regnamespace and p.proname = split_part(f.name, ' ', 2))
              else exists (select from pg_trigger t join pg_class c on c.oid = t.tgrelid
                where c.relnamespace = 'public'::regnamespace and t.tgname = split_part(f.name, ' ', 2))
            end as "isThere"
     from factmill_functions f order by f.name`,
  );
  return rows;
}

/**
 * The changes that give a database this program's functions. A program never changes functions of a higher revision:
 * they belong to a newer program, and older processes work with them during a deploy.
 */
export function compareFunctions(
  { revision, files }: FunctionFiles,
  applied: readonly AppliedFunction[],
): FunctionChanges {
  if (applied.some((entry) => entry.revision > revision)) return { isNewer: true, outdated: [], removed: [] };
  const byName = new Map(applied.map((entry) => [entry.name, entry]));
  const names = new Set(files.map(recordedName));
  return {
    isNewer: false,
    outdated: files.filter((file) => {
      const entry = byName.get(recordedName(file));
      return entry?.checksum !== file.checksum || !entry.isThere;
    }),
    removed: applied.map(({ name }) => name).filter((name) => !names.has(name)),
  };
}

/**
 * Throws `schema_outdated` when the program has migrations that the database lacks, but the database has functions of
 * a higher revision: then neither is newer. Trigram migrations may come late and do not count.
 */
export function assertNotNewer(
  pending: readonly MigrationFile[],
  functions: FunctionFiles,
  applied: readonly AppliedFunction[],
): void {
  if (!pending.some((file) => !file.needsTrigram) || !compareFunctions(functions, applied).isNewer) return;
  throw new AppError(
    'schema_outdated',
    'The functions in the database are newer than those of this program, which has newer migrations. ' +
      'Run a version of Factmill that is newer than both.',
  );
}

/** Records that a function or trigger was applied. */
export async function recordFunction(sql: Sql, file: FunctionFile, revision: number): Promise<void> {
  await sql.query(
    `insert into factmill_functions (name, checksum, revision) values ($1::text, $2::text, $3::integer)
     on conflict (name) do update
       set checksum = excluded.checksum, revision = excluded.revision, applied_at = excluded.applied_at`,
    [recordedName(file), file.checksum, revision],
  );
}

/** Deletes the records of functions without a file, and records all others with this revision. */
export async function recordRevision(sql: Sql, revision: number, removed: readonly string[]): Promise<void> {
  await sql.query('delete from factmill_functions where name = any($1::text[])', [removed]);
  await sql.query('update factmill_functions set revision = $1::integer where revision < $1::integer', [
    revision,
  ]);
}

/**
 * Throws `internal` when a function exists with several parameter lists: `create or replace` with a changed list
 * creates a second function, and calls would find the old one, or none.
 */
export async function assertOneSignatureEach(sql: Sql, files: readonly FunctionFile[]): Promise<void> {
  const names = files.filter(({ kind }) => kind === 'function').map(({ name }) => name);
  const { rows } = await sql.query<{ name: string }>(
    `select proname::text as name from pg_proc
     where pronamespace = 'public'::regnamespace and proname::text = any($1::text[])
     group by proname having count(*) > 1 order by proname`,
    [names],
  );
  if (rows.length === 0) return;
  throw new AppError(
    'internal',
    `Functions exist with more than one signature: ${rows.map(({ name }) => name).join(', ')}. ` +
      'A change of signature needs a migration that drops the function.',
  );
}

function recordedName({ kind, name }: FunctionFile): string {
  return `${kind} ${name}`;
}
