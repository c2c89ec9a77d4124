import type { Sql } from '../../pool/sql.ts';
import { EXCHANGED_TABLES, type ExchangedTable } from './exchanged-tables.ts';

/** A line of an export, as JSON text. */
export type ExportedRow = Readonly<{ type: string; line: string }>;

/** Rows that are read at once: a document may be as large as a thousand messages. */
const ROWS_AT_ONCE: Readonly<Record<string, number>> = { document: 4, message: 100 };
const MAX_ROWS_AT_ONCE = 200;

/**
 * All rows of a user, or with null of all users of the tenant, in order, as they are in the snapshot of the transaction.
 * Call it in a repeatable-read transaction.
 */
export async function* exportRows(
  tx: Sql,
  owner: Readonly<{ tenantId: string; userId: string | null }>,
): AsyncGenerator<ExportedRow> {
  // Times are written in the session's zone.
  await tx.query(`set local timezone = 'UTC'`);
  for (const table of EXCHANGED_TABLES) {
    const limit = ROWS_AT_ONCE[table.type] ?? MAX_ROWS_AT_ONCE;
    let after: readonly string[] = [];
    for (;;) {
      const { rows } = await tx.query<{ line: string; key: string[] }>(pageOf(table, after.length > 0), [
        owner.tenantId,
        owner.userId,
        limit,
        ...after,
      ]);
      for (const { line } of rows) yield { type: table.type, line };
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) break;
      after = last.key;
    }
  }
}

function pageOf(
  { type, table, columns, computed = {}, key, ofUser = 't.user_id = $2::text', only }: ExchangedTable,
  hasStart: boolean,
): string {
  const names = [...new Set([...columns, ...Object.keys(computed)])];
  const selected = names.map((name) => `${computed[name] ?? `t.${name}`} as ${name}`);
  const keys = key.map(([column]) => `t.${column}`).join(', ');
  const start = key.map(([, keyType], index) => `$${index + 4}::text::${keyType}`).join(', ');
  return `select row_to_json(x)::text as line, k as key from (
      select t.*, array[${key.map(([column]) => `t.${column}::text`).join(', ')}] as k from ${table} t
      where t.tenant_id = $1::uuid and ($2::text is null or ${ofUser})
        ${only === undefined ? '' : `and ${only}`}
        ${hasStart ? `and (${keys}) > (${start})` : ''}
      order by ${keys} limit $3::integer
    ) t cross join lateral (select '${type}' as type, ${selected.join(', ')}) x
    order by ${keys}`;
}
