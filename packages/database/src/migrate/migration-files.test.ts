import { describe, expect, test } from '@jest/globals';
import { compareVersions } from './extensions.ts';
import type { EarlierMigrations } from './earlier-migrations.ts';
import { type AppliedMigration, parseMigrationFile } from './migration-files.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY } from './schema-files.ts';

const first = parseMigrationFile('0001_first.sql', 'select 1;\n');
const second = parseMigrationFile('0002_second.trigram.sql', 'select 2;\n');

describe('parseMigrationFile', () => {
  test('reads number and condition from the name', () => {
    expect(first).toMatchObject({ number: 1, needsTrigram: false });
    expect(second).toMatchObject({ number: 2, needsTrigram: true });
  });

  test('the checksum does not depend on line ends', () => {
    expect(parseMigrationFile('0001_first.sql', 'select 1;\r\n').checksum).toBe(first.checksum);
  });

  test.each(['1_first.sql', '0001-first.sql', '0001_First.sql'])('refuses the name %s', (name) => {
    expect(() => parseMigrationFile(name, '')).toThrow('is not named');
  });

  test('the migrations of this package are numbered without a gap', async () => {
    const { migrations, earlier } = await loadSchemaFiles(SCHEMA_DIRECTORY);
    expect(migrations[0]?.name).toBe('0026_baseline.sql');
    for (const { number, name, checksum } of earlier.steps) {
      expect(earlier.known).toContainEqual({ number, name, checksum });
    }
  });
});

describe('pendingMigrations', () => {
  const none = { known: [], steps: [] };
  const pendingOf = (applied: readonly AppliedMigration[], earlier: EarlierMigrations = none) =>
    pendingMigrations({ migrations: [first, second], earlier }, applied);

  test('is what the database lacks, in order', () => {
    expect(pendingOf([])).toEqual([first, second]);
    expect(pendingOf([first])).toEqual([second]);
    expect(pendingOf([first, second])).toEqual([]);
  });

  test('a changed file, a renamed file and a newer database are schema_outdated', () => {
    for (const entry of [
      { ...first, checksum: 'other' },
      { ...first, name: '0001_other.sql' },
      { ...first, number: 3 },
    ]) {
      expect(() => pendingOf([entry])).toThrow(expect.objectContaining({ code: 'schema_outdated' }));
    }
  });
});

describe('a database from before the baseline', () => {
  const baseline = parseMigrationFile('0021_baseline.sql', 'create table a (id integer);');
  const later = parseMigrationFile('0022_later.sql', 'create table b (id integer);');
  const step = parseMigrationFile('0020_step.sql', 'drop table c;');
  const numbered = (number: number) =>
    parseMigrationFile(`00${String(number).padStart(2, '0')}_old${number === 3 ? '.trigram' : ''}.sql`, '');
  const old = Array.from({ length: 19 }, (_, index) => numbered(index + 1));
  const earlier = { known: [...old, step], steps: [step] };
  const pendingOf = (applied: readonly AppliedMigration[]) =>
    pendingMigrations({ migrations: [baseline, later], earlier }, applied);

  test.each([17, 18, 19])(
    'at %i gets the steps, the baseline without its statements, and what is later',
    (at) => {
      expect(pendingOf(old.slice(0, at))).toEqual([step, { ...baseline, sql: '' }, later]);
    },
  );

  test('continues where it was interrupted, and is an ordinary database afterwards', () => {
    expect(pendingOf([...old, step])).toEqual([{ ...baseline, sql: '' }, later]);
    expect(pendingOf([...old, step, baseline])).toEqual([later]);
    expect(pendingOf([...old, step, baseline, later])).toEqual([]);
  });

  test('may lack the migration for trigrams', () => {
    expect(pendingOf(old.filter(({ number }) => number !== 3))).toHaveLength(3);
  });

  test.each([
    ['is too old', old.slice(0, 16), 'lacks 0017_old.sql'],
    ['has a gap', old.filter(({ number }) => number !== 8), 'lacks 0008_old.sql'],
    ['has another content', [{ ...numbered(1), checksum: 'other' }, ...old.slice(1)], 'Factmill never had'],
    ['has another name', [{ ...numbered(1), name: '0001_other.sql' }, ...old.slice(1)], 'Factmill never had'],
    ['has an unknown number', [...old, { ...step, number: 0 }], 'Factmill never had'],
    [
      'has another content, and the baseline',
      [{ ...numbered(1), checksum: 'other' }, ...old.slice(1), baseline],
      'Factmill never had',
    ],
  ])('that %s is refused', (_what, applied, reason) => {
    expect(() => pendingOf(applied)).toThrow(
      expect.objectContaining({ code: 'schema_outdated', message: expect.stringContaining(reason) }),
    );
  });
});

test('compareVersions compares numbers, not text', () => {
  expect(compareVersions('0.10.0', '0.8.6')).toBeGreaterThan(0);
  expect(compareVersions('0.8', '0.8.0')).toBe(0);
  expect(compareVersions('0.7.4', '0.8.0')).toBeLessThan(0);
});
