import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from './create-pool.ts';
import { sqlStateOf } from './database-errors.ts';
import type { DatabasePool, Sql } from './sql.ts';
import { asTenant } from './tenant-scope.ts';

const logger = { info: () => undefined, warn: () => undefined };
const [ADA, BOB] = [randomUUID(), randomUUID()];
const LOGIN = `factmill_test_${randomBytes(6).toString('hex')}`;

let own: TestDatabase;
let owner: DatabasePool;
/** Of a user who owns nothing and may act as the two roles: what a service has. */
let service: DatabasePool;
let tables: readonly Table[];

type Table = Readonly<{ name: string; columns: readonly Readonly<{ name: string; value: string }>[] }>;

function open(user: string | null, max: number, rowSecurity?: 'always' | 'as-needed'): DatabasePool {
  const url = new URL(own.connectionString);
  if (user !== null) {
    url.username = user;
    url.password = user;
  }
  return createPool({
    connectionString: url.href,
    max,
    applicationName: 'factmill-test',
    ...(rowSecurity === undefined ? {} : { rowSecurity }),
    logger,
  });
}

beforeAll(async () => {
  own = await createTestDatabase({ migrate: (url) => migrate(url, { logger }) });
  owner = open(null, 2);
  await owner.query(`create role ${LOGIN} login password '${LOGIN}'`);
  await owner.query(`grant factmill_app, factmill_system to ${LOGIN}`);
  service = open(LOGIN, 5, 'always');
  tables = await describeTables();
  await dropChecks();
  for (const tenantId of [ADA, BOB]) {
    await owner.query('insert into tenants (id, name) values ($1, $2)', [tenantId, tenantId]);
    for (const table of tables) {
      await owner.transaction(async (tx) => {
        // Rows stand alone: no table needs another one.
        await tx.query(`set local session_replication_role = replica`);
        await tx.query(insertInto(table, tenantId));
      });
    }
  }
});
afterAll(async () => {
  await service.close();
  await owner.query(`drop owned by ${LOGIN}`);
  await owner.query(`drop role ${LOGIN}`);
  await owner.close();
  await own.drop();
});

/** Every table with a tenant, with a value for each column that needs one. */
async function describeTables(): Promise<Table[]> {
  const { rows } = await owner.query<Table>(
    `select c.relname as name, coalesce(json_agg(json_build_object('name', a.attname, 'value', case t.typname
         when 'uuid' then 'gen_random_uuid()' when 'text' then 'gen_random_uuid()::text' when 'bytea' then '''x'''
         when 'jsonb' then '''{}''' when 'bool' then 'false' when 'halfvec' then '''[1,0,0]'''
         when 'timestamptz' then 'now()' when 'date' then 'current_date' when '_text' then '''{}''' else '1' end)) filter (where a.attname is not null), '[]') as columns
     from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.attname <> 'tenant_id' and a.attnotnull and not a.atthasdef and a.attidentity = ''
       left join pg_type t on t.oid = a.atttypid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'tenant_id')
     group by c.relname order by c.relname`,
  );
  return rows;
}

/** A row needs to be of a tenant here, and nothing else: no check, and no trigger that refuses changes. */
async function dropChecks(): Promise<void> {
  await owner.query(`do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'c'
    loop execute format('alter table %s drop constraint %I', c.name, c.conname); end loop; end $$`);
  for (const { name } of tables) await owner.query(`alter table ${name} disable trigger user`);
}

function insertInto({ name, columns }: Table, tenantId: string): string {
  return `insert into ${name} (tenant_id${columns.map((column) => `, ${column.name}`).join('')})
    values ('${tenantId}'${columns.map(({ value }) => `, ${value}`).join('')})`;
}

/** What becomes of statements in a transaction of a tenant, or of none, that is rolled back: rows, or the SQLSTATE. */
async function tried(tenantId: string | null, text: string): Promise<number | string> {
  const undone = new Error('undone');
  let count = -1;
  const run = () =>
    service.transaction(async (tx: Sql) => {
      count = (await tx.query(text)).rowCount;
      throw undone;
    });
  try {
    await (tenantId === null ? run() : asTenant(tenantId, run));
  } catch (error) {
    if (error !== undone) return sqlStateOf(error) ?? String(error);
  }
  return count;
}

/** The same of each table. */
async function ofEach(
  tenantId: string | null,
  text: (table: Table) => string,
): Promise<Record<string, number | string>> {
  const outcomes: Record<string, number | string> = {};
  for (const table of tables) outcomes[table.name] = await tried(tenantId, text(table));
  return outcomes;
}

const each = <T>(outcome: T) => Object.fromEntries(tables.map(({ name }) => [name, outcome]));
const REFUSED = '42501';

test('every table with a tenant has its policy, and nothing runs as its owner', async () => {
  expect(tables.length).toBeGreaterThan(20);
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_policy p on p.polrelid = c.oid
     where c.relrowsecurity and p.polname = 'of_tenant' and p.polcmd = '*' and p.polpermissive order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(tables.map(({ name }) => name));
  const others = await owner.query(
    `select polrelid from pg_policy where polname <> 'of_tenant'
     union all select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
     union all select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
  );
  expect(others.rows).toEqual([]);
});

describe('in every table', () => {
  test('a tenant has its own rows', async () => {
    expect(await ofEach(ADA, ({ name }) => `select from ${name}`)).toEqual(each(1));
    expect(await ofEach(ADA, ({ name }) => `update ${name} set tenant_id = tenant_id`)).toEqual(each(1));
    expect(await ofEach(ADA, ({ name }) => `delete from ${name}`)).toEqual(each(1));
    // Past its policy, a row may still lack what it refers to, or be there already.
    for (const outcome of Object.values(await ofEach(ADA, (table) => insertInto(table, ADA)))) {
      expect([1, '23503', '23505']).toContain(outcome);
    }
    expect(await ofEach(null, ({ name }) => `select from ${name}`)).toEqual(each(0));
  });

  test('a tenant has nothing of another one', async () => {
    const bobs = `tenant_id = '${BOB}'`;
    expect(await ofEach(ADA, ({ name }) => `select from ${name} where ${bobs}`)).toEqual(each(0));
    expect(await ofEach(ADA, ({ name }) => `update ${name} set tenant_id = '${ADA}' where ${bobs}`)).toEqual(
      each(0),
    );
    expect(await ofEach(ADA, ({ name }) => `delete from ${name} where ${bobs}`)).toEqual(each(0));
    expect(await ofEach(ADA, ({ name }) => `update ${name} set tenant_id = '${BOB}'`)).toEqual(each(REFUSED));
    expect(await ofEach(ADA, (table) => insertInto(table, BOB))).toEqual(each(REFUSED));
    expect(
      await ofEach(ADA, (table) => `${insertInto(table, BOB)} on conflict do nothing returning tenant_id`),
    ).toEqual(each(REFUSED));
    expect(await ofEach(ADA, ({ name }) => `copy ${name} from stdin`)).toEqual(each('0A000'));
    expect(await ofEach(ADA, ({ name }) => `truncate ${name} cascade`)).toEqual(each(REFUSED));
  });

  test('work of no tenant has nothing', async () => {
    expect(await ofEach(null, ({ name }) => `update ${name} set tenant_id = tenant_id`)).toEqual(each(0));
    expect(await ofEach(null, ({ name }) => `delete from ${name}`)).toEqual(each(0));
    expect(await ofEach(null, (table) => insertInto(table, ADA))).toEqual(each(REFUSED));
  });

  test('system work has the rows of all tenants', async () => {
    for (const { name } of tables) {
      const count = () => service.as('system').query(`select from ${name}`);
      expect([name, (await asTenant(ADA, count)).rowCount]).toEqual([name, 2]);
    }
  });
});

test('a row refers to nothing of another tenant, and does not learn whether it is there', async () => {
  const { id } = await owner.one<{ id: string }>('select id from conversations where tenant_id = $1', [BOB]);
  const message = (conversation: string) =>
    tried(
      ADA,
      `insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       values ('${ADA}', '${conversation}', 1, 'm', 'user', 'x', 1, now())`,
    );
  expect(await message(id)).toBe('23503');
  expect(await message('nowhere')).toBe('23503');
});

test('a tenant ends with its statement or transaction, and with an error in either', async () => {
  const one = open(LOGIN, 1, 'always');
  const seen = async () => {
    const { rows } = await one.query<{ id: string; pid: number }>(
      `select string_agg(tenant_id::text, ' ') as id, pg_backend_pid() as pid from conversations`,
    );
    return rows[0];
  };
  const pid = (await seen())?.pid;
  const nothing = { id: null, pid };
  expect(await asTenant(ADA, seen)).toEqual({ id: ADA, pid });
  expect(await seen()).toEqual(nothing);
  await asTenant(ADA, () => one.transaction((tx) => tx.query('select 1')));
  expect(await seen()).toEqual(nothing);
  const failing = asTenant(ADA, () => one.transaction((tx) => tx.query('select 1 / $1::integer', [0])));
  await expect(failing).rejects.toMatchObject({ code: 'internal' });
  expect(await seen()).toEqual(nothing);
  await expect(asTenant(ADA, () => one.query('select 1 / $1::integer', [0]))).rejects.toMatchObject({
    code: 'internal',
  });
  expect((await seen())?.id).toBeNull();
  expect((await asTenant(BOB, seen))?.id).toBe(BOB);
  await one.close();
});

test('a forged tenant is none', async () => {
  expect(() => asTenant("' or true --", () => undefined)).toThrow('is no UUID');
  expect(await tried(null, `set local factmill.tenant_id = 'all'; select from memories`)).toBe('22P02');
});

test('of fifty tenants on five connections, none is mistaken for another', async () => {
  const tenants = Array.from({ length: 50 }, () => randomUUID());
  await owner.query('insert into tenants (id, name) select id, id::text from unnest($1::uuid[]) as id', [
    tenants,
  ]);
  await owner.query(
    `insert into conversations (tenant_id, id, user_id) select id, id::text, 'user' from unnest($1::uuid[]) as id`,
    [tenants],
  );
  const read = (sql: Sql) => sql.query<{ id: string }>('select id from conversations', [], { name: 'read' });
  const foreign: string[] = [];
  const visit = async (place: number) => {
    const tenantId = tenants[(place * 7) % tenants.length] ?? '';
    const work = async () => {
      if (place % 5 === 0) {
        const failing = service.transaction((tx) => tx.query('select 1 / $1::integer', [0]));
        await failing.catch(() => undefined);
      }
      const { rows } = await (place % 3 === 0 ? service.transaction(read) : read(service));
      if (rows.length !== 1 || rows[0]?.id !== tenantId) foreign.push(`${tenantId}: ${JSON.stringify(rows)}`);
    };
    await asTenant(tenantId, work);
  };
  // Twenty at a time for five connections.
  const walk = async (first: number) => {
    for (let place = first; place < 500; place += 20) await visit(place);
  };
  await Promise.all(Array.from({ length: 20 }, (_, first) => walk(first)));
  expect(foreign).toEqual([]);
});

test('as needed, the roles are taken by a user whom the policies apply to, and by the owner not', async () => {
  for (const [user, count] of [
    [LOGIN, 0],
    [null, 2],
  ] as const) {
    const pool = open(user, 1, 'as-needed');
    const { rowCount } = await pool.query('select from memories');
    expect([user, rowCount]).toEqual([user, count]);
    expect((await asTenant(ADA, () => pool.query('select from memories'))).rowCount).toBe(
      count === 0 ? 1 : 2,
    );
    await pool.close();
  }
});

test('a user who may not act as the roles is told what to do', async () => {
  await owner.query(`revoke factmill_system from ${LOGIN}`);
  const pool = open(LOGIN, 1, 'always');
  const refused = pool.query('select 1');
  await expect(refused).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(refused).rejects.toThrow(
    /may not act as factmill_app and factmill_system.*grant both to that user/,
  );
  await pool.close();
  await owner.query(`grant factmill_system to ${LOGIN}`);
});
