import type { Sql } from '../../pool/sql.ts';

/** All settings that an operator has changed at run time: key → JSON value. */
export async function readSettings(sql: Sql): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql.query<{ key: string; value: unknown }>('select key, value from settings');
  return Object.fromEntries(rows.map((row) => [row.key, row.value]));
}

/** Sets one setting; null removes it, so that the environment's value applies again. */
export async function writeSetting(sql: Sql, key: string, value: unknown): Promise<void> {
  if (value === null) {
    await sql.query('delete from settings where key = $1::text', [key]);
    return;
  }
  await sql.query(
    `insert into settings (key, value) values ($1::text, $2::jsonb)
     on conflict (key) do update set value = excluded.value, updated_at = now()`,
    [key, JSON.stringify(value)],
  );
}
