import { describe, expect, test } from '@jest/globals';
import { compareVersions } from './extensions.ts';
import { parseMigrationFile } from './migration-files.ts';
import { loadSchemaFiles, SCHEMA_DIRECTORY } from './schema-files.ts';
import { pendingMigrations } from './schema-migrations.ts';

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
    const { migrations } = await loadSchemaFiles(SCHEMA_DIRECTORY);
    expect(migrations).not.toHaveLength(0);
  });
});

describe('pendingMigrations', () => {
  test('is what the database lacks, in order', () => {
    expect(pendingMigrations([first, second], [])).toEqual([first, second]);
    expect(pendingMigrations([first, second], [second])).toEqual([first]);
    expect(pendingMigrations([first, second], [first, second])).toEqual([]);
  });

  test('a changed file, a renamed file and a newer database are schema_outdated', () => {
    for (const entry of [
      { ...first, checksum: 'other' },
      { ...first, name: '0001_other.sql' },
      { ...first, number: 3 },
    ]) {
      expect(() => pendingMigrations([first, second], [entry])).toThrow(
        expect.objectContaining({ code: 'schema_outdated' }),
      );
    }
  });
});

test('compareVersions compares numbers, not text', () => {
  expect(compareVersions('0.10.0', '0.8.6')).toBeGreaterThan(0);
  expect(compareVersions('0.8', '0.8.0')).toBe(0);
  expect(compareVersions('0.7.4', '0.8.0')).toBeLessThan(0);
});
