import { AppError } from '@factmill/errors';
import type { QueryConfig, QueryResult } from 'pg';
import { toDatabaseError } from './database-errors.ts';
import type { QueryOptions, Sql, SqlResult } from './sql.ts';

type Run = (config: QueryConfig) => Promise<QueryResult>;

/** `Sql` over anything that runs one pg query: a pool or one client of it. */
export function createSql(run: Run): Sql {
  async function query<Row>(
    text: string,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<SqlResult<Row>> {
    try {
      const result = await run({
        text,
        values: [...values],
        ...(options.name === undefined ? {} : { name: options.name }),
      });
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async function maybeOne<Row>(text: string, values?: readonly unknown[], options?: QueryOptions) {
    const { rows } = await query<Row>(text, values, options);
    if (rows.length > 1) {
      throw new AppError('internal', `A query for one row returned ${rows.length}.`);
    }
    return rows[0];
  }

  async function one<Row>(text: string, values?: readonly unknown[], options?: QueryOptions) {
    const row = await maybeOne<Row>(text, values, options);
    if (row === undefined) throw new AppError('internal', 'A query for one row returned none.');
    return row;
  }

  return { query, one, maybeOne };
}
