import { waitFor } from '@factmill/testkit';
import type { Stage } from './stage.ts';

/** Share of each backlog that is not counted, because the process is still warming up. */
const WARM_UP_SHARE = 0.25;

/** Rows per second between the end of the warm-up and the last row, by the rows' timestamps. */
export async function measureEnds(
  stage: Stage,
  table: string,
  column: string,
  before: number,
  backlog: number,
): Promise<number> {
  await waitFor(async () => (await countRows(stage, table, column)) >= before + backlog, {
    timeoutMs: 120_000,
    intervalMs: 250,
    describe: `${backlog} rows in ${table}`,
  });
  const { rows } = await stage.database.query<{ seconds: number; count: number }>(
    `with latest as (select ${column} as at from ${table} order by ${column} desc limit $1::integer)
     select extract(epoch from max(at) - min(at))::float8 as seconds, count(*)::integer - 1 as count from latest`,
    [Math.round(backlog * (1 - WARM_UP_SHARE))],
  );
  return (rows[0]?.count ?? 0) / (rows[0]?.seconds ?? Number.NaN);
}

/** Rows of a table, or those with a value in the column. */
export async function countRows(stage: Stage, table: string, column = '*'): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    `select count(${column})::integer as count from ${table}`,
  );
  return rows[0]?.count ?? 0;
}
