import type { QueryOptions, Sql, SqlResult } from './sql.ts';

/**
 * `Sql` for work that may become pointless: each statement is sent only when `assertWanted` does not throw. What is
 * running in the database goes on.
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
