import { AppError } from '@factmill/errors';
import type { Sql } from '../pool/sql.ts';

/** More would make every statement that has to look at all of them slow. */
const MAX_PARTITIONS = 256;
const HELP = 'docs/operations/scaling.md, Partitions';

/**
 * How many partitions the tables of tenants get in a migration; 0: they are not partitioned. The first migration of a
 * database decides it for good.
 *
 * @param asked what the caller wants; undefined: what is there
 * @throws AppError `config_invalid` for a number that cannot be, or for tables that are there already and differ
 */
export async function choosePartitions(
  sql: Sql,
  { isNew, asked }: Readonly<{ isNew: boolean; asked: number | undefined }>,
): Promise<number> {
  if (asked !== undefined && (!Number.isInteger(asked) || asked < 2 || asked > MAX_PARTITIONS)) {
    throw new AppError('config_invalid', `The number of partitions has to be from 2 to ${MAX_PARTITIONS}.`);
  }
  if (isNew) return asked ?? 0;
  const count = await countPartitions(sql);
  if (asked === undefined || asked === count) return count;
  throw new AppError(
    'config_invalid',
    `The tables of this database are there already, ${count === 0 ? 'without partitions' : `with ${count} partitions each`}, ` +
      `and migrate does not change that. Leave out --partitions, or migrate a new, empty database with it and ` +
      `copy the rows (${HELP}).`,
  );
}

/** How many partitions each table of tenants has; 0: they are not partitioned. */
async function countPartitions(sql: Sql): Promise<number> {
  const { count } = await sql.one<{ count: number }>(
    `select count(*)::integer as count from pg_inherits where inhparent = to_regclass('memories')`,
  );
  return count;
}

/** The partitions that a database lacks, of those that its others call for. */
export async function listMissingPartitions(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `with parts as (
       select i.inhparent, substring(pg_get_expr(c.relpartbound, c.oid) from 'modulus (\\d+)')::integer as modulus,
         substring(pg_get_expr(c.relpartbound, c.oid) from 'remainder (\\d+)')::integer as remainder
       from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relispartition
       where c.relnamespace = current_schema()::regnamespace
     )
     select format('%s_p%s', t.relname, place) as name
     from pg_class t cross join generate_series(0, (select max(modulus) from parts) - 1) as place
     where t.relkind = 'p' and t.relnamespace = current_schema()::regnamespace
       and not exists (select from parts p where p.inhparent = t.oid and p.remainder = place)
     order by t.relname, place`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Names the indexes of partitions after those of their tables, with the end of the partition's name: errors and plans
 * say which one they mean. Postgres would make names of their columns.
 */
export async function nameIndexesOfPartitions(sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ text: string }>(
    `select format('alter index %I rename to %I', own.relname, whole.relname || substring(c.relname from '_p\\d+$')) as text
     from pg_class whole join pg_inherits h on h.inhparent = whole.oid join pg_class own on own.oid = h.inhrelid
     join pg_index i on i.indexrelid = own.oid join pg_class c on c.oid = i.indrelid and c.relispartition
     where whole.relkind = 'I' and whole.relnamespace = current_schema()::regnamespace
       and own.relname <> whole.relname || substring(c.relname from '_p\\d+$')`,
  );
  for (const { text } of rows) await sql.query(text);
}
