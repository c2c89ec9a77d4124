import type { QueryOptions, Sql, SqlResult } from './sql.ts';

/**
 * `Sql` for work that may become pointless: `assertWanted` runs before each statement and may throw. A statement that
 * already runs continues.
 */
export function whileWanted(sql: Sql, assertWanted: () => void): Sql {
  return {
    async query<Row>(
      text: string,
      values?: readonly unknown[],
      options?: QueryOptions,
    ): Promise<SqlResult<Row>> {
      assertWanted();
      return sql.query<Row>(text, values, options);
    },
    async one<Row>(text: string, values?: readonly unknown[], options?: QueryOptions) {
      assertWanted();
      return sql.one<Row>(text, values, options);
    },
    async maybeOne<Row>(text: string, values?: readonly unknown[], options?: QueryOptions) {
      assertWanted();
      return sql.maybeOne<Row>(text, values, options);
    },
  };
}
