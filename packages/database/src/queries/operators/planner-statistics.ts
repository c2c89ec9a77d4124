import type { DatabasePool, Sql } from '../../pool/sql.ts';

/** A table's name, quoted where necessary. */
export type TableToMaintain = Readonly<{ name: string; analyze: boolean; vacuum: boolean }>;

/** This few changed rows do not matter for the plans of a table. */
const FEW_CHANGES = 100;
/** Share of a table that may change before it is analysed again: twice autovacuum's value. */
const CHANGED_SHARE = 0.2;
/** A table with this many more pages than when it was analysed has grown, even when a crash lost the counters. */
const GROWN_PAGES = 8;
/** Postgres's own limit (`autovacuum_freeze_max_age`), from which on old transaction ids must be frozen. */
const FREEZE_AGE = 200_000_000;

/**
 * The tables of the owner of the schema, if this role may maintain them, whose planner statistics are missing or old, and those
 * with many dead rows. Reads catalogs and counters only: about a millisecond.
 *
 * The counters (`pg_stat_all_tables`) are up to a second late, and lost in a crash; `pg_class` is not.
 */
export async function listTablesToMaintain(sql: Sql): Promise<TableToMaintain[]> {
  const { rows } = await sql.query<TableToMaintain>(
    `select name, is_stale as "analyze", has_dead as "vacuum" from (
       select c.oid::regclass::text as name,
         (c.reltuples < 0 and size.pages > 0)
           or coalesce(s.n_mod_since_analyze, 0) > $1::integer + $2::float8 * greatest(c.reltuples, 0)
           or size.pages > $3::integer + (1 + $2::float8) * c.relpages as is_stale,
         coalesce(s.n_dead_tup, 0) > 10 * $1::integer + $2::float8 * greatest(c.reltuples, 0)
           or age(c.relfrozenxid) > $4::integer as has_dead
       from pg_class c
         cross join lateral (
           select pg_relation_size(c.oid) / current_setting('block_size')::integer as pages) as size
         left join pg_stat_all_tables s on s.relid = c.oid
       where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
         and has_function_privilege('analyze_table(regclass)', 'execute')
         and c.relowner = (select proowner from pg_proc where oid = 'analyze_table(regclass)'::regprocedure)) as tables
     where is_stale or has_dead order by name`,
    [FEW_CHANGES, CHANGED_SHARE, GROWN_PAGES, FREEZE_AGE],
  );
  return rows;
}

/**
 * Analyses one table. Only one process at a time: `false` when another one does.
 *
 * @param detail `default_statistics_target` for it; null: the server's. 10 reads 3,000 rows instead of 30,000, which
 *   takes 0.1 s instead of 0.8 for 20,000 memories on embedded storage
 */
export function analyzeTable(database: DatabasePool, name: string, detail: number | null): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { isFree } = await tx.one<{ isFree: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('factmill.statistics'), hashtext($1::text)) as "isFree"`,
      [name],
    );
    if (!isFree) return false;
    if (detail !== null) await tx.query(`set local default_statistics_target = ${Math.trunc(detail)}`);
    await tx.query('select analyze_table($1::regclass)', [name]);
    return true;
  });
}

/** Vacuums a table and its indexes, for a Postgres without autovacuum. Only for their owner. */
export async function vacuumTable(sql: Sql, name: string): Promise<void> {
  await sql.query(`vacuum ${name}`);
}
