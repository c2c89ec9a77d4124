import { randomUUID } from 'node:crypto';
import { acceptRequest, NO_QUEUE_LIMITS, waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { describe, expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { acceptConversations } from '../accept/accept.ts';
import { deleteConversation, findConversation } from '../conversations/conversations.ts';
import { findExtraction, replayExtractions } from './extractions.ts';
import { type Claim, claimExtraction, failExtraction, finishExtraction } from './ledger.ts';
import { extractionClaims } from '../claims.ts';
import type { ModelOutput } from './model-output.ts';
import { type ModelCall, saveOutput } from './outputs.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const LEASE_MS = 60_000;
const { database } = await openTestDatabase({ createPool, migrate }, { max: 10 });

async function accept(conversationId: string = randomUUID()): Promise<string> {
  const request = { ...acceptRequest(DEFAULT_TENANT_ID), conversationId };
  await acceptConversations(database, [request], NO_QUEUE_LIMITS);
  return request.extractionId;
}

function take(id: string, workerId = 'one', leaseMs = LEASE_MS) {
  return claimExtraction(database, { tenantId: DEFAULT_TENANT_ID, id, workerId, leaseMs });
}

async function claimed(id: string, workerId?: string, leaseMs?: number): Promise<Claim> {
  const answer = await take(id, workerId, leaseMs);
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer.claim;
}

async function pinnedOutput(id: string): Promise<ModelOutput | null> {
  const answer = await take(id);
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`);
  return answer.input.pinned;
}

async function replay(id: string): Promise<void> {
  const filter = {
    tenantId: DEFAULT_TENANT_ID,
    ids: [id],
    state: null,
    userId: null,
    since: null,
    until: null,
  };
  await replayExtractions(database, { ...filter, limit: 1 }, NO_QUEUE_LIMITS);
}

const ledger = (id: string) => findExtraction(database, DEFAULT_TENANT_ID, id);

const CALL: ModelCall = {
  output: {
    provider: 'openai',
    model: 'm',
    promptVersion: 'v',
    raw: '{"facts":{}}',
    finishReason: 'stop',
    promptTokens: 10,
    completionTokens: 2,
  },
  modelMs: 30,
};

const NOTHING = {
  added: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  rejected: 0,
  memoryIds: [],
  degraded: null,
  embedMs: null,
};

const finish = (claim: Claim) => database.transaction((tx) => finishExtraction(tx, claim, NOTHING));
const fencedOff = expect.objectContaining({ code: 'fenced' });

describe('claiming', () => {
  test('bumps the fence, starts the lease, and keeps others out while it lives', async () => {
    const id = await accept();
    const claim = await claimed(id);
    expect(claim).toMatchObject({
      id,
      userId: 'maya',
      fromSeq: 1,
      toSeq: 1,
      attempts: 0,
      fence: 1,
      lostClaims: 0,
    });
    const other = await take(id, 'two');
    expect(other.kind).toBe('leased');
    expect(other.kind === 'leased' && other.retryInMs).toBeGreaterThan(LEASE_MS / 2);
    expect(await ledger(id)).toMatchObject({ state: 'active', attempts: 0 });
  });

  test('of ten workers at once one gets it', async () => {
    const id = await accept();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => take(id, `worker-${n}`)));
    expect(answers.filter((answer) => answer.kind === 'claimed')).toHaveLength(1);
    expect(answers.filter((answer) => answer.kind === 'leased')).toHaveLength(9);
  });

  test('a lease that has run out is anybody’s, and the claim knows how many were lost', async () => {
    const id = await accept();
    await claimed(id, 'one', 1);
    const second = await waitFor(
      async () => {
        const answer = await take(id, 'two', 1);
        return answer.kind === 'claimed' ? answer.claim : undefined;
      },
      { describe: 'the lease to run out' },
    );
    expect(second).toMatchObject({ fence: 2, lostClaims: 1 });
    await extractionClaims.release(database, second, {
      delayMs: 0,
      countsAsAttempt: false,
      errorClass: 'x',
      errorMessage: 'x',
    });
    expect(await claimed(id, 'three')).toMatchObject({ fence: 3, lostClaims: 0 });
  });

  test('the worker itself need not wait for its own lease', async () => {
    const id = await accept();
    await claimed(id);
    expect(await claimed(id)).toMatchObject({ fence: 2, lostClaims: 1 });
  });

  test('brings the messages, what the user’s memories say, and what was pinned while it waited for the row', async () => {
    const id = await accept();
    const first = await take(id, 'one', 1);
    expect(first).toMatchObject({
      input: {
        pinned: null,
        known: [],
        messages: [{ seq: 1, role: 'user', content: 'I live in Lisbon.' }],
      },
    });
    if (first.kind !== 'claimed') throw new Error(first.kind);
    expect(first.input.messages[0]?.createdAt).toBeInstanceOf(Date);
    const { second } = await database.transaction(async (tx) => {
      await saveOutput(tx, first.claim, CALL, 'pinned');
      const waiting = take(id, 'two');
      await waitFor(
        async () =>
          (
            await database.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%claim%'
             and datname = current_database()`)
          ).rowCount === 1,
        { describe: 'the claim to wait' },
      );
      return { second: waiting };
    });
    expect(await second).toMatchObject({ kind: 'claimed', input: { pinned: CALL.output } });
  });

  test('what is over stays over; what is gone is gone; another tenant’s is not there', async () => {
    const id = await accept();
    await finish(await claimed(id));
    expect(await take(id)).toEqual({ kind: 'finished', state: 'done', next: null });
    expect(await take(randomUUID())).toEqual({ kind: 'finished', state: 'gone', next: null });
    const foreign = { tenantId: randomUUID(), id: await accept(), workerId: 'one', leaseMs: LEASE_MS };
    expect(await claimExtraction(database, foreign)).toEqual({ kind: 'finished', state: 'gone', next: null });
  });
});

describe('leases', () => {
  test('are renewed together; those lost to others are named', async () => {
    const kept = await claimed(await accept(), 'one', 100);
    const lost = await claimed(await accept(), 'one', 100);
    await claimed(lost.id, 'one');
    const gone = { id: randomUUID(), tenantId: DEFAULT_TENANT_ID, fence: 1 };
    expect((await extractionClaims.renewLeases(database, [kept, lost, gone], LEASE_MS)).toSorted()).toEqual(
      [lost.id, gone.id].toSorted(),
    );
    expect((await take(kept.id, 'two')).kind).toBe('leased');
  });

  test('a row that its own transaction has locked is neither waited for nor lost', async () => {
    const applying = await claimed(await accept());
    const other = await claimed(await accept(), 'one', 1);
    await database.transaction(async (tx) => {
      await extractionClaims.assertFence(tx, applying);
      expect(await extractionClaims.renewLeases(database, [applying, other], LEASE_MS)).toEqual([]);
    });
    expect((await take(other.id, 'two')).kind).toBe('leased');
  });
});

describe('the fence', () => {
  test('a worker that was overtaken can neither pin, apply, release nor fail', async () => {
    const id = await accept();
    const late = await claimed(id);
    const winner = await claimed(id);
    await expect(saveOutput(database, late, CALL, 'pinned')).rejects.toEqual(fencedOff);
    await expect(saveOutput(database, late, CALL, 'rejected')).rejects.toEqual(fencedOff);
    await expect(database.transaction((tx) => extractionClaims.assertFence(tx, late))).rejects.toEqual(
      fencedOff,
    );
    await expect(finish(late)).rejects.toEqual(fencedOff);
    await extractionClaims.release(database, late, {
      delayMs: 0,
      countsAsAttempt: true,
      errorClass: 'x',
      errorMessage: 'x',
    });
    await failExtraction(database, late, { errorClass: 'x', errorMessage: 'x' });
    expect(await ledger(id)).toMatchObject({ state: 'active', attempts: 0, errorClass: null, modelCalls: 0 });
    await saveOutput(database, winner, CALL, 'pinned');
    await expect(saveOutput(database, late, CALL, 'pinned')).rejects.toEqual(fencedOff);
    await finish(winner);
    expect(await ledger(id)).toMatchObject({ state: 'done', attempts: 1, modelCalls: 1 });
  });

  test('after the end no claim may write, not even the one that ended it', async () => {
    const claim = await claimed(await accept());
    await finish(claim);
    await expect(saveOutput(database, claim, CALL, 'pinned')).rejects.toEqual(fencedOff);
    await expect(finish(claim)).rejects.toEqual(fencedOff);
  });

  test('a conversation that is deleted takes its extraction with it', async () => {
    const conversationId = randomUUID();
    const claim = await claimed(await accept(conversationId));
    await deleteConversation(database, DEFAULT_TENANT_ID, conversationId);
    await expect(saveOutput(database, claim, CALL, 'pinned')).rejects.toEqual(fencedOff);
    expect(await extractionClaims.renewLeases(database, [claim], LEASE_MS)).toEqual([claim.id]);
  });
});

describe('ending', () => {
  test('release puts it back with the time of the next try and counts only if told', async () => {
    const id = await accept();
    const error = { errorClass: 'transient', errorMessage: 'No connection.' };
    await extractionClaims.release(database, await claimed(id), {
      delayMs: 60_000,
      countsAsAttempt: false,
      ...error,
    });
    const free = await ledger(id);
    expect(free).toMatchObject({ state: 'pending', attempts: 0, ...error });
    expect((free?.nextAttemptAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(50_000);
    await extractionClaims.release(database, await claimed(id), {
      delayMs: 0,
      countsAsAttempt: true,
      ...error,
    });
    expect(await ledger(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  test('fail keeps the reason', async () => {
    const id = await accept();
    await failExtraction(database, await claimed(id), { errorClass: 'input', errorMessage: 'Too long.' });
    const row = await ledger(id);
    expect(row).toMatchObject({
      state: 'failed',
      attempts: 1,
      errorClass: 'input',
      errorMessage: 'Too long.',
    });
    expect(row?.finishedAt).not.toBeNull();
  });

  test('finish clears the last error and moves the conversation’s mark, never back', async () => {
    const conversationId = randomUUID();
    const first = await accept(conversationId);
    const second = await accept(conversationId);
    const error = { delayMs: 0, countsAsAttempt: false, errorClass: 'transient', errorMessage: 'x' };
    await failExtraction(database, await claimed(first), { errorClass: 'x', errorMessage: 'x' });
    await finish(await claimed(second));
    await replay(first);
    await extractionClaims.release(database, await claimed(first), error);
    await finish(await claimed(first));
    expect(await ledger(first)).toMatchObject({ state: 'done', errorClass: null, errorMessage: null });
    expect((await findConversation(database, DEFAULT_TENANT_ID, conversationId))?.extractedSeq).toBe(2);
  });
});

describe('the order of a conversation', () => {
  test('the next waits for the one before it, and is named when that has ended, well or badly', async () => {
    const conversationId = randomUUID();
    const [first, second, third] = [
      await accept(conversationId),
      await accept(conversationId),
      await accept(conversationId),
    ];
    expect(await take(second, 'two')).toEqual({ kind: 'blocked' });
    const claim = await claimed(first);
    expect(await take(second, 'two')).toEqual({ kind: 'blocked' });
    expect(await take(first, 'two')).toMatchObject({ kind: 'leased' });
    expect(await finish(claim)).toEqual({ next: second });
    expect(await take(first)).toEqual({ kind: 'finished', state: 'done', next: second });
    expect(await take(third, 'two')).toEqual({ kind: 'blocked' });
    const error = { errorClass: 'x', errorMessage: 'x' };
    expect(await failExtraction(database, await claimed(second), error)).toEqual({ next: third });
    expect(await finish(await claimed(third))).toEqual({ next: null });
  });

  test('one that waits for its next try keeps its place, and is not what comes next', async () => {
    const conversationId = randomUUID();
    const [first, second] = [await accept(conversationId), await accept(conversationId)];
    await finish(await claimed(first));
    await replay(first);
    const claim = await claimed(first);
    await extractionClaims.release(database, claim, {
      delayMs: 60_000,
      countsAsAttempt: false,
      errorClass: 'x',
      errorMessage: 'x',
    });
    expect(await take(second)).toEqual({ kind: 'blocked' });
    expect(await failExtraction(database, claim, { errorClass: 'x', errorMessage: 'x' })).toEqual({
      next: null,
    });
    expect(await ledger(first)).toMatchObject({ state: 'pending' });
  });

  test('one that was replayed waits for the younger one that is in work', async () => {
    const conversationId = randomUUID();
    const [first, second] = [await accept(conversationId), await accept(conversationId)];
    await finish(await claimed(first));
    const claim = await claimed(second, 'two');
    await replay(first);
    expect(await take(first)).toEqual({ kind: 'blocked' });
    expect(await finish(claim)).toEqual({ next: first });
  });

  test('with any number of parallel claims, one extraction per conversation runs at a time and none is forgotten', async () => {
    const conversationId = randomUUID();
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await accept(conversationId));
    const finished: string[] = [];
    let inWork = 0;
    /** A worker: takes one, and then what it is told to go on with; what waits it leaves to others. */
    const work = async (id: string, worker: string): Promise<void> => {
      for (let next: string | null = id; next !== null;) {
        const answer = await take(next, worker);
        if (answer.kind !== 'claimed') return;
        inWork += 1;
        expect(inWork).toBe(1);
        await database.query('select 1');
        inWork -= 1;
        finished.push(next);
        ({ next } = await finish(answer.claim));
      }
    };
    await Promise.all(ids.toReversed().map((id, n) => work(id, `worker ${n}`)));
    expect(finished).toEqual(ids);
  });
});

describe('outputs', () => {
  test('each call is counted with its tokens and time; one answer is pinned, however often it is sent', async () => {
    const id = await accept();
    const claim = await claimed(id);
    await saveOutput(database, claim, CALL, 'rejected');
    await saveOutput(database, claim, CALL, 'pinned');
    await saveOutput(database, claim, CALL, 'pinned');
    expect(await pinnedOutput(id)).toEqual(CALL.output);
    expect(await ledger(id)).toMatchObject({
      model: 'm',
      modelCalls: 2,
      modelMs: 60,
      promptTokens: 20,
      completionTokens: 4,
    });
  });

  test('what Postgres cannot hold is replaced, and unknown usage stays unknown', async () => {
    const id = await accept();
    const output = { ...CALL.output, raw: 'a\u0000b\ud800', promptTokens: null, completionTokens: null };
    await saveOutput(database, await claimed(id), { output, modelMs: 1 }, 'pinned');
    expect((await pinnedOutput(id))?.raw).toBe('a\ufffdb\ufffd');
    expect(await ledger(id)).toMatchObject({ promptTokens: null, completionTokens: null });
  });
});
