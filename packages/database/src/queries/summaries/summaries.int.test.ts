import { randomUUID } from 'node:crypto';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { acceptConversations } from '../accept/accept.ts';
import { applyNewMemories } from '../extractions/apply-memories.ts';
import { deleteConversation } from '../conversations/conversations.ts';
import { type Claim, claimExtraction } from '../extractions/ledger.ts';
import { listUnindexedTurns, saveTurnParts } from '../turns/turn-parts.ts';
import { deleteMemories } from '../memories/memory-edits.ts';
import { insertMemories } from '../memories/memory-writes.ts';
import type { NewMemory } from '../memories/new-memory.ts';
import { purge } from '../operators/purge.ts';
import {
  findSummary,
  listConversationMemories,
  listNarrativeMemories,
  listProfile,
  replaceSummary,
  SUMMARY_VERSIONS_KEPT,
} from './summaries.ts';
import {
  type PostApply,
  claimDueSummary,
  countStaleSummaries,
  type NewSummary,
  releaseSummary,
  saveSummary,
  type SummaryClaim,
} from './summary-refresh.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const tenantId = DEFAULT_TENANT_ID;
const COMPOSED: PostApply = { maxEntries: 0, userSummary: 'composed', conversationSummary: false };
const BOTH: PostApply = { maxEntries: 0, userSummary: 'model', conversationSummary: true };
const { database } = await openTestDatabase(
  { createPool, migrate },
  { max: 8, truncate: ['summaries', 'conversations', 'memories', 'memory_versions'] },
);
let userId: string;
let conversationId: string;

beforeEach(async () => {
  userId = randomUUID();
  conversationId = randomUUID();
});

function note(content: string, fields: Partial<NewMemory> = {}): NewMemory {
  const statedAt = new Date('2026-05-01T12:00:00Z');
  return { ...newMemory(tenantId, userId, content), statedAt, validFrom: statedAt, ...fields };
}

/** @param created_at when the message was said; before all memories unless told */
async function accept(inConversation = conversationId, created_at = '2026-04-01T12:00:00Z'): Promise<Claim> {
  const request = { ...acceptRequest(tenantId), userId, conversationId: inConversation };
  const messages = request.messages.map((message) => ({ ...message, created_at }));
  await acceptConversations(database, [{ ...request, messages }], NO_QUEUE_LIMITS);
  const answer = await claimExtraction(database, {
    tenantId,
    id: request.extractionId,
    workerId: 'one',
    leaseMs: 60_000,
  });
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer.claim;
}

async function apply(claim: Claim, memories: readonly NewMemory[], after: PostApply | null): Promise<void> {
  const counts = { added: memories.length, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };
  const memoryIds = memories.map((memory) => memory.id);
  const outcome = { ...counts, memoryIds, degraded: null, embedMs: null };
  const applied = await applyNewMemories(database, claim, {
    memories,
    actor: 'extraction',
    embeddings: null,
    outcome,
    postApply: after,
  });
  expect(applied).not.toBeNull();
}

const extracted = async (content: string, after: PostApply | null) =>
  apply(await accept(), [note(content)], after);
const narrative = () => findSummary(database, { tenantId, userId, conversationId: null });
const rolling = () => findSummary(database, { tenantId, userId, conversationId });
const makeDue = () => database.query('update summaries set refresh_at = now() where refresh_at is not null');
const claimDue = (leaseMs = 60_000) => claimDueSummary(database, { leaseMs, byModel: true, maxAttempts: 3 });

async function mustClaim(leaseMs?: number): Promise<SummaryClaim> {
  await makeDue();
  const claim = await claimDue(leaseMs);
  if (claim === undefined) throw new Error('nothing was due');
  return claim;
}

function text(content: string | null, fields: Partial<NewSummary> = {}): NewSummary {
  return {
    text: { content, source: 'composed', promptVersion: 'rules', model: null },
    coversSeq: 0,
    memoryCount: 1,
    expiresAt: null,
    more: false,
    ...fields,
  };
}

async function texts(): Promise<string[]> {
  const { rows } = await database.query<{ content: string }>(
    'select content from summary_versions order by created_at, number',
  );
  return rows.map((row) => row.content);
}

describe('an applied extraction', () => {
  test('asks for what its preset wants, in the same transaction, and for nothing else', async () => {
    await extracted('one', null);
    expect(await narrative()).toBeUndefined();
    await extracted('two', COMPOSED);
    expect(await narrative()).toEqual({ content: null, source: null, updatedAt: null, stale: true });
    expect(await rolling()).toBeUndefined();
    await extracted('three', BOTH);
    expect(await rolling()).toMatchObject({ stale: true });
    expect(await countStaleSummaries(database)).toBe(2);
  });

  test('that changed nothing leaves the narrative alone, but not the conversation', async () => {
    await apply(await accept(), [], BOTH);
    expect(await narrative()).toBeUndefined();
    expect(await rolling()).toMatchObject({ stale: true });
  });

  test('is not due at once: several in a row give one refresh, and the first of them sets the limit', async () => {
    await extracted('one', COMPOSED);
    expect(await claimDue()).toBeUndefined();
    await extracted('two', COMPOSED);
    await extracted('three', COMPOSED);
    await mustClaim();
    expect(await claimDue()).toBeUndefined();

    await database.query(
      `update summaries set lease_until = null, stale_since = now() - interval '29 seconds'`,
    );
    await extracted('four', COMPOSED);
    const { seconds } = await database.one<{ seconds: number }>(
      'select extract(epoch from refresh_at - stale_since)::float8 as seconds from summaries',
    );
    expect(seconds).toBe(30);
  });
});

describe('a refresh', () => {
  test('makes the summary fresh and keeps its text as a version', async () => {
    await extracted('one', COMPOSED);
    const claim = await mustClaim();
    expect(claim).toMatchObject({
      userId,
      conversationId: '',
      content: null,
      refreshedBy: 'composed',
      attempts: 0,
    });
    expect(await saveSummary(database, claim, text('One.'))).toBe(true);
    expect(await narrative()).toMatchObject({ content: 'One.', source: 'composed', stale: false });
    expect(await texts()).toEqual(['One.']);
    expect(await claimDue()).toBeUndefined();
    expect(await countStaleSummaries(database)).toBe(0);
  });

  test('leaves it stale when something changed meanwhile', async () => {
    await extracted('one', COMPOSED);
    const claim = await mustClaim();
    await extracted('two', COMPOSED);
    expect(await saveSummary(database, claim, text('One.'))).toBe(true);
    expect(await narrative()).toMatchObject({ content: 'One.', stale: true });
    await saveSummary(database, await mustClaim(), text('One. Two.'));
    expect(await narrative()).toMatchObject({ content: 'One. Two.', stale: false });
    expect(await texts()).toEqual(['One.', 'One. Two.']);
  });

  test('by a worker that wakes up late overwrites nothing', async () => {
    await extracted('one', COMPOSED);
    const paused = await mustClaim(0);
    const next = await mustClaim();
    expect(next.fence).toBe(paused.fence + 1);
    expect(await saveSummary(database, paused, text('Old.'))).toBe(false);
    expect(await saveSummary(database, next, text('New.'))).toBe(true);
    expect(await saveSummary(database, paused, text('Old.'))).toBe(false);
    await releaseSummary(database, paused, {
      delayMs: 0,
      failed: true,
      countsAsAttempt: true,
      errorClass: 'internal',
    });
    expect(await narrative()).toMatchObject({ content: 'New.', stale: false });
  });

  test('is one worker’s at a time, and everybody’s together', async () => {
    for (let user = 0; user < 6; user += 1) {
      userId = randomUUID();
      conversationId = randomUUID();
      await extracted('one', COMPOSED);
    }
    await makeDue();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimDue()));
    const users = claims.flatMap((claim) => (claim === undefined ? [] : [claim.userId]));
    expect(users).toHaveLength(6);
    expect(new Set(users).size).toBe(6);
  });

  test('that failed keeps its delay whatever else changes, and leaves the model out after its attempts', async () => {
    await extracted('one', BOTH);
    await deleteConversation(database, tenantId, conversationId);
    const claim = await mustClaim();
    await releaseSummary(database, claim, {
      delayMs: 60_000,
      failed: true,
      countsAsAttempt: true,
      errorClass: 'bad_reply',
    });
    await extracted('two', { ...BOTH, conversationSummary: false });
    const { seconds } = await database.one<{ seconds: number }>(
      'select extract(epoch from refresh_at - now())::float8 as seconds from summaries',
    );
    expect(seconds).toBeGreaterThan(50);
    await makeDue();
    const withoutModel = { leaseMs: 60_000, byModel: false, maxAttempts: 1 };
    expect(await claimDueSummary(database, { ...withoutModel, maxAttempts: 2 })).toBeUndefined();
    expect(await claimDueSummary(database, withoutModel)).toMatchObject({ attempts: 1, failures: 1 });
  });

  test('is due again when the first memory in it expires', async () => {
    await extracted('one', COMPOSED);
    await saveSummary(
      database,
      await mustClaim(),
      text('One.', { expiresAt: new Date(Date.now() + 3_600_000) }),
    );
    expect(await narrative()).toMatchObject({ stale: false });
    expect(await countStaleSummaries(database)).toBe(0);
    await makeDue();
    expect(await narrative()).toMatchObject({ stale: true });
    await saveSummary(database, await mustClaim(), text(null));
    expect(await narrative()).toMatchObject({ content: null, source: null, stale: false });
  });
});

describe('a text written by hand', () => {
  test('fences off a refresh that is under way and stands until facts change', async () => {
    await extracted('one', COMPOSED);
    const claim = await mustClaim();
    await replaceSummary(
      database,
      { tenantId, userId, conversationId: null },
      { content: 'Mine.', actor: 'api' },
    );
    expect(await saveSummary(database, claim, text('One.'))).toBe(false);
    expect(await narrative()).toMatchObject({ content: 'Mine.', source: 'manual', stale: false });
    await extracted('two', COMPOSED);
    expect(await narrative()).toMatchObject({ content: 'Mine.', stale: true });
  });

  test('stays where nothing asks for another', async () => {
    await replaceSummary(
      database,
      { tenantId, userId, conversationId: null },
      { content: 'Mine.', actor: 'api' },
    );
    await extracted('one', null);
    expect(await narrative()).toMatchObject({ content: 'Mine.', stale: false });
    await extracted('two', COMPOSED);
    expect(await narrative()).toMatchObject({ content: 'Mine.', stale: true });
  });

  test('a conversation’s summary continues from its last extracted message', async () => {
    await extracted('one', null);
    const owner = { tenantId, userId, conversationId };
    await replaceSummary(database, owner, { content: 'So far.', actor: 'api' });
    await extracted('two', BOTH);
    await database.query(`update summaries set refresh_at = null where conversation_id = ''`);
    expect(await mustClaim()).toMatchObject({ content: 'So far.', coversSeq: 1, extractedSeq: 2 });
    expect(
      await replaceSummary(database, { ...owner, userId: 'another' }, { content: 'x', actor: 'api' }),
    ).toBe(undefined);
  });
});

test('memories changed by hand make an existing narrative stale', async () => {
  await extracted('one', COMPOSED);
  await saveSummary(database, await mustClaim(), text('One.'));
  const byHand = note('by hand');
  await insertMemories(database, [byHand], { actor: 'api', extractionId: null });
  expect(await narrative()).toMatchObject({ stale: true });
  await saveSummary(database, await mustClaim(), text('One. By hand.'));
  const target = { tenantId, userId, id: byHand.id, key: null, category: null };
  await deleteMemories(database, target, { actor: 'api', extractionId: null });
  expect(await narrative()).toMatchObject({ stale: true });
});

test('a conversation that is deleted takes its summary along, also while it is being written', async () => {
  await extracted('one', { ...BOTH, userSummary: null });
  const claim = await mustClaim();
  await deleteConversation(database, tenantId, conversationId);
  expect(await saveSummary(database, claim, text('One.'))).toBe(false);
  expect(await rolling()).toBeUndefined();
});

test('of the texts the last ones are kept, and replaced ones no longer than deleted memories', async () => {
  await extracted('one', COMPOSED);
  const total = SUMMARY_VERSIONS_KEPT + 5;
  for (let number = 1; number <= total; number += 1) {
    await replaceSummary(
      database,
      { tenantId, userId, conversationId: null },
      { content: `Text ${number}.`, actor: 'api' },
    );
  }
  expect(await texts()).toHaveLength(SUMMARY_VERSIONS_KEPT);
  await database.query(`update summary_versions set created_at = now() - interval '31 days'`);
  await purge(database, { deletedRetentionDays: 30, limit: 100 });
  expect(await texts()).toEqual([`Text ${total}.`]);
});

describe('a conversation that keeps only so many entries', () => {
  const keep = (maxEntries: number): PostApply => ({
    maxEntries,
    userSummary: null,
    conversationSummary: false,
  });
  const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 0, minute));

  async function current(): Promise<string[]> {
    const { rows } = await database.query<{ content: string }>(
      'select content from memories where user_id = $1::text and is_current order by stated_at, id',
      [userId],
    );
    return rows.map((row) => row.content);
  }

  test('turns count too: the oldest of both leave, and stay stored', async () => {
    const minutes = [1, 2, 3];
    const ends: [number, string[]][] = [];
    for (const minute of minutes) {
      const claim = await accept(conversationId, at(minute).toISOString());
      const [turn] = await listUnindexedTurns(database, 1);
      if (turn !== undefined) {
        const part = { ...turn, id: randomUUID(), position: 0, content: turn.content ?? '' };
        await saveTurnParts(database, [turn], [part], { wantsVectors: false });
      }
      await apply(claim, [note(`n${minute}`, { statedAt: at(minute) })], keep(3));
      const { evicted, parts } = await database.one<{ evicted: number; parts: number }>(
        `select evicted_seq as evicted, (select count(*)::integer from turn_parts where conversation_id = c.id) as parts
         from conversations c where id = $1::text`,
        [conversationId],
      );
      expect(parts).toBe(minute - evicted);
      ends.push([evicted, await current()]);
    }
    // A memory counts as later than the turn that it was made from.
    expect(ends).toEqual([
      [0, ['n1']],
      [1, ['n1', 'n2']],
      [2, ['n2', 'n3']],
    ]);
    const { count } = await database.one<{ count: number }>(
      'select count(*)::integer as count from messages where conversation_id = $1::text',
      [conversationId],
    );
    expect(count).toBe(3);
  });

  test('a memory by hand that is kept for the conversation counts', async () => {
    const byHand = note('by hand', { statedAt: at(0), conversationId });
    await insertMemories(database, [byHand], { actor: 'api', extractionId: null });
    await apply(await accept(), [note('n1', { statedAt: at(1) })], keep(2));
    expect(await current()).toEqual(['by hand', 'n1']);
    await apply(await accept(), [note('n2', { statedAt: at(2) })], keep(2));
    expect(await current()).toEqual(['n1', 'n2']);
  });

  test('an extraction without memories counts its turns', async () => {
    await apply(
      await accept(conversationId, at(1).toISOString()),
      [note('n1', { statedAt: at(1) })],
      keep(1),
    );
    await apply(await accept(conversationId, at(2).toISOString()), [], keep(1));
    expect(await current()).toEqual([]);
  });

  test('archives the oldest, with a version, and none of other conversations or made by hand', async () => {
    const byHand = note('by hand', { statedAt: at(0) });
    await insertMemories(database, [byHand], { actor: 'api', extractionId: null });
    const here = conversationId;
    conversationId = randomUUID();
    await apply(await accept(), [note('elsewhere', { statedAt: at(1) })], keep(1));
    conversationId = here;
    await apply(
      await accept(),
      [2, 3].map((n) => note(`n${n}`, { statedAt: at(n) })),
      keep(3),
    );
    await apply(
      await accept(),
      [5, 4].map((n) => note(`n${n}`, { statedAt: at(n) })),
      keep(3),
    );
    expect(await current()).toEqual(['by hand', 'elsewhere', 'n3', 'n4', 'n5']);
    const version = await database.one(
      `select v.operation, v.actor, v.number, v.before->>'archived_at' as before,
         (v.after->>'archived_at')::timestamptz = m.archived_at as after
       from memory_versions v join memories m on m.id = v.memory_id
       where m.content = 'n2' and v.number > 1`,
    );
    expect(version).toEqual({
      operation: 'ARCHIVE',
      actor: 'max_entries',
      number: 2,
      before: null,
      after: true,
    });
    const owner = { tenantId, userId, limit: 10 };
    const told = await listConversationMemories(database, { ...owner, conversationId });
    expect(told.map(({ content }) => content)).toEqual(['n5', 'n4', 'n3']);
    expect(await listNarrativeMemories(database, owner)).toHaveLength(5);
  });

  test('goes by its own policy where that says how many', async () => {
    const claim = await accept();
    await database.query(`update conversations set policy = '{"max_entries": 1}'`);
    await apply(claim, [note('old', { statedAt: at(1) }), note('new', { statedAt: at(2) })], null);
    expect(await current()).toEqual(['new']);
    await database.query(`update conversations set policy = '{"max_entries": 0}'`);
    await apply(await accept(), [note('newer', { statedAt: at(3) })], keep(1));
    expect(await current()).toEqual(['new', 'newer']);
  });

  test('never shows more, however many extractions of a user end at once', async () => {
    const conversations = ['a', 'b', 'c', 'd'].map((name) => `${name}-${randomUUID()}`);
    let most = 0;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) most = Math.max(most, (await current()).length);
    })();
    await Promise.all(
      conversations.map(async (id) => {
        for (let n = 0; n < 4; n += 1) {
          const told = [0, 1].map((m) => note(`${id[0]}${n}.${m}`, { statedAt: at(2 * n + m) }));
          await apply(await accept(id), told, keep(3));
        }
      }),
    );
    over.abort();
    await watch;
    expect(most).toBeLessThanOrEqual(12);
    const kept = ['2.1', '3.0', '3.1'].flatMap((n) => ['a', 'b', 'c', 'd'].map((name) => `${name}${n}`));
    expect((await current()).toSorted()).toEqual(kept.toSorted());
  });
});

test('the profile is tier 1, the most important first, and only what is visible', async () => {
  const tier1 = (content: string, fields: Partial<NewMemory> = {}) => note(content, { tier: 1, ...fields });
  await insertMemories(
    database,
    [
      tier1('second', { category: 'a' }),
      tier1('first', { importance: 0.9 }),
      tier1('third', { category: 'b' }),
      tier1('expired', { expiresAt: new Date('2026-01-01T00:00:00Z') }),
      tier1('another user’s', { userId: 'another' }),
      note('knowledge'),
    ],
    { actor: 'test', extractionId: null },
  );
  const profile = await listProfile(database, { tenantId, userId, limit: 10 });
  expect(profile.map(({ content }) => content)).toEqual(['first', 'second', 'third']);
});
