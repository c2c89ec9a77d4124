import type { Schedule, Trigger } from '@factmill/contracts';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { createHash, randomUUID } from 'node:crypto';
import type { Database, Sql } from '../pool/sql.ts';
import { acceptConversations } from './accept/accept.ts';
import { scheduleDueConversations } from './accept/schedule.ts';
import type { TenantRow } from './claim-by-tenant.ts';
import { insertCompressionRuns, takeUnattendedRuns } from './compression/compression-runs.ts';
import { takePendingChunks } from './documents/document-chunks.ts';
import { putDocument } from './documents/documents.ts';
import { insertWebhook } from './events/webhooks.ts';
import { claimDueWebhook } from './events/webhook-deliveries.ts';
import { takeUnattended } from './extractions/sweep.ts';
import { insertMemories } from './memories/memory-writes.ts';
import { takeUnattendedReplayRuns } from './replays/replay-runs.ts';
import { claimDueSummary } from './summaries/summary-refresh.ts';
import { saveTurnParts, type UnindexedTurn } from './turns/turn-parts.ts';
import { takePendingTurnParts } from './turns/turn-vectors.ts';

const MINUTE_MS = 60_000;
/** Nothing makes a conversation due by itself. */
export const OFF: Trigger = {
  scope: 'incremental',
  reads_replies: false,
  min_turns: 0,
  max_turns: 0,
  quiet_gap_s: 3_600,
  idle_timeout_s: 0,
  token_cap: 0,
  daily_flush: false,
};
export const schedule: Schedule = {
  preset: 'off',
  presets: { off: OFF },
  daily_flush_at: '03:00',
  time_zone: 'UTC',
  stale_after_s: 1_800,
};

/** What background work claims, by kind: up to `limit` rows of all tenants. */
export const CLAIMS: Readonly<Record<string, (sql: Sql, limit: number) => Promise<readonly TenantRow[]>>> = {
  conversations: async (sql, most) =>
    (await scheduleDueConversations(sql, { most, limits: NO_QUEUE_LIMITS, schedule })).scheduled,
  extractions: (sql, limit) => takeUnattended(sql, { graceMs: MINUTE_MS, limit }),
  compressions: (sql, limit) => takeUnattendedRuns(sql, { graceMs: MINUTE_MS, limit }),
  replays: (sql, limit) => takeUnattendedReplayRuns(sql, { graceMs: MINUTE_MS, limit }),
  'turn parts': takePendingTurnParts,
  chunks: takePendingChunks,
  summaries: async (sql) =>
    some(await claimDueSummary(sql, { leaseMs: MINUTE_MS, byModel: true, maxAttempts: 3 })),
  webhooks: async (sql) => some(await claimDueWebhook(sql, MINUTE_MS)),
};

const some = (row: TenantRow | undefined): TenantRow[] => (row === undefined ? [] : [row]);

/** A new tenant with `count` due rows of each kind, one due retention, and memories and turns to be worked on. */
export async function addDueTenant(database: Database, tenantId: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  await database.query('insert into tenants (id, name) values ($1::uuid, $1::text)', [tenantId]);
  const requests = [...numbers, ...numbers].map((_, n) => ({
    ...acceptRequest(tenantId),
    extract: n < count ? ('now' as const) : ('never' as const),
  }));
  await acceptConversations(database, requests, NO_QUEUE_LIMITS);
  await database.query(
    `update extractions set accepted_at = now() - interval '1 hour' where tenant_id = $1::uuid`,
    [tenantId],
  );
  await database.query(
    `update conversations set extraction_due_at = now() - interval '1 minute'
     where tenant_id = $1::uuid and scheduled_seq < last_seq`,
    [tenantId],
  );
  const { rows: turns } = await database.query<UnindexedTurn>(
    `select tenant_id as "tenantId", 'maya' as "userId", conversation_id as "conversationId", seq, content
     from messages where tenant_id = $1::uuid order by conversation_id limit $2::integer`,
    [tenantId, count],
  );
  const parts = turns.map((turn) => ({
    ...turn,
    id: randomUUID(),
    position: 0,
    content: 'I live in Lisbon.',
  }));
  await saveTurnParts(database, turns, parts, { wantsVectors: true });
  await addDocument(database, tenantId, count);
  const memories = numbers.map((n) => ({
    ...newMemory(tenantId, 'maya', `Note ${n}.`),
    wantsEmbedding: true,
  }));
  await insertMemories(database, memories, { actor: 'test', extractionId: null });
  const runs = numbers.map((n) => ({
    id: randomUUID(),
    tenantId,
    userId: `user ${n}`,
    kind: 'daily' as const,
    period: '2026-01-01',
    until: new Date(),
    dryRun: false,
  }));
  await insertCompressionRuns(database, runs);
  await database.query(
    `update compression_runs set created_at = now() - interval '1 hour' where tenant_id = $1::uuid`,
    [tenantId],
  );
  await database.query(
    `with replay as (
       insert into replays (id, tenant_id, estimate) values ($2::uuid, $1::uuid, '{}') returning id
     )
     insert into replay_runs (id, tenant_id, replay_id, user_id, kind, position, created_at)
     select gen_random_uuid(), $1::uuid, replay.id, 'user ' || n, 'apply', n, now() - interval '1 hour'
     from replay, generate_series(1, $3::integer) as n`,
    [tenantId, randomUUID(), count],
  );
  await database.query(
    `insert into summaries (tenant_id, user_id, refreshed_by, refresh_at)
     select $1::uuid, 'user ' || n, 'composed', now() - interval '1 minute'
     from generate_series(1, $2::integer) as n`,
    [tenantId, count],
  );
  for (const id of numbers.map(() => randomUUID())) {
    const url = 'https://example.org/hook';
    const webhook = { tenantId, id, url, types: null, payload: 'thin', secret: 'x', enabled: true } as const;
    await insertWebhook(database, webhook);
    await database.query(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, type)
       values (gen_random_uuid(), $1::uuid, $2::uuid, 'webhook.test')`,
      [tenantId, id],
    );
  }
  await database.query(
    `insert into retention_policies (tenant_id, due_at) values ($1::uuid, now() - interval '1 minute')`,
    [tenantId],
  );
}

async function addDocument(database: Database, tenantId: string, count: number): Promise<void> {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const texts = Array.from({ length: count }, (_, n) => `Part ${n}.`);
  await putDocument(database, {
    tenantId,
    id: 'manual',
    userId: 'maya',
    title: null,
    content: texts.join(' '),
    matchingText: texts.join(' '),
    contentHash: hash(texts.join(' ')),
    chunking: 'test',
    conversationId: null,
    project: null,
    metadata: {},
    chunks: texts.map((content) => ({
      id: randomUUID(),
      content,
      matchingText: null,
      contentHash: hash(content),
    })),
    wantsEmbedding: true,
  });
}
