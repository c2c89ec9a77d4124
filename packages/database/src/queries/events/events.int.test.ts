import { randomUUID } from 'node:crypto';
import { waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import type { Sql } from '../../pool/sql.ts';
import { acceptConversations } from '../accept/accept.ts';
import { claimExtraction, failExtraction, finishExtraction } from '../extractions/ledger.ts';
import { deleteMemories, restoreMemory, updateMemory } from '../memories/memory-edits.ts';
import { insertMemories, lockUserMemories } from '../memories/memory-writes.ts';
import { purge } from '../operators/purge.ts';
import { DEFAULT_TENANT_ID as TENANT } from '../operators/tenants.ts';
import { replaceSummary } from '../summaries/summaries.ts';
import { type EventRow, FIRST_EVENT, purgeEvents, readEventHorizon, readEvents } from './events.ts';
import { aMemory } from './memory.fixture.ts';

const { database, connectionString } = await openTestDatabase(
  { createPool, migrate },
  { max: 8, truncate: ['conversations', 'memories', 'memory_versions', 'summaries', 'events'] },
);
const ACTOR = { actor: 'test', extractionId: null };

let after = FIRST_EVENT;
beforeEach(() => {
  after = FIRST_EVENT;
});

const gates: (() => void)[] = [];
// A test that fails leaves no transaction open.
afterEach(() => {
  for (const open of gates.splice(0)) open();
});

/** Resolves when no transaction, of any database of the server, holds back what has been committed. */
const settled = () =>
  waitFor(
    async () => {
      const { held } = await database.one<{ held: boolean }>(
        'select exists (select from events where watermark >= event_horizon()) as held',
      );
      return !held;
    },
    { timeoutMs: 60_000, describe: 'other transactions to end' },
  );

/** What came since the last call, of what no transaction holds back now. */
async function newsNow(limit = 1_000): Promise<EventRow[]> {
  const page = await readEvents(database, { tenantId: TENANT, after, userId: null, types: null, limit });
  after = page.next;
  return [...page.events];
}

/** What came since the last call. */
async function news(limit?: number): Promise<EventRow[]> {
  await settled();
  return newsNow(limit);
}

const save = async (sql: Sql, userId = 'maya', id = randomUUID()): Promise<string> => {
  await insertMemories(sql, [aMemory({ id, userId })], ACTOR);
  return id;
};
const memoriesOf = (events: readonly EventRow[]) => events.map(({ data }) => data['memory_id']);

/** A transaction that does some work at once, and the rest when it is told to. */
function held(
  first: (tx: Sql) => Promise<unknown>,
  rest: (tx: Sql) => Promise<unknown> = () => Promise.resolve(),
) {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  gates.push(gate.resolve);
  const done = database.transaction(async (tx) => {
    await first(tx);
    begun.resolve();
    await gate.promise;
    await rest(tx);
  });
  return {
    begun: begun.promise,
    end: () => {
      gate.resolve();
      return done;
    },
  };
}

describe('what is written', () => {
  test('every change of a memory and a summary, with ids and never text', async () => {
    const id = await save(database);
    const of = { tenantId: TENANT, userId: 'maya', id };
    await updateMemory(database, of, { topic: 'secret' }, ACTOR);
    await deleteMemories(database, { ...of, key: null, category: null }, ACTOR);
    await restoreMemory(database, of, ACTOR);
    await replaceSummary(database, { ...of, conversationId: null }, { content: 'secret', actor: 'test' });
    await database.query(`update memories set expires_at = now() where id = $1::uuid`, [id]);
    await purge(database, { deletedRetentionDays: 30, limit: 10 });
    const events = await news();
    expect(events.map(({ type, userId, data }) => [type, userId, data['operation'] ?? null])).toEqual([
      ['memory.created', 'maya', 'ADD'],
      ['memory.updated', 'maya', 'UPDATE'],
      ['memory.deleted', 'maya', 'DELETE'],
      ['memory.restored', 'maya', 'RESTORE'],
      ['summary.updated', 'maya', null],
      ['memory.deleted', 'maya', 'EXPIRE'],
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('every end of an extraction, in the transaction that ended it', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const requests = ids.map((extractionId, place) => ({
      tenantId: TENANT,
      userId: 'maya',
      fallbackUserId: 'unknown',
      conversationId: `c${place}`,
      messages: [{ id: 'm', role: 'user' as const, content: 'secret', tokenEstimate: 1 }],
      extract: 'now' as const,
      regenerated: false,
      extractionId,
      trigger: 'request' as const,
      preset: 'standard',
      extractionMetadata: {},
      traceparent: null,
      idempotencyKey: null,
      requestSha256: '',
    }));
    await acceptConversations(database, requests, { queueLimit: 2, tenantQueueLimit: 0 });
    const claim = async (id = '') => {
      const claimed = await claimExtraction(database, {
        tenantId: TENANT,
        id,
        workerId: 'w',
        leaseMs: 9_000,
      });
      if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
      return claimed.claim;
    };
    const outcome = { added: 2, updated: 0, deleted: 0, unchanged: 1, rejected: 0, memoryIds: [] };
    await finishExtraction(database, await claim(ids[1]), { ...outcome, degraded: null, embedMs: null });
    await failExtraction(database, await claim(ids[2]), { errorClass: 'refusal', errorMessage: 'secret' });
    const events = await news();
    const of = (place: number) => ({ extraction_id: ids[place], conversation_id: `c${place}` });
    const { memoryIds: _none, ...counts } = outcome;
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['extraction.dropped', { ...of(0), reason: 'queue_limit' }],
      ['extraction.done', { ...of(1), counts }],
      ['extraction.failed', { ...of(2), error_class: 'refusal' }],
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('nothing of a transaction that is rolled back', async () => {
    const undone = held(save, () => Promise.reject(new Error('undone')));
    await undone.begun;
    await expect(undone.end()).rejects.toThrow('undone');
    expect(await news()).toEqual([]);
  });
});

describe('the order', () => {
  test('what commits later is behind what a reader has: it sees nothing past an open transaction', async () => {
    const early = held(save);
    await early.begun;
    const late = await save(database, 'noah');
    expect(await newsNow()).toEqual([]);
    await early.end();
    const events = await news();
    expect(memoriesOf(events)).toEqual([expect.any(String), late]);
    expect(await news()).toEqual([]);
  });

  test('of one memory is that of its changes, whichever transaction began first', async () => {
    const id = await save(database);
    const of = { tenantId: TENANT, userId: 'maya', id };
    // It has its number before the other one begins, and changes the memory after that one has committed.
    const first = held(
      (tx) => tx.query('select pg_current_xact_id()'),
      async (tx) => {
        await lockUserMemories(tx, TENANT, 'maya');
        await updateMemory(tx, of, { topic: 'second' }, ACTOR);
      },
    );
    await first.begun;
    await updateMemory(database, of, { topic: 'first' }, ACTOR);
    await first.end();
    expect((await news()).map(({ data }) => data['version'])).toEqual([1, 2, 3]);
  });

  test('any interleaving: a reader in small pages gets each committed event once', async () => {
    const plan = fc.array(fc.record({ open: fc.boolean(), read: fc.boolean() }), {
      minLength: 5,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const [saved, read, open]: [string[], unknown[], ReturnType<typeof held>[]] = [[], [], []];
        await news();
        for (const step of steps) {
          if (open.length < 4 && step.open) {
            const one = held(async (tx) => saved.push(await save(tx)));
            await one.begun;
            open.push(one);
          } else await open.splice(open.length >> 1, 1)[0]?.end();
          saved.push(await save(database));
          if (step.read) read.push(...memoriesOf(await newsNow(2)));
        }
        for (const one of open) await one.end();
        for (let page = await news(2); page.length > 0; page = await news(2)) read.push(...memoriesOf(page));
        expect(read).toHaveLength(saved.length);
        expect(new Set(read)).toEqual(new Set(saved));
      }),
      { numRuns: 10 },
    );
  });

  test('goes on after a dump is restored on a server whose transactions have lower numbers', async () => {
    const before = await save(database);
    // As on a server that is far ahead of this one.
    await database.query(`update events set watermark = watermark + 1000000`);
    await database.query('update event_clock set cluster = 1');
    await migrate(connectionString, { logger: { info: () => undefined, warn: () => undefined } });
    expect(memoriesOf(await news())).toEqual([before]);
    const behind = await save(database);
    expect(memoriesOf(await news())).toEqual([behind]);
  });
});

test('events are kept for so many days; who has not read them is told', async () => {
  const from = await readEventHorizon(database);
  await save(database);
  await database.query(`update events set created_at = now() - interval '31 days'`);
  const kept = await save(database);
  expect(await purgeEvents(database, { days: 30, limit: 10 })).toBe(1);
  expect(memoriesOf(await news())).toEqual([kept]);
  expect(await purgeEvents(database, { days: 30, limit: 10 })).toBe(0);
  const after = (place: string) =>
    readEvents(database, { tenantId: TENANT, after: place, userId: null, types: null, limit: 9 });
  await expect(after(from)).rejects.toMatchObject({ code: 'events_gone' });
  expect(memoriesOf((await after(FIRST_EVENT)).events)).toEqual([kept]);
});
