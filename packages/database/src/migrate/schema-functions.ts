import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';
import type { FunctionFile, FunctionFiles } from './function-files.ts';
import type { MigrationFile } from './migration-files.ts';

/** A function or trigger that was applied, as the table `factmill_functions` records it. */
export type AppliedFunction = Readonly<{
  name: string;
  checksum: string;
  revision: number;
  isThere: boolean;
}>;

/** How the functions of a database differ from those of this program. */
export type FunctionChanges = Readonly<{
  /** The database has functions of a higher revision: they stay as they are. */
  isNewer: boolean;
  /** What is to be created or replaced, in order. */
  outdated: readonly FunctionFile[];
  /** Names that are recorded and have no file any more. A migration drops the functions themselves. */
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

/** The functions and triggers that were applied; none when the table is not there. */
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
 * What is to be done so that a database has this program's functions. A program never touches functions of a higher
 * revision: those come from a newer program, which older ones work with while they are replaced.
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
 * Throws `schema_outdated` when a program has migrations that the database lacks, and the database functions of a
 * higher revision: neither is the newer one. Trigram migrations may come late and do not count.
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

/** Forgets the functions that have no file any more, and records that all others are of this revision. */
export async function recordRevision(sql: Sql, revision: number, removed: readonly string[]): Promise<void> {
  await sql.query('delete from factmill_functions where name = any($1::text[])', [removed]);
  await sql.query('update factmill_functions set revision = $1::integer where revision < $1::integer', [
    revision,
  ]);
}

/**
 * Throws `internal` when a function exists with more than one list of parameters: `create or replace` makes a second
 * function of a changed one, and calls would find the old one, or none.
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
