import type { MigrationFile } from './migration-files.ts';

/** Tables with a tenant that are read before the tenant is known: keys by their id, sessions by their token. */
const WHOLE_TABLES = new Set(['api_keys', 'console_sessions']);

const CREATE_TABLE = /^create table ([a-z_]+) \($(.*?)^\);$/gms;
const SET_STORAGE = /^alter table ([a-z_]+) (set \([^)]*\)|replica identity [a-z]+);$/gm;

/**
 * The migrations for a database whose tables of tenants have `count` partitions each, by a hash of the tenant: the same
 * statements, and partitions after every table with a tenant_id. Keys, indexes and triggers of a table are those of its
 * partitions too; storage settings are not, so each partition gets them. A count of 0 changes nothing.
 */
export function partitionMigrations(
  migrations: readonly MigrationFile[],
  count: number,
): readonly MigrationFile[] {
  if (count === 0) return migrations;
  const tables = new Set<string>();
  return migrations.map((file) => ({ ...file, sql: partitionTables(file.sql, count, tables) }));
}

/** The same for the text of one; `tables` are those of earlier ones, and get the new ones. */
function partitionTables(text: string, count: number, tables: Set<string>): string {
  const partitionsOf = (table: string) =>
    Array.from({ length: count }, (_, remainder) => ({ remainder, name: `${table}_p${remainder}` }));
  return text
    .replace(CREATE_TABLE, (statement, table: string, body: string) => {
      if (!/^ {2}tenant_id uuid\b/m.test(body) || WHOLE_TABLES.has(table)) return statement;
      tables.add(table);
      const partitions = partitionsOf(table).map(
        ({ name, remainder }) =>
          `create table ${name} partition of ${table} for values with (modulus ${count}, remainder ${remainder});`,
      );
      return [`create table ${table} (${body}) partition by hash (tenant_id);`, ...partitions].join('\n');
    })
    .replace(SET_STORAGE, (statement, table: string, change: string) =>
      tables.has(table)
        ? partitionsOf(table)
            .map(({ name }) => `alter table ${name} ${change};`)
            .join('\n')
        : statement,
    );
}
