import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findExemption } from '../queries/operators/login.ts';
import { violatedConstraint } from './database-errors.ts';
import {
  dropOtherForeignKeys,
  insertInto,
  listForeignKeys,
  openRowSecurity,
  type RowSecurity,
  tried,
} from './row-security.fixture.ts';
import { FOREIGN, OPERATIONS, outcomeOf, OWN, REFUSED } from './row-operations.fixture.ts';
import type { DatabasePool, Sql } from './sql.ts';
import { asTenant } from './tenant-scope.ts';

let under: RowSecurity;
let owner: DatabasePool;
let service: DatabasePool;
/** With one connection. */
let one: DatabasePool;
let ADA: string;
let BOB: string;

beforeAll(async () => {
  under = await openRowSecurity();
  [ADA, BOB] = under.tenants;
  ({ owner } = under);
  service = under.open(under.login, 5, 'always');
  one = under.open(under.login, 1, 'always');
});
afterAll(async () => {
  await service.close();
  await one.close();
  await under.close();
});

type Context = Readonly<{
  run: (texts: readonly string[]) => Promise<number | string>;
  target: () => string;
  expected: typeof OWN;
}>;
const as = (tenantId: () => string) => (texts: readonly string[]) =>
  asTenant(tenantId(), () => tried(service, ...texts));
const nowhere = randomUUID();
const CONTEXTS: Readonly<Record<string, Context>> = {
  'a tenant, of its own row': { run: as(() => ADA), target: () => ADA, expected: OWN },
  'a tenant, of the row of another': { run: as(() => ADA), target: () => BOB, expected: FOREIGN },
  'a tenant that there is not': { run: as(() => nowhere), target: () => ADA, expected: FOREIGN },
  'no tenant': { run: (texts) => tried(service, ...texts), target: () => ADA, expected: FOREIGN },
  'no tenant, after a commit on the same connection': {
    async run(texts) {
      await asTenant(ADA, () => one.transaction((tx) => tx.query('select 1')));
      return tried(one, ...texts);
    },
    target: () => ADA,
    expected: FOREIGN,
  },
  'no tenant, after an error on the same connection': {
    async run(texts) {
      expect(await asTenant(ADA, () => tried(one, 'select 1 / 0'))).toBe('22012');
      return tried(one, ...texts);
    },
    target: () => ADA,
    expected: FOREIGN,
  },
};

describe.each(Object.keys(CONTEXTS))('%s', (name) => {
  test.each(Object.keys(OPERATIONS))('%s, in every table', async (operation) => {
    const context = CONTEXTS[name];
    const textsFor = OPERATIONS[operation];
    if (context === undefined || textsFor === undefined) throw new Error('there is no such case');
    const pids = await pidsOf(one);
    // Each unique key of that table is for a part of its rows.
    const tables = under.tables.filter(
      ({ name: of }) => operation !== 'upsert' || of !== 'embedding_refusals',
    );
    const outcomes: Record<string, unknown> = {};
    for (const table of tables) {
      const outcome = await context.run(textsFor(table, context.target(), under.keyOf));
      outcomes[table.name] = outcomeOf(outcome, context.expected[operation]);
    }
    expect(outcomes).toEqual(
      Object.fromEntries(tables.map((table) => [table.name, context.expected[operation]])),
    );
    expect(await pidsOf(one)).toEqual(pids);
  });
});

const pidsOf = async (pool: DatabasePool) =>
  (await pool.one<{ pid: number }>('select pg_backend_pid() as pid')).pid;

test('every table with a tenant has its policy, and what runs as the owner is known and for services only', async () => {
  expect(under.tables.length).toBeGreaterThan(20);
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_policy p on p.polrelid = c.oid
     where c.relrowsecurity and p.polname = 'of_tenant' and p.polcmd = '*' and p.polpermissive
       and not c.relispartition order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(under.tables.map(({ name }) => name));
  const others = await owner.query(
    `select polrelid from pg_policy where polname <> 'of_tenant'
     union all select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')`,
  );
  expect(others.rows).toEqual([]);
  const functions = await owner.query<{ name: string; callers: string }>(
    `select proname as name, string_agg(a.grantee::regrole::text, ' ' order by a.grantee::regrole::text) as callers
     from pg_proc cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) as a
     where pronamespace = 'public'::regnamespace and prosecdef and a.grantee <> proowner group by 1 order by 1`,
  );
  expect(functions.rows).toEqual(
    ['analyze_table', 'frequency_of_keys', 'memories_like', 'memories_with_keys', 'turn_parts_with_keys'].map(
      (name) => ({ name, callers: 'factmill_app factmill_system' }),
    ),
  );
});

test('a row is not handed to another tenant, a table is not emptied, and the owner may copy into one', async () => {
  for (const { name } of under.tables) {
    const handing = `update ${name} set tenant_id = '${BOB}'`;
    expect([name, await asTenant(ADA, () => tried(service, handing))]).toEqual([name, REFUSED]);
    const emptying = `truncate ${name} cascade`;
    expect([name, await asTenant(ADA, () => tried(service, emptying))]).toEqual([name, REFUSED]);
    // Not refused: the data is missing.
    expect([name, await tried(owner, `copy ${name} from stdin`)]).toEqual([name, '57014']);
  }
});

test('system work has the rows of all tenants', async () => {
  for (const { name } of under.tables) {
    const count = () => service.as('system').query(`select from ${name}`);
    expect([name, (await asTenant(ADA, count)).rowCount]).toEqual([name, 2]);
  }
});

// With the other keys of the child out of the way, so that only this one can refuse the row.
test('by no foreign key a row refers to one of another tenant, or learns whether it is there', async () => {
  const keys = await listForeignKeys(owner);
  expect(keys.length).toBeGreaterThan(10);
  for (const { name, child, parent, columns } of keys) {
    const [table, referred] = [child, parent].map((of) => under.tables.find((found) => found.name === of));
    if (table === undefined || referred === undefined) throw new Error(`${name} is of no known table`);
    const selected = columns.map(([, column]) => `${column}::text as "${column}"`).join(', ');
    const insert = async (of: (column: string) => string) =>
      insertInto(table, ADA, Object.fromEntries(columns.map(([mine, column]) => [mine, of(column)])));
    const valuesOf = async (tenantId: string) => {
      const row = await owner.one<Record<string, string>>(
        `select ${selected} from ${parent} where tenant_id = $1::uuid`,
        [tenantId],
      );
      return (column: string) => row[column] ?? '';
    };
    const refer = async (text: string) => {
      const undone = new Error('undone');
      const referring = owner.transaction(async (tx) => {
        await dropOtherForeignKeys(tx, child, name);
        await tx.query(`set local role factmill_app`);
        await tx.query(`select set_config('factmill.tenant_id', $1::text, true)`, [ADA]);
        await tx.query(text);
        throw undone;
      });
      return referring.catch((error: unknown) => (error === undone ? 'stored' : violatedConstraint(error)));
    };
    const values = await valuesOf(BOB);
    const missing = (column: string) => (/^\d+$/.test(values(column)) ? '77' : nowhere);
    const outcomes = {
      ofItsOwn: await refer(await insert(await valuesOf(ADA))),
      ofAnother: await refer(await insert(values)),
      ofNone: await refer(await insert(missing)),
    };
    expect([name, outcomes]).toEqual([name, { ofItsOwn: 'stored', ofAnother: name, ofNone: name }]);
  }
});

test('a tenant ends with its statement or transaction, and with an error in either', async () => {
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
  const failing = asTenant(ADA, () => one.transaction((tx) => tx.query('select 1 / $1::integer', [0])));
  await expect(failing).rejects.toMatchObject({ code: 'internal' });
  expect(await seen()).toEqual(nothing);
  await expect(asTenant(ADA, () => one.query('select 1 / $1::integer', [0]))).rejects.toMatchObject({
    code: 'internal',
  });
  expect((await seen())?.id).toBeNull();
  expect((await asTenant(BOB, seen))?.id).toBe(BOB);
});

test('a forged tenant is none', async () => {
  expect(() => asTenant("' or true --", () => undefined)).toThrow('is no UUID');
  const forge = (value: string) => `set local factmill.tenant_id = '${value}'; select from memories`;
  expect(await tried(service, forge('all'))).toBe('22P02');
  expect(await tried(service, `set local factmill.tenant_id = ''`, 'select from memories')).toBe(0);
});

test('functions that run as the owner tell a tenant nothing of another', async () => {
  const { key } = await owner.one<{ key: string }>(
    `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
     values (gen_random_uuid(), $1::uuid, 'ann', 'note', 'heron', 'test', 'x', now(), now())
     returning search_key($1::uuid, 'ann', 'heron')::text as key`,
    [ADA],
  );
  const found = async (tenantId: string | null) => {
    const ask = () =>
      service.one<{ found: number; like: number; count: number }>(
        `select (select count(*) from memories_with_keys($1::uuid, array[$2::bigint])) as found,
           (select count(*) from memories_like($1::uuid, 'ann', '{%heron%}')) as like,
           frequency_of_keys($1::uuid, array[$2::bigint], 5) as count`,
        [ADA, key],
      );
    return tenantId === null ? ask() : asTenant(tenantId, ask);
  };
  expect(await found(ADA)).toEqual({ found: 1, like: 1, count: 1 });
  for (const other of [BOB, null]) expect(await found(other)).toEqual({ found: 0, like: 0, count: 0 });
  expect(
    await service.as('system').query(`select memories_like($1::uuid, null, '{%heron%}')`, [ADA]),
  ).toMatchObject({ rowCount: 1 });
});

test('as needed, the roles are taken by a user whom the policies apply to, and by the owner not', async () => {
  const { name } = under.tables[0] ?? { name: '' };
  for (const [user, count] of [
    [under.login, 0],
    [null, 2],
  ] as const) {
    const pool = under.open(user, 1, 'as-needed');
    const { rowCount } = await pool.query(`select from ${name}`);
    expect([user, rowCount]).toEqual([user, count]);
    const own = await asTenant(ADA, () => pool.query(`select from ${name}`));
    expect(own.rowCount).toBe(count === 0 ? 1 : 2);
    await pool.close();
  }
});

test('a user who may not act as the roles is told what to do', async () => {
  await owner.query(`revoke factmill_system from ${under.login}`);
  const pool = under.open(under.login, 1, 'always');
  const refused = pool.query('select 1');
  await expect(refused).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(refused).rejects.toThrow(
    /may not act as factmill_app and factmill_system.*run the migrate command/,
  );
  await pool.close();
  await owner.query(`grant factmill_system to ${under.login}`);
});

test('whom no policy holds is found: superusers, BYPASSRLS, owners, and who may act as one of them', async () => {
  expect(await findExemption(owner)).toBe('superuser');
  const { login } = under;
  const exemptionOf = async (change: string) => {
    let exemption: string | null = 'none';
    const undone = new Error('undone');
    const finding = owner.transaction(async (tx: Sql) => {
      if (change !== '') await tx.query(change);
      await tx.query(`set local session authorization ${login}`);
      exemption = await findExemption(tx);
      throw undone;
    });
    await expect(finding).rejects.toBe(undone);
    return exemption;
  };
  expect(await exemptionOf('')).toBeNull();
  expect(await exemptionOf(`alter role ${login} bypassrls`)).toBe('bypassrls');
  expect(await exemptionOf(`alter table conversations owner to ${login}`)).toBe('owner');
  expect(
    await exemptionOf(
      `create role ${login}_o; alter table messages owner to ${login}_o; grant ${login}_o to ${login}`,
    ),
  ).toBe('owner');
});
