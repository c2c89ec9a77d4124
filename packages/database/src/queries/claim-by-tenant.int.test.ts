import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import type { TenantRow } from './claim-by-tenant.ts';
import { takeUnattendedRuns } from './compression/compression-runs.ts';
import { addDueTenant, CLAIMS } from './due-rows.fixture.ts';
import { beginDueRetentionRuns } from './retention/retention-runs.ts';

const { database } = await openTestDatabase({ createPool, migrate }, { max: 8 });

const TENANTS = 5;
const ROWS = 20;
const LIMIT = 7;

async function addTenants(rows: number): Promise<string[]> {
  const tenants = Array.from({ length: TENANTS }, () => randomUUID());
  for (const tenantId of tenants) await addDueTenant(database, tenantId, rows);
  return tenants;
}

const atOnce = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 6 }, work));

describe('workers at once, over several tenants', () => {
  beforeAll(() => addTenants(ROWS));

  test.each(Object.entries(CLAIMS))('%s: each is claimed once, and all are', async (_kind, claim) => {
    const claimed: TenantRow[] = [];
    await atOnce(async () => {
      for (;;) {
        const rows = await claim(database, LIMIT);
        if (rows.length === 0) return;
        expect(rows.length).toBeLessThanOrEqual(LIMIT);
        claimed.push(...rows);
      }
    });
    expect(claimed).toHaveLength(TENANTS * ROWS);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(TENANTS * ROWS);
    expect(new Set(claimed.map(({ tenantId }) => tenantId)).size).toBe(TENANTS);
  });

  test('retention: one run for each tenant', async () => {
    await atOnce(() => beginDueRetentionRuns(database, 2));
    await beginDueRetentionRuns(database, TENANTS);
    const { rows } = await database.query('select tenant_id from retention_runs');
    expect(rows).toHaveLength(TENANTS);
    const { waiting } = await database.one<{ waiting: number }>(
      'select count(*)::integer as waiting from retention_policies where due_at <= now()',
    );
    expect(waiting).toBe(0);
  });

  test('no conversation was scheduled twice', async () => {
    const { rows } = await database.query(
      'select from extractions group by tenant_id, conversation_id having count(*) > 1',
    );
    expect(rows).toEqual([]);
  });
});

describe('the order', () => {
  const take = async (limit: number) =>
    (await takeUnattendedRuns(database, { graceMs: 60_000, limit })).map(({ id }) => id);

  /** All compressions wait again, those of the tenants in turn. Resolves to their ids, the oldest first. */
  async function waitInTurn(): Promise<string[]> {
    await database.query(
      `update compression_runs r set queue_checked_at = null, created_at = now() - n.place * interval '1 hour'
       from (select tenant_id, id, row_number() over (order by md5(id::text)) as place from compression_runs) as n
       where r.tenant_id = n.tenant_id and r.id = n.id`,
    );
    const { rows } = await database.query<{ id: string }>(
      'select id from compression_runs order by created_at',
    );
    return rows.map(({ id }) => id);
  }

  test('the oldest of all tenants come first, in their order', async () => {
    const ids = await waitInTurn();
    expect(await take(9)).toEqual(ids.slice(0, 9));
    expect(await take(9)).toEqual(ids.slice(9, 18));
  });

  test('what another transaction holds is passed over, however much it is', async () => {
    const ids = await waitInTurn();
    await database.transaction(async (tx) => {
      await tx.query('select from compression_runs where id = any($1::uuid[]) for update', [
        ids.slice(0, 60),
      ]);
      expect(await take(3)).toEqual(ids.slice(60, 63));
    });
    expect(await take(3)).toEqual(ids.slice(0, 3));
  });

  test('conversations: the longest due of all tenants first, past those that another transaction holds', async () => {
    const tenants = await addTenants(4);
    const { rows } = await database.query<{ id: string }>(
      `update conversations set extraction_due_at = now() - (abs(hashtext(id)) % 100000 + 1) * interval '1 second'
       where tenant_id = any($1::uuid[]) and scheduled_seq < last_seq returning id, extraction_due_at`,
      [tenants],
    );
    expect(rows).toHaveLength(4 * TENANTS);
    const due = async () => {
      const { rows: waiting } = await database.query<{ id: string }>(
        'select id from conversations where extraction_due_at <= now() order by extraction_due_at',
      );
      return waiting.map(({ id }) => id);
    };
    const before = await due();
    await database.transaction(async (tx) => {
      await tx.query('select from conversations where id = any($1::text[]) for update', [before.slice(0, 6)]);
      expect(await CLAIMS['conversations']?.(database, 5)).toHaveLength(5);
    });
    expect(await due()).toEqual([...before.slice(0, 6), ...before.slice(11)]);
    expect(await CLAIMS['conversations']?.(database, 4 * TENANTS)).toHaveLength(15);
  });
});
