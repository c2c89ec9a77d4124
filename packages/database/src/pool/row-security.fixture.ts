import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase } from '@factmill/testkit';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from './create-pool.ts';
import { sqlStateOf } from './database-errors.ts';
import type { DatabasePool, Sql } from './sql.ts';

type Column = Readonly<{ name: string; value: string }>;

/** A table with a tenant: an expression for each column that needs a value, and a unique key but for the tenant. */
export type Table = Readonly<{ name: string; columns: readonly Column[]; key: readonly string[] }>;

export type ForeignKey = Readonly<{
  name: string;
  child: string;
  parent: string;
  /** Columns of the child and of the parent, but for the tenant. */
  columns: readonly (readonly [string, string])[];
}>;

export type RowSecurity = Readonly<{
  /** Two tenants with one row each in every table. */
  tenants: readonly [string, string];
  tables: readonly Table[];
  owner: DatabasePool;
  /** A user that owns nothing and may act as the two roles: what a service has. */
  login: string;
  open: (user: string | null, max: number, rowSecurity?: 'always' | 'as-needed') => DatabasePool;
  /** The key of the row of a tenant, but for the tenant. */
  keyOf: (table: Table, tenantId: string) => Readonly<Record<string, string>>;
  close: () => Promise<void>;
}>;

const logger = { info: () => undefined, warn: () => undefined };

/** A database in which rows of tenants stand alone, and no check or trigger asks more of them. */
export async function openRowSecurity(): Promise<RowSecurity> {
  const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  const open: RowSecurity['open'] = (user, max, rowSecurity) => {
    const url = new URL(own.connectionString);
    if (user !== null) [url.username, url.password] = [user, user];
    return createPool({
      connectionString: url.href,
      max,
      applicationName: 'factmill-test',
      ...(rowSecurity === undefined ? {} : { rowSecurity }),
      logger,
    });
  };
  const owner = open(null, 2);
  const login = `factmill_test_${randomBytes(6).toString('hex')}`;
  await owner.query(`create role ${login} login password '${login}'`);
  await owner.query(`grant factmill_app, factmill_system to ${login}`);
  const tables = await describeTables(owner);
  await dropChecks(owner, tables);
  const tenants = [randomUUID(), randomUUID()] as const;
  const keys = new Map<string, Readonly<Record<string, string>>>();
  for (const tenantId of tenants) {
    await owner.query('insert into tenants (id, name) values ($1::uuid, $1::text)', [tenantId]);
    await owner.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      for (const table of tables) {
        await tx.query(insertInto(table, tenantId));
        const columns = table.key.map((name) => `${name}::text as "${name}"`).join(', ');
        keys.set(
          `${table.name} ${tenantId}`,
          await tx.one(`select ${columns} from ${table.name} where tenant_id = $1::uuid`, [tenantId]),
        );
      }
    });
  }
  return {
    tenants,
    tables,
    owner,
    login,
    open,
    keyOf: ({ name }, tenantId) => keys.get(`${name} ${tenantId}`) ?? {},
    async close() {
      await owner.query(`drop owned by ${login}`);
      await owner.query(`drop role ${login}`);
      await owner.close();
      await own.drop();
    },
  };
}

/** A row for a tenant, new but for the values given. */
export function insertInto(
  { name, columns }: Table,
  tenantId: string,
  given: Readonly<Record<string, string>> = {},
): string {
  const values = new Map(columns.map((column) => [column.name, column.value]));
  for (const [column, value] of Object.entries(given)) values.set(column, `'${value}'`);
  return `insert into ${name} (${['tenant_id', ...values.keys()].join(', ')})
    overriding system value values (${[`'${tenantId}'`, ...values.values()].join(', ')})`;
}

async function describeTables(owner: Sql): Promise<Table[]> {
  const { rows } = await owner.query<Table>(
    `select c.relname::text as name,
       coalesce(json_agg(json_build_object('name', a.attname, 'value', case t.typname
         when 'uuid' then 'gen_random_uuid()' when 'text' then 'gen_random_uuid()::text' when 'bytea' then '''x'''
         when 'jsonb' then '''{}''' when 'bool' then 'false' when 'halfvec' then '''[1,0,0]'''
         when 'timestamptz' then 'now()' when 'date' then 'current_date' when '_text' then '''{}''' else '1' end))
         filter (where a.attname is not null), '[]') as columns,
       array(select k.attname::text from pg_attribute k
         where k.attrelid = c.oid and k.attname <> 'tenant_id' and k.attnum = any((
           select i.indkey::smallint[] from pg_index i
           where i.indrelid = c.oid and i.indisunique and i.indpred is null and i.indexprs is null
             and a_tenant.attnum = any(i.indkey)
           order by i.indisprimary desc, i.indexrelid limit 1)::smallint[])
         order by k.attnum) as key
     from pg_class c join pg_attribute a_tenant on a_tenant.attrelid = c.oid and a_tenant.attname = 'tenant_id'
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.attname <> 'tenant_id' and a.attnotnull and not a.atthasdef and a.attidentity = ''
       left join pg_type t on t.oid = a.atttypid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not a_tenant.attisdropped
     group by c.oid, c.relname, a_tenant.attnum order by c.relname`,
  );
  return rows;
}

async function dropChecks(owner: Sql, tables: readonly Table[]): Promise<void> {
  await owner.query(`do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'c' and coninhcount = 0
    loop execute format('alter table %s drop constraint %I', c.name, c.conname); end loop; end $$`);
  for (const { name } of tables) await owner.query(`alter table ${name} disable trigger user`);
}

/** Every foreign key between tables with a tenant. */
export async function listForeignKeys(owner: Sql): Promise<ForeignKey[]> {
  const { rows } = await owner.query<ForeignKey>(
    `select k.conname::text as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
       (select json_agg(json_build_array(coalesce(source.attname, a.attname), b.attname))
        from unnest(k.conkey, k.confkey) as pair (mine, theirs)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = mine
          join pg_attribute b on b.attrelid = k.confrelid and b.attnum = theirs
          -- A computed column has what the column says that it is computed from.
          left join pg_attrdef e on e.adrelid = a.attrelid and e.adnum = a.attnum and a.attgenerated = 's'
          left join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = e.oid
            and d.refobjid = a.attrelid and d.refobjsubid <> a.attnum
          left join pg_attribute source on source.attrelid = a.attrelid and source.attnum = d.refobjsubid
        where a.attname <> 'tenant_id') as columns
     from pg_constraint k
     where k.connamespace = 'public'::regnamespace and k.contype = 'f' and k.conparentid = 0
       and cardinality(k.conkey) > 1
     order by k.conrelid::regclass::text, k.conname`,
  );
  return rows;
}

/** For the rest of a transaction, so that only one foreign key of a table can refuse a row. */
export async function dropOtherForeignKeys(tx: Sql, table: string, name: string): Promise<void> {
  await tx.query(`do $$ declare c record; begin
    for c in select conname from pg_constraint
      where conrelid = '${table}'::regclass and contype = 'f' and conparentid = 0 and conname <> '${name}'
    loop execute format('alter table ${table} drop constraint %I', c.conname); end loop; end $$`);
}

/** What becomes of statements in a transaction that is rolled back: the rows of the last one, or the SQLSTATE. */
export async function tried(
  database: Pick<DatabasePool, 'transaction'>,
  ...texts: readonly string[]
): Promise<number | string> {
  const undone = new Error('undone');
  let count = -1;
  try {
    await database.transaction(async (tx) => {
      for (const text of texts) count = (await tx.query(text)).rowCount;
      throw undone;
    });
  } catch (error) {
    if (error !== undone) return sqlStateOf(error) ?? String(error);
  }
  return count;
}
