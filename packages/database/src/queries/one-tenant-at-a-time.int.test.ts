import {
  collectPlans,
  type Explained,
  explainEverything,
  partitionsIn,
  writesOrLocks,
} from '@factmill/testkit';
import { openPartitionedDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import type { Sql } from '../pool/sql.ts';
import { recordAccesses } from './access-counts.ts';
import { scheduleDueConversations } from './accept/schedule.ts';
import type { TenantRow } from './claim-by-tenant.ts';
import { extractionClaims } from './claims.ts';
import { insertCompressionRuns, purgeCompressionTexts } from './compression/compression-runs.ts';
import {
  giveUpChunks,
  releaseChunks,
  saveChunkEmbeddings,
  takePendingChunks,
} from './documents/document-chunks.ts';
import { addDueTenant, CLAIMS, schedule } from './due-rows.fixture.ts';
import { purgeEvents } from './events/events.ts';
import { findDropped } from './extractions/sweep.ts';
import { purge } from './operators/purge.ts';
import { beginDueRetentionRuns } from './retention/retention-runs.ts';
import { listUnindexedTurns, saveTurnParts } from './turns/turn-parts.ts';
import {
  giveUpTurnParts,
  markMissingTurnParts,
  releaseTurnParts,
  saveTurnPartEmbeddings,
  takePendingTurnParts,
} from './turns/turn-vectors.ts';
import { registerEmbeddingModel } from './vectors/embedding-models.ts';
import { giveUpEmbeddings, listPendingEmbeddings, saveEmbeddings } from './vectors/embeddings.ts';
import {
  FIRST_ID,
  listMissingVectors,
  markMissingVectors,
  saveBuiltVectors,
} from './vectors/missing-vectors.ts';

// Background work reads over the tenants without locks, and then locks and writes tenant by tenant. The plan of each
// statement shows the partitions that it has looked into, and a trigger counts the tenants of the rows that it has written,
// as an insert has none of its partitions in its plan.

const { open } = await openPartitionedDatabase({ createPool, migrate });
const owner = open();
await registerEmbeddingModel(owner, 'tiny', 3);
await refuseSeveralTenants(owner);
/** Has each statement fail that inserts, updates or deletes rows of several tenants. */
async function refuseSeveralTenants(sql: Sql): Promise<void> {
  await sql.query(
    `create function refuse_several_tenants() returns trigger language plpgsql as $$ begin
       if (select count(distinct tenant_id) from changed) > 1 then
         raise exception '% of several tenants in %', tg_op, tg_table_name;
       end if;
       return null;
     end $$`,
  );
  const { rows } = await sql.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'p' and relnamespace = 'public'::regnamespace`,
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const { name } of rows) {
    for (const [event, changed] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      await sql.query(
        `create trigger one_tenant_${event} after ${event} on ${name} referencing ${changed} table as changed
         for each statement execute function refuse_several_tenants()`,
      );
    }
  }
}

/** A tenant with due rows in each of the partitions. */
async function addTenants(): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `select distinct on (number) id from unnest($1::uuid[]) as id cross join generate_series(0, 3) as number
     where satisfies_hash_partition('memories'::regclass, 4, number, id) order by number`,
    [Array.from({ length: 100 }, () => randomUUID())],
  );
  const tenants = rows.map(({ id }) => id);
  for (const tenantId of tenants) await addDueTenant(owner, tenantId, 6);
  return tenants;
}

/** Runs a statement for each tenant, $1. */
async function forEach(tenants: readonly string[], text: string): Promise<void> {
  for (const tenantId of tenants) await owner.query(text, [tenantId]);
}

/** Rows of all these tenants, and so of all partitions. */
function expectAll(tenants: readonly string[], rows: readonly Readonly<{ tenantId: string }>[]): void {
  expect(new Set(rows.map(({ tenantId }) => tenantId))).toEqual(new Set(tenants));
}

const withVectors = <Row>(rows: readonly Row[]) => rows.map((row) => ({ ...row, vector: [1, 0, 0] }));

/** The first row of each tenant, and the others. */
function split<Row extends TenantRow>(rows: readonly Row[]): [Row[], Row[]] {
  const first = [...Map.groupBy(rows, (row) => row.tenantId).values()].flatMap((of) => of.slice(0, 1));
  return [first, rows.filter((row) => !first.includes(row))];
}

async function claim(sql: Sql, tenants: readonly string[]): Promise<void> {
  for (const [kind, take] of Object.entries(CLAIMS)) {
    // The others are scheduled with limits.
    const enough = kind === 'conversations' ? 3 * tenants.length : 6 * tenants.length;
    const claimed: TenantRow[] = [];
    while (claimed.length < enough) {
      const rows = await take(sql, enough - claimed.length);
      if (rows.length === 0) break;
      claimed.push(...rows);
    }
    expect(claimed).toHaveLength(enough);
    if (kind !== 'conversations') expectAll(tenants, claimed);
  }
  await beginDueRetentionRuns(sql, 1_000);
  const { rows } = await owner.query<TenantRow>('select tenant_id as "tenantId", id from retention_runs');
  expect(rows.length).toBeGreaterThanOrEqual(tenants.length);
}

async function dropAndRenew(sql: Sql, tenants: readonly string[]): Promise<void> {
  const limits = { queueLimit: tenants.length, tenantQueueLimit: 4 };
  const { scheduled, dropped } = await scheduleDueConversations(sql, { most: 1_000, limits, schedule });
  expect(scheduled).toHaveLength(3 * tenants.length);
  const { rows: all } = await owner.query<TenantRow>(
    'select tenant_id as "tenantId", id from extractions where tenant_id = any($1::uuid[])',
    [tenants],
  );
  const late = new Set(await findDropped(sql, all));
  expect(late).toEqual(new Set(dropped.map(({ id }) => id)));
  const [left] = split(all.filter(({ id }) => !late.has(id)));
  await forEach(tenants, `update extractions set state = 'active', fence = 1 where tenant_id = $1::uuid`);
  const held = left.map((one) => ({ ...one, fence: 1 }));
  expect(await extractionClaims.renewLeases(sql, held, 60_000)).toEqual([]);
}

/** What the users of all tenants left behind is due when they begin another conversation. */
async function leaveBehind(sql: Sql, tenants: readonly string[]): Promise<void> {
  const text = `update conversations set last_active_at = now() - interval '1 day',
    extraction_due_at = now() + interval '1 hour' where tenant_id = $1::uuid`;
  await forEach(tenants, text);
  const users = tenants.map(() => 'maya');
  await sql.query('select make_stale_due($1::uuid[], $2::text[], 60)', [tenants, users]);
  const { rows } = await owner.query('select from conversations where extraction_due_at > now()');
  expect(rows).toEqual([]);
}

/** Vectors are computed, given back, refused, lost, found missing, and built. */
async function embed(sql: Sql, tenants: readonly string[]): Promise<void> {
  for (const table of ['turn_parts', 'document_chunks'])
    await forEach(tenants, `update ${table} set embedding_leased_until = null where tenant_id = $1::uuid`);
  const [refusedParts, parts] = split(await takePendingTurnParts(sql, 1_000));
  expectAll(tenants, parts);
  await giveUpTurnParts(sql, refusedParts);
  await releaseTurnParts(sql, parts);
  await saveTurnPartEmbeddings(sql, 'tiny', withVectors(parts));
  const [refusedChunks, chunks] = split(await takePendingChunks(sql, 1_000));
  expectAll(tenants, chunks);
  await giveUpChunks(sql, refusedChunks);
  await releaseChunks(sql, chunks);
  await saveChunkEmbeddings(sql, 'tiny', withVectors(chunks));
  const [refused, memories] = split(await listPendingEmbeddings(sql, { ids: null, limit: 1_000 }));
  expectAll(tenants, memories);
  await giveUpEmbeddings(sql, refused);
  const texts = withVectors(memories).map(({ id: memoryId, ...memory }) => ({ ...memory, memoryId }));
  expect(await saveEmbeddings(sql, 'tiny', texts)).toBe(memories.length);

  for (const table of ['turn_part_embeddings', 'document_chunk_embeddings', 'memory_embeddings'])
    await forEach(tenants, `delete from ${table} where tenant_id = $1::uuid`);
  const of = { model: 'tiny', likeModel: null, tenantId: null };
  for (const stage of ['memories', 'chunks'] as const) {
    const { marked } = await markMissingVectors(sql, 'tiny', stage, FIRST_ID);
    expect(marked).toBe(5 * tenants.length);
    const { missing } = await listMissingVectors(sql, of, stage, { after: FIRST_ID, limit: 1_000 });
    expectAll(tenants, missing);
    await saveBuiltVectors(sql, 'tiny', stage, withVectors(missing));
    expect((await listMissingVectors(sql, of, stage, { after: FIRST_ID, limit: 1_000 })).missing).toEqual([]);
  }
  expect((await markMissingTurnParts(sql, 'tiny', FIRST_ID)).marked).toBe(5 * tenants.length);
  const lastAt = new Date();
  const accesses = memories.map(({ tenantId, id }) => ({ tenantId, memoryId: id, count: 1, lastAt }));
  await recordAccesses(sql, accesses);
}

async function index(sql: Sql, tenants: readonly string[]): Promise<void> {
  const turns = await listUnindexedTurns(sql, 1_000);
  expectAll(tenants, turns);
  const parts = turns.map((turn) => ({ ...turn, id: randomUUID(), position: 0, content: 'A part.' }));
  await saveTurnParts(sql, turns, parts, { wantsVectors: true });
  expect(await listUnindexedTurns(sql, 1_000)).toEqual([]);
}

async function compress(sql: Sql, tenants: readonly string[]): Promise<void> {
  const runs = tenants.map((tenantId) => ({
    id: randomUUID(),
    tenantId,
    userId: 'maya',
    kind: 'weekly' as const,
    period: '2026-01-04',
    until: new Date(),
    dryRun: false,
  }));
  expect(await insertCompressionRuns(sql, runs)).toHaveLength(tenants.length);
  await forEach(
    tenants,
    `update compression_runs set state = 'done', plan = '{}', finished_at = now() - interval '40 days'
     where tenant_id = $1::uuid and kind = 'daily'`,
  );
  await forEach(
    tenants,
    `insert into compression_answers (run_id, tenant_id, step, number, status, model, prompt_version, raw)
     select id, tenant_id, 'merge', 1, 'pinned', 'm', '1', 'x' from compression_runs
     where tenant_id = $1::uuid and plan is not null`,
  );
  expect(await purgeCompressionTexts(sql, { days: 30, limit: 1_000 })).toBe(6 * tenants.length);
  expect((await owner.query('select from compression_answers')).rows).toEqual([]);
}

async function purgeAll(sql: Sql, tenants: readonly string[]): Promise<void> {
  for (const text of [
    `update memories set expires_at = now() where tenant_id = $1::uuid`,
    `insert into idempotency_keys (tenant_id, key, request_sha256, created_at)
     values ($1::uuid, 'old', '', now() - interval '8 days')`,
    `update summaries set version = 2 where tenant_id = $1::uuid`,
    `insert into summary_versions (tenant_id, summary_id, number, content, source, actor, covers_seq, created_at)
     select tenant_id, id, 1, 'old', 'manual', 'test', 0, now() - interval '40 days' from summaries
     where tenant_id = $1::uuid`,
    `update events set created_at = now() - interval '40 days' where tenant_id = $1::uuid`,
    `update webhook_deliveries set state = 'delivered', created_at = now() - interval '40 days'
     where tenant_id = $1::uuid`,
  ])
    await forEach(tenants, text);
  expect(await purge(sql, { deletedRetentionDays: 30, limit: 1_000 })).toEqual({
    memories: 6 * tenants.length,
    idempotencyKeys: tenants.length,
  });
  expect(await purgeEvents(sql, { days: 30, limit: 1_000 })).toBeGreaterThan(6 * tenants.length);
  for (const table of ['summary_versions', 'webhook_deliveries'])
    expect((await owner.query(`select from ${table}`)).rows).toEqual([]);
}

test.each(['force_generic_plan', 'force_custom_plan'])(
  'background work locks and writes rows of one tenant at a time (%s)',
  async (mode) => {
    await owner.query('truncate tenants cascade');
    const tenants = await addTenants();
    await explainEverything(owner, mode);
    const sql = open();
    const plans = collectPlans(sql);
    for (const work of [claim, dropAndRenew, leaveBehind, embed, index, compress, purgeAll])
      await work(sql, tenants);
    const writing = plans.filter(writesOrLocks);
    expect(writing.length).toBeGreaterThan(100);
    expect(new Set(writing.flatMap((plan) => [...partitionsIn(plan)])).size).toBe(4);
    const several = writing.filter((plan) => partitionsIn(plan).size > 1);
    expect(several.map((plan: Explained) => plan['Query Text'])).toEqual([]);
  },
);
