import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { migrate } from './migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import { loadFunctionFiles } from './function-files.ts';
import { SCHEMA_DIRECTORY } from './schema-files.ts';

// A restore runs with an empty search path, and creates things in the order of the dependencies that Postgres knows.
// Of a body that is a string it knows none. What is checked here is what a restore needs; test/restore runs one.

const { database: pool } = await openTestDatabase({ createPool, migrate }, { max: 1 });

/** What columns and indexes are computed with. */
const STORED_BY = new Set(['search_key', 'search_keys', 'search_spaced', 'search_words']);

const notOfExtension = `not exists (select from pg_depend d
  where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

async function functionsWhere(condition: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and ${notOfExtension} and ${condition} order by 1`,
  );
  return rows.map(({ name }) => name);
}

// When this fails: write `return …` or `begin atomic … end` in place of `as $$ … $$`.
test('every SQL function has a body that was parsed when it was created', async () => {
  await expect(functionsWhere(`l.lanname = 'sql' and p.prosqlbody is null`)).resolves.toEqual([]);
});

// When this fails: computed columns, defaults, checks and indexes may use SQL functions only, not PL/pgSQL, whose
// bodies are strings always.
test('whatever a restore calls is such a function, all the way down', async () => {
  const reached = `p.oid in (
    with recursive called as (
      select refobjid as oid from pg_depend
        where refclassid = 'pg_proc'::regclass
          and classid in ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_class'::regclass, 'pg_policy'::regclass)
      union
      select d.refobjid from called join pg_depend d
        on d.classid = 'pg_proc'::regclass and d.objid = called.oid and d.refclassid = 'pg_proc'::regclass)
    select oid from called)`;
  const names = (await functionsWhere(reached)).map((signature) => signature.replace(/\(.*/, ''));
  expect(names).toEqual([...STORED_BY]);
  await expect(functionsWhere(`${reached} and p.prosqlbody is null`)).resolves.toEqual([]);
});

// What is stored was computed by them: to change one is to compute columns and indexes again, in a migration.
test('what a restore calls is not in the files that are applied again', async () => {
  const { files } = await loadFunctionFiles(SCHEMA_DIRECTORY);
  expect(files.map(({ name }) => name).filter((name) => STORED_BY.has(name))).toEqual([]);
});

test('each file requires the functions that its body names', async () => {
  const { files } = await loadFunctionFiles(SCHEMA_DIRECTORY);
  const names = files.filter(({ kind }) => kind === 'function').map(({ name }) => name);
  const { rows } = await pool.query<{ name: string; requires: string[] }>(
    `select p.proname::text as name, array_agg(r.proname::text order by r.proname) as requires
     from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid
       and d.refclassid = 'pg_proc'::regclass
     join pg_proc r on r.oid = d.refobjid and r.proname::text = any($1::text[])
     where p.proname::text = any($1::text[]) group by p.proname order by p.proname`,
    [names],
  );
  const required = files.filter(({ requires }) => requires.length > 0);
  expect(rows).toEqual(
    required
      .map(({ name, requires }) => ({ name, requires: requires.toSorted() }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
});

test('rows are written and indexes built with an empty search path', async () => {
  await pool.transaction(async (tx) => {
    await tx.query(`select set_config('search_path', '', true)`);
    await tx.query(
      `insert into public.memories
         (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
       select gen_random_uuid(), id, 'maya', 'note', 'The user likes tea.', 'test', '\\x00', now(), now()
         from public.tenants`,
    );
    await tx.query('reindex table public.memories');
    await tx.query('analyze public.memories');
  });
});

test('functions that return whole rows go on after a column was added', async () => {
  await pool.query('alter table memories add column added_later integer');
  await pool.query('alter table extractions add column added_later integer');
  const tenant = '00000000-0000-7000-8000-000000000001';
  await expect(
    pool.query(`select id from memories_as_of('${tenant}', null, now(), now())`),
  ).resolves.toMatchObject({ rowCount: 0 });
  await expect(pool.query(`select id from next_extraction('${tenant}', 'chat')`)).resolves.toMatchObject({
    rowCount: 1,
  });
});
