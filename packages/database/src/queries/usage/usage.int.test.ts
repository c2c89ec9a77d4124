import type { UsagePurpose } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, expect, test } from '@jest/globals';
import { createPool } from '../../pool/create-pool.ts';
import type { Sql } from '../../pool/sql.ts';
import { migrate } from '../../migrate/migrate.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';
import { listBudgets, replaceBudgets } from './budgets.ts';
import { recordUsage } from './usage.ts';

const { database } = await openTestDatabase(
  { createPool, migrate },
  { max: 3, truncate: ['usage', 'spending'] },
);
const BUDGET = { period: 'month', unit: 'tokens', amount: 1_000 } as const;

beforeEach(() => database.query('delete from budgets'));

const spend = (sql: Sql, tokens: number, purpose: UsagePurpose = 'extraction') =>
  recordUsage(sql, DEFAULT_TENANT_ID, [
    { userId: 'maya', model: 'm', purpose, calls: 1, inputTokens: tokens, outputTokens: 0, cost: null },
  ]);

const setBudget = () =>
  database.transaction(async (tx) => {
    await replaceBudgets(tx, DEFAULT_TENANT_ID, [BUDGET]);
  });
const spent = async () => (await listBudgets(database, DEFAULT_TENANT_ID)).map((budget) => budget.spent);

test('without a budget, calls of one tenant do not wait for each other', async () => {
  await spend(database, 1);
  await database.transaction(async (first) => {
    await spend(first, 10);
    await database.transaction(async (second) => {
      // Ends what would wait for ever.
      await second.query("set local lock_timeout = '2s'");
      await spend(second, 100, 'summary');
    });
  });
  await setBudget();
  expect(await spent()).toEqual([111]);
});

test('a budget counts what was spent before it, chats aside, and then every call', async () => {
  await spend(database, 300);
  await spend(database, 5_000, 'chat');
  await setBudget();
  expect(await spent()).toEqual([300]);
  expect(await spend(database, 550)).toMatchObject([{ level: 80, spent: 850 }]);
  expect(await spent()).toEqual([850]);
  // One that is changed counts on.
  await setBudget();
  expect(await spent()).toEqual([850]);
});

test('a budget that comes while calls are counted has every one of them', async () => {
  let isSet = false;
  let setting: Promise<unknown> = Promise.resolve();
  await database.transaction(async (tx) => {
    await spend(tx, 10);
    setting = setBudget().then(() => (isSet = true));
    await waitFor(
      async () => {
        const { waiting } = await database.one<{ waiting: number }>(
          `select count(*)::integer as waiting from pg_locks
           where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return waiting === 1;
      },
      { describe: 'the budget to wait' },
    );
    expect(isSet).toBe(false);
  });
  await setting;
  await spend(database, 5);
  expect(await spent()).toEqual([15]);
});
