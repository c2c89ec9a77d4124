/**
 * Maximum bytes of rows in one answer of a list or a search. The first row is always included, whatever its size. 4
 * MB of JSON take 20 ms to build.
 */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Whether more rows follow: set on the last row of a page. */
export type Listed = Readonly<{ more: boolean }>;

/**
 * The first rows of a query that fit into an answer together, each with `more`. The rest stays in the database.
 *
 * @param query with an `order by`, and a `limit` of one row more than the page
 * @param size SQL of the bytes of a row of `page`
 * @param maxBytes SQL of the limit in bytes; null for none
 */
export function fitting(query: string, size: string, maxBytes = String(MAX_ANSWER_BYTES)): string {
  return `select * from (
      select page.*, row_number() over () < count(*) over () as more,
        coalesce(sum(${size}) over (rows between unbounded preceding and 1 preceding), 0) as "bytesBefore"
      from (${query}) page
    ) pages where ${maxBytes}::bigint is null or "bytesBefore" < ${maxBytes}::bigint`;
}

/** Bytes of a text column, 0 for null. Known without reading a text that is stored out of line. */
export function textBytes(...columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
}

/** Bytes of a jsonb column as text, 0 for null. Only values that could be large are converted to be measured. */
export function jsonBytes(column: string): string {
  return `case when ${column} is null then 0 when pg_column_size(${column}) < 200 then 200
    else octet_length(${column}::text) end`;
}
