import type { Sql } from '../pool/sql.ts';

/**
 * Begins a new history of events when the database has come to another server, as with a restored dump: there the
 * numbers of transactions begin anew, and what is written from now on has to come after what was brought along.
 */
export async function mendEventClock(sql: Sql): Promise<void> {
  const { exists } = await sql.one<{ exists: boolean }>(
    `select to_regclass('event_clock') is not null as exists`,
  );
  if (!exists) return;
  await sql.query(
    `update event_clock set history = history + 1, cluster = here.system_identifier
     from pg_control_system() as here where cluster is distinct from here.system_identifier`,
  );
}
