import { createPool, DEFAULT_TENANT_ID, listTablesToMaintain, migrate } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createTableMaintenance, type TableMaintenance } from './table-maintenance.ts';

const logger = { info: () => undefined, warn: () => undefined, debug: () => undefined } as never;

const { database, beforeClose } = await openTestDatabase({ createPool, migrate }, { max: 2 });
const opened: TableMaintenance[] = [];

beforeAll(async () => {
  await database.query('alter table memories set (autovacuum_enabled = false)');
});

beforeClose(async () => {
  await Promise.all(opened.map((maintenance) => maintenance.close()));
});

function open(isEmbedded: boolean): TableMaintenance {
  const maintenance = createTableMaintenance({ database, isEmbedded, logger, signal: null });
  opened.push(maintenance);
  return maintenance;
}

async function addMemories(userId: string, count: number): Promise<void> {
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, source, content, content_hash, stated_at, valid_from)
     select gen_random_uuid(), $1::uuid, $2::text, 'note', 'test', 'statement ' || n, sha256(n::text::bytea), now(), now()
     from generate_series(1, $3::integer) as n`,
    [DEFAULT_TENANT_ID, userId, count],
  );
}

async function rowsKnownToPlanner(): Promise<number> {
  const { rows } = await database.one<{ rows: number }>(
    `select reltuples::integer as rows from pg_class where oid = 'memories'::regclass`,
  );
  return rows;
}

const isDue = async () =>
  (await listTablesToMaintain(database)).some(({ name, analyze }) => name === 'memories' && analyze);

describe('maintenance of tables', () => {
  test('statistics are taken at the start, after growth, and then left alone', async () => {
    await addMemories('ann', 500);
    expect(await rowsKnownToPlanner()).toBeLessThan(1);
    const maintenance = open(false);
    await waitFor(async () => (await rowsKnownToPlanner()) === 500, { describe: 'the first statistics' });
    expect(await isDue()).toBe(false);

    await addMemories('bob', 5_000);
    await waitFor(isDue, { describe: 'the counters of the server' });
    await maintenance.look();
    expect(await rowsKnownToPlanner()).toBe(5_500);
    // The server's counters are late: what it was told before the statistics may come after them.
    await waitFor(async () => (await maintenance.look()) === 0, { describe: 'nothing to be due' });
    await maintenance.close();
  });

  test('changed rows count as growth, also when the table stays as large', async () => {
    const changes = () => database.query(`update memories set tier = 3 where user_id = 'bob'`);
    await changes();
    await waitFor(isDue, { describe: 'the counters of the server' });
  });

  test('embedded storage also removes dead rows', async () => {
    const maintenance = open(true);
    await database.query(`delete from memories where user_id = 'bob'`);
    const dead = async () =>
      (
        await database.one<{ dead: number }>(
          `select n_dead_tup as dead from pg_stat_user_tables where relname = 'memories'`,
        )
      ).dead;
    await waitFor(
      async () => {
        await maintenance.look();
        return (await dead()) === 0 && (await rowsKnownToPlanner()) === 500;
      },
      { describe: 'the dead rows to go' },
    );
    await maintenance.close();
  });

  test('tables of another role are left to their owner', async () => {
    const role = `factmill_test_${process.pid}`;
    await database.query(`create role ${role}`);
    await addMemories('cem', 5_000);
    await waitFor(isDue, { describe: 'the counters of the server' });
    const seen = await database.transaction(async (tx) => {
      await tx.query(`set local role ${role}`);
      return listTablesToMaintain(tx);
    });
    await database.query(`drop role ${role}`);
    expect(seen).toEqual([]);
  });
});
