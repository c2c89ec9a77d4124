import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  acceptConversations,
  claimDueSummary,
  claimDueWebhook,
  createPool,
  type DatabasePool,
  listUnindexedTurns,
  migrate,
  registerEmbeddingModel,
  saveTurnParts,
  scheduleDueConversations,
  takePendingTurnParts,
  takeUnattended,
} from '@factmill/database';
import { acceptRequest, createEmptyDatabase, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { collectPlans, type Explained, explainEverything, partitionsIn } from './explained.fixture.ts';

// Background work reads over the tenants what is due, and then locks and writes rows of one tenant in a statement.

const logger = { info: () => undefined, warn: () => undefined };
const own = await createEmptyDatabase();
const { connectionString } = own;
await migrate(connectionString, { logger, partitions: 4 });
const pools: DatabasePool[] = [];
const open = (max: number): DatabasePool => {
  const pool = createPool({ connectionString, max, applicationName: 'factmill-test', logger });
  pools.push(pool);
  return pool;
};
const owner = open(1);
const tenants = Array.from({ length: 6 }, () => randomUUID());

const trigger = {
  scope: 'incremental' as const,
  reads_replies: false,
  min_turns: 0,
  max_turns: 0,
  quiet_gap_s: 3_600,
  idle_timeout_s: 0,
  token_cap: 0,
  daily_flush: false,
};
const schedule = {
  preset: 'standard',
  presets: { standard: trigger },
  daily_flush_at: '03:00',
  time_zone: 'UTC',
  stale_after_s: 1_800,
};

/** One of each that is due, for each tenant. */
beforeAll(async () => {
  await registerEmbeddingModel(owner, 'tiny', 3);
  for (const tenantId of tenants) {
    await owner.query('insert into tenants (id, name) values ($1::uuid, $1::text)', [tenantId]);
    for (const extract of ['auto', 'now'] as const) {
      await acceptConversations(owner, [{ ...acceptRequest(tenantId), extract }], NO_QUEUE_LIMITS, schedule);
    }
    await owner.query(
      `insert into summaries (tenant_id, user_id, refreshed_by, refresh_at)
       values ($1::uuid, 'maya', 'composed', now() - interval '1 minute')`,
      [tenantId],
    );
    const webhook = randomUUID();
    await owner.query(
      `insert into webhooks (id, tenant_id, url, secret, watermark, number, next_attempt_at)
       values ($2::uuid, $1::uuid, 'https://example.com', 'x', 0, 0, now() - interval '1 minute')`,
      [tenantId, webhook],
    );
    await owner.query(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, type)
       values (gen_random_uuid(), $1::uuid, $2::uuid, 'webhook.test')`,
      [tenantId, webhook],
    );
  }
  await owner.query(`update extractions set accepted_at = accepted_at - interval '1 hour'`);
  await owner.query(`update conversations set extraction_due_at = now() - interval '1 minute'
    where extraction_due_at is not null`);
});

afterAll(async () => {
  for (const pool of pools) await pool.close();
  await own.drop();
});

/** What four workers at once are given, over and over until nothing is left. */
async function takeAll<Row>(take: () => Promise<readonly Row[]>): Promise<Row[]> {
  const taken: Row[] = [];
  for (;;) {
    const rows = (await Promise.all([take(), take(), take(), take()])).flat();
    if (rows.length === 0) return taken;
    taken.push(...rows);
  }
}

const one = <Row>(row: Row | undefined): Row[] => (row === undefined ? [] : [row]);
const locks = (plan: Explained): boolean =>
  /"Node Type":"(?:LockRows|ModifyTable)"/.test(JSON.stringify(plan));

test('rows are locked and written tenant by tenant, and each goes to one worker', async () => {
  await explainEverything(owner, 'auto');
  const sql = open(4);
  const plans = collectPlans(sql);

  const turns = await listUnindexedTurns(sql, 100);
  const part = { userId: 'maya', position: 0, content: 'Something was said.' };
  await saveTurnParts(
    sql,
    turns,
    turns.map(({ tenantId, conversationId, seq, userId }) => ({
      ...part,
      id: randomUUID(),
      tenantId,
      userId,
      conversationId,
      seq,
    })),
    { wantsVectors: true },
  );
  const given = {
    parts: await takeAll(() => takePendingTurnParts(sql, 2)),
    summaries: await takeAll(async () =>
      one(await claimDueSummary(sql, { leaseMs: 60_000, byModel: false, maxAttempts: 3 })),
    ),
    webhooks: await takeAll(async () => one(await claimDueWebhook(sql, 60_000))),
    extractions: await takeAll(() => takeUnattended(sql, { graceMs: 60_000, limit: 2 })),
    scheduled: await takeAll(
      async () =>
        (await scheduleDueConversations(sql, { most: 2, limits: NO_QUEUE_LIMITS, schedule })).scheduled,
    ),
  };
  for (const rows of Object.values(given)) {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(new Set(rows.map(({ tenantId }) => tenantId))).toEqual(new Set(tenants));
  }

  const locking = plans.filter(locks);
  expect(locking.length).toBeGreaterThan(20);
  const several = locking.filter((plan) => partitionsIn(plan).size > 1);
  expect(several.map((plan) => plan['Query Text'])).toEqual([]);
});
