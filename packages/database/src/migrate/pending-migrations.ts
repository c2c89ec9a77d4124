import { AppError } from '@factmill/errors';
import type { EarlierMigrations } from './earlier-migrations.ts';
import { type AppliedMigration, type MigrationFile, parseMigrationName } from './migration-files.ts';

/** A database that lacks one of the migrations up to this number is too old to be taken over. */
const TAKEN_OVER_FROM = 17;

/**
 * The migrations still to apply, in order. Throws `schema_outdated` when the table and the files contradict each
 * other: the database is newer than this program, or an applied file has changed.
 */
export function pendingMigrations(
  { migrations, earlier }: Readonly<{ migrations: readonly MigrationFile[]; earlier: EarlierMigrations }>,
  applied: readonly AppliedMigration[],
): MigrationFile[] {
  const [baseline, ...later] = migrations;
  if (baseline === undefined) return [];
  const before = applied.filter(({ number }) => number < baseline.number);
  const after = applied.filter(({ number }) => number >= baseline.number);
  assertSame(migrations, after);
  if (before.length > 0 && after.length === 0) return [...planTakeover(baseline, earlier, before), ...later];
  assertKnown(earlier.known, before);
  const numbers = new Set(after.map(({ number }) => number));
  return migrations.filter(({ number }) => !numbers.has(number));
}

function assertSame(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): void {
  const byNumber = new Map(files.map((file) => [file.number, file]));
  for (const entry of applied) {
    const file = byNumber.get(entry.number);
    if (file === undefined) {
      throw new AppError(
        'schema_outdated',
        `The database is newer than this program (it has migration ${entry.name}). Run the newer version of Factmill.`,
      );
    }
    if (file.name !== entry.name || file.checksum !== entry.checksum) {
      throw new AppError(
        'schema_outdated',
        `Migration ${entry.name} was applied to this database with another content than ${file.name} has now. ` +
          'Restore the file as it was applied and put the change into a new migration.',
      );
    }
  }
}

/**
 * Brings a database from before the baseline to it, in order: the missing steps, then the baseline, which is recorded
 * without running it. Throws `schema_outdated` unless the database has only known migrations, and all of them up to
 * 17 (without pg_trgm, not the trigram one).
 */
function planTakeover(
  baseline: MigrationFile,
  { known, steps }: EarlierMigrations,
  applied: readonly AppliedMigration[],
): MigrationFile[] {
  assertKnown(known, applied);
  const numbers = new Set(applied.map(({ number }) => number));
  const missing = known.find(
    ({ number, name }) =>
      number <= TAKEN_OVER_FROM && !numbers.has(number) && !parseMigrationName(name).needsTrigram,
  );
  if (missing !== undefined) {
    throw new AppError(
      'schema_outdated',
      `The database lacks ${missing.name}, which this version no longer has. ` +
        `Bring it to migration ${TAKEN_OVER_FROM} with the version of Factmill it is from.`,
    );
  }
  return [...steps.filter(({ number }) => !numbers.has(number)), { ...baseline, sql: '' }];
}

/**
 * Throws `schema_outdated` when a migration from before the baseline is unknown or was applied with other content.
 */
function assertKnown(known: readonly AppliedMigration[], applied: readonly AppliedMigration[]): void {
  const byNumber = new Map(known.map((entry) => [entry.number, entry]));
  const stranger = applied.find((entry) => {
    const file = byNumber.get(entry.number);
    return file?.name !== entry.name || file.checksum !== entry.checksum;
  });
  if (stranger === undefined) return;
  throw new AppError(
    'schema_outdated',
    `Migration ${stranger.name} was applied to this database with a content that Factmill never had. ` +
      'The database is not taken over: its schema may be another one.',
  );
}
