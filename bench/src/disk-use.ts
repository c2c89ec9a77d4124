import type { Stage } from './stage.ts';

/** Bytes of tables with their indexes and long values. */
export async function diskUse(stage: Stage, tables: readonly string[]): Promise<number> {
  const { rows } = await stage.database.query<{ bytes: number }>(
    'select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name',
    [tables],
  );
  return rows[0]?.bytes ?? 0;
}
