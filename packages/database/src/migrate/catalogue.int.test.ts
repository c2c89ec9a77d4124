import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { createPool } from '../pool/create-pool.ts';
import { ERASED } from '../queries/users/erased-rows.ts';
import { migrate } from './migrate.ts';

// What holds for every table, also for those that a later migration adds. Moving a tenant, partitions by tenant and
// logical replication need the tenant in every key of its data.

// With one connection, because a test prepares statements on it.
const { database: pool } = await openTestDatabase({ createPool, migrate }, { max: 1 });

/** Where the column tenant_id is in a table; null where there is none. */
const tenantColumn = (table: string) =>
  `(select a.attnum from pg_attribute a where a.attrelid = ${table} and a.attname = 'tenant_id')`;

async function namesOf(text: string, values: readonly unknown[] = []): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name);
}

test('every unique index of tenant data has the tenant in it', async () => {
  await expect(
    namesOf(
      `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = 'public'::regnamespace and i.indisunique
         and not ${tenantColumn('c.oid')} = any(i.indkey::smallint[]) order by 1`,
    ),
    // A key is looked up before its tenant is known.
  ).resolves.toEqual(['api_keys_id_key']);
});

test('every foreign key between tenant data has the tenant in it', async () => {
  await expect(
    namesOf(
      `select k.conname::text as name from pg_constraint k
       where k.connamespace = 'public'::regnamespace and k.contype = 'f'
         and ${tenantColumn('k.conrelid')} is not null and ${tenantColumn('k.confrelid')} is not null
         and not (${tenantColumn('k.conrelid')} = any(k.conkey) and ${tenantColumn('k.confrelid')} = any(k.confkey))
       order by 1`,
    ),
  ).resolves.toEqual([]);
});

test('every table with data of a user is erased with the user', async () => {
  await expect(
    namesOf(
      `with recursive erased (id) as (
         select unnest($1::text[])::regclass
         union
         select k.conrelid from erased join pg_constraint k on k.confrelid = erased.id
         -- A row whose reference may be null stays behind.
         where k.contype = 'f' and k.confdeltype = 'c' and not exists (
           select from pg_attribute r where r.attrelid = k.conrelid and r.attnum = any(k.conkey) and not r.attnotnull)
       )
       select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname = 'user_id'
         and c.oid not in (select id from erased) order by 1`,
      [ERASED.map(([table]) => table)],
    ),
    // The receipt loses the name at its end. Nobody is erased who is held. A vault's list of its files says which one
    // to remove.
  ).resolves.toEqual(['erasures', 'legal_holds', 'vault_files']);
});

test('replication can tell the rows of every table apart', async () => {
  await expect(
    namesOf(
      `select c.relname::text as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relreplident <> 'f'
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) order by 1`,
    ),
  ).resolves.toEqual([]);
});

// Postgres plans these statements once and keeps the plan. On a young database without statistics any index that begins
// with the tenant looks as good as the key, and would read all that the tenant has for each row.
test('foreign keys are followed by the whole key in both directions, on a young database too', async () => {
  const { rows: keys } = await pool.query<Key>(
    `select k.conname::text as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
            (select array_agg(a.attname::text order by n) from unnest(k.conkey) with ordinality as c (num, n)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.num) as "childColumns",
            (select array_agg(a.attname::text order by n) from unnest(k.confkey) with ordinality as c (num, n)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.num) as "parentColumns"
     from pg_constraint k
     where k.connamespace = 'public'::regnamespace and k.contype = 'f' and cardinality(k.conkey) = 2 order by 1`,
  );
  expect(keys.length).toBeGreaterThan(10);
  await pool.query('set plan_cache_mode = force_generic_plan');
  for (const { name, child, parent, childColumns, parentColumns } of keys) {
    const check = `select 1 from only ${parent} x where ${equal(parentColumns)} for key share of x`;
    const cascade = `delete from only ${child} where ${equal(childColumns)}`;
    for (const text of [check, cascade]) {
      const plan = await explainGeneric(text);
      expect(`${name}: ${plan}`).not.toMatch(/Filter|Seq Scan/);
    }
  }
});

type Key = Readonly<{
  name: string;
  child: string;
  parent: string;
  childColumns: readonly string[];
  parentColumns: readonly string[];
}>;

const equal = (columns: readonly string[]) =>
  columns.map((column, index) => `${column} = $${index + 1}`).join(' and ');

async function explainGeneric(text: string): Promise<string> {
  await pool.query(`prepare followed as ${text}`);
  try {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>('explain execute followed (null, null)');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await pool.query('deallocate followed');
  }
}
