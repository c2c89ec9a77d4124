import type { Policy, Schedule, Trigger } from '@factmill/contracts';
import { acceptRequest, NO_QUEUE_LIMITS } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { acceptConversations, type AcceptRequest } from './accept.ts';
import { createConversation, findConversation, updateConversation } from '../conversations/conversations.ts';
import { OFF } from '../due-rows.fixture.ts';
import { scheduleDueConversations } from './schedule.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const PAIR: Trigger = { ...OFF, scope: 'ephemeral', reads_replies: true, quiet_gap_s: 0 };
const schedule: Schedule = {
  preset: 'off',
  presets: { off: OFF, pair: PAIR, other: { ...OFF, quiet_gap_s: 60 } },
  daily_flush_at: '03:00',
  time_zone: 'Europe/Berlin',
  stale_after_s: 1_800,
};

const { database } = await openTestDatabase({ createPool, migrate }, { max: 8 });

type Said = 'u' | 'a' | 't';
const ROLES = { u: 'user', a: 'assistant', t: 'tool' } as const;

type Options = Partial<Pick<AcceptRequest, 'extract' | 'preset' | 'regenerated' | 'userId'>> & {
  tokens?: number;
};

/** Posts messages of these roles to a conversation; ids are those of the answer. */
async function post(conversationId: string, said: readonly Said[], options: Options = {}) {
  const { extract = 'auto', preset = null, regenerated = false, userId = 'maya', tokens = 1 } = options;
  const request: AcceptRequest = {
    ...acceptRequest(DEFAULT_TENANT_ID),
    userId,
    conversationId,
    messages: said.map((role) => ({
      id: randomUUID(),
      role: ROLES[role],
      content: 'x',
      tokenEstimate: tokens,
    })),
    extract,
    regenerated,
    trigger: extract === 'now' ? 'request' : 'messages',
    preset,
  };
  const { results } = await acceptConversations(database, [request], NO_QUEUE_LIMITS, schedule);
  const [result] = results;
  if (result?.status !== 'accepted') throw new Error(`not accepted: ${result?.status}`);
  return result;
}

/** A new conversation with this policy. */
async function begin(
  policy: Omit<Policy, 'preset'> & { preset?: string } = {},
  userId = 'maya',
): Promise<string> {
  const id = randomUUID();
  await createConversation(database, {
    tenantId: DEFAULT_TENANT_ID,
    id,
    userId,
    project: null,
    title: null,
    policy: policy as Policy,
    metadata: {},
    staleAfterS: schedule.stale_after_s,
  });
  return id;
}

/** Lets time go by for a conversation: what it remembers of the clock lies further back. */
async function later(conversationId: string, seconds: number): Promise<void> {
  await database.query(
    `update conversations set extraction_due_at = extraction_due_at - $2::integer * interval '1 second',
       last_active_at = last_active_at - $2::integer * interval '1 second' where id = $1::text`,
    [conversationId, seconds],
  );
}

const runScheduler = (most = 100, limits = NO_QUEUE_LIMITS) =>
  scheduleDueConversations(database, { most, limits, schedule });

type Row = {
  id: string;
  range: string;
  trigger: string;
  state: string;
  preset: string;
  reason: string | null;
};

async function ledger(conversationId: string): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `select id, from_seq || '-' || to_seq as range, trigger, state, preset, reason from extractions
     where conversation_id = $1::text order by accepted_no`,
    [conversationId],
  );
  return rows;
}
const ranges = async (id: string) => (await ledger(id)).map((row) => row.range);

/** Seconds until it is due; null when it is not, or when only something else will make it so. */
async function dueIn(conversationId: string): Promise<number | null> {
  const { rows } = await database.query<{ s: number | null }>(
    `select round(extract(epoch from nullif(extraction_due_at, 'infinity') - now()))::integer as s
     from conversations where id = $1::text`,
    [conversationId],
  );
  return rows[0]?.s ?? null;
}

describe('when a conversation is due', () => {
  test('a quiet gap after the last message, once min_turns user messages have gathered (C3, A4)', async () => {
    const id = await begin({ min_turns: 2, quiet_gap_s: 60 });
    expect((await post(id, ['u'])).extraction).toBeNull();
    expect(await dueIn(id)).toBeNull();
    await post(id, ['a', 'u']);
    expect(await dueIn(id)).toBe(60);
    await later(id, 40);
    await post(id, ['a']);
    expect(await dueIn(id)).toBe(60);
    await runScheduler();
    expect(await ledger(id)).toEqual([]);
    await later(id, 60);
    expect((await runScheduler()).scheduled).toHaveLength(1);
    expect(await ledger(id)).toMatchObject([
      { range: '1-4', trigger: 'quiet_gap', state: 'pending', preset: 'off' },
    ]);
    expect(await dueIn(id)).toBeNull();
    await runScheduler();
    expect(await ledger(id)).toHaveLength(1);
  });

  test('without a quiet gap at min_turns itself; what was scheduled does not count again (A4)', async () => {
    const id = await begin({ min_turns: 2, quiet_gap_s: 0, idle_timeout_s: 180 });
    expect((await post(id, ['u', 'a'])).extraction).toBeNull();
    expect((await post(id, ['u'])).extraction).not.toBeNull();
    expect((await post(id, ['a'])).extraction).toBeNull();
    expect(await dueIn(id)).toBeNull();
    expect((await post(id, ['u'])).extraction).toBeNull();
    expect(await dueIn(id)).toBe(180);
    expect(await ledger(id)).toMatchObject([{ range: '1-3', trigger: 'messages' }]);
  });

  test('after the idle timeout, however little there is, but not without a user (A4)', async () => {
    const id = await begin({ min_turns: 5, idle_timeout_s: 180 });
    await post(id, ['a']);
    expect(await dueIn(id)).toBeNull();
    await post(id, ['u']);
    expect(await dueIn(id)).toBe(180);
    await later(id, 180);
    await runScheduler();
    expect(await ledger(id)).toMatchObject([{ range: '1-2', trigger: 'idle_timeout' }]);
  });

  test('at once at max_turns, whatever the quiet gap (A4)', async () => {
    const id = await begin({ min_turns: 9, max_turns: 3 });
    await post(id, ['u', 'a', 'u', 'a']);
    expect((await post(id, ['u'])).extraction).not.toBeNull();
    expect(await ranges(id)).toEqual(['1-5']);
  });

  test('at once at the token cap (C3)', async () => {
    const id = await begin({ min_turns: 9, token_cap: 100 });
    expect((await post(id, ['u', 'a'], { tokens: 40 })).extraction).toBeNull();
    expect((await post(id, ['a'], { tokens: 20 })).extraction).not.toBeNull();
  });

  test('by the daily flush, at its time of day in its zone, also over the change of clocks (C3)', async () => {
    const id = await begin({ min_turns: 9, daily_flush: true });
    await post(id, ['u']);
    const { rows } = await database.query(
      `select to_char(extraction_due_at at time zone 'Europe/Berlin', 'HH24:MI') as at, extraction_due_for as for,
         extraction_due_at - now() <= interval '1 day' as soon from conversations where id = $1::text`,
      [id],
    );
    expect(rows).toEqual([{ at: '03:00', for: 'daily_flush', soon: true }]);
    const next = (after: string) =>
      database.one<{ at: Date }>('select next_daily_flush($1::jsonb, $2::timestamptz) as at', [
        JSON.stringify(schedule),
        after,
      ]);
    expect((await next('2026-03-28T12:00:00Z')).at.toISOString()).toBe('2026-03-29T01:00:00.000Z');
    expect((await next('2026-03-29T01:00:00Z')).at.toISOString()).toBe('2026-03-30T01:00:00.000Z');
    expect((await next('2026-10-25T00:30:00Z')).at.toISOString()).toBe('2026-10-25T02:00:00.000Z');
  });

  test('a new conversation in one request goes by the same rules', async () => {
    const id = randomUUID();
    expect((await post(id, ['u'], { preset: 'other' })).extraction).toBeNull();
    expect(await dueIn(id)).toBe(60);
    const unheardOf = randomUUID();
    expect((await post(unheardOf, ['u'], { preset: 'of a later version' })).extraction).toBeNull();
    expect(await dueIn(unheardOf)).toBe(3_600);
  });

  test('never only stores: not due by itself, but part of what comes later', async () => {
    const id = randomUUID();
    expect((await post(id, ['u', 'u'], { extract: 'never' })).extraction).toBeNull();
    expect(await dueIn(id)).toBeNull();
    await post(id, ['u'], { extract: 'never' });
    expect(await dueIn(id)).toBeNull();
    await post(id, ['u']);
    expect(await dueIn(id)).toBe(3_600);
    expect((await post(id, ['u'], { extract: 'now' })).extraction).not.toBeNull();
    expect(await ranges(id)).toEqual(['1-5']);
    expect(await dueIn(id)).toBeNull();
  });

  test('what is due already is not put off by a message that comes before the scheduler', async () => {
    const id = await begin({ quiet_gap_s: 60 });
    await post(id, ['u']);
    await later(id, 61);
    expect((await post(id, ['u'])).extraction).not.toBeNull();
    expect(await ranges(id)).toEqual(['1-2']);
  });

  test('by a new policy as soon as it has one', async () => {
    const id = await begin({ quiet_gap_s: 600, min_turns: 1 });
    await post(id, ['u']);
    const changed = await updateConversation(
      database,
      { tenantId: DEFAULT_TENANT_ID, id },
      { title: 'T', policy: { quiet_gap_s: 30 } },
      schedule,
    );
    expect(changed).toMatchObject({ title: 'T', policy: { quiet_gap_s: 30 } });
    expect(await dueIn(id)).toBe(30);
    await updateConversation(database, { tenantId: DEFAULT_TENANT_ID, id }, { title: null }, schedule);
    expect(await findConversation(database, DEFAULT_TENANT_ID, id)).toMatchObject({
      title: null,
      policy: { quiet_gap_s: 30 },
    });
    expect(await dueIn(id)).toBe(30);
  });
});

describe('which preset', () => {
  test('the request’s, else the conversation’s, else the deployment’s', async () => {
    const id = await begin({ preset: 'other' });
    await post(id, ['u']);
    expect(await dueIn(id)).toBe(60);
    await post(id, ['u'], { extract: 'now' });
    await post(id, ['u'], { extract: 'now', preset: 'pair' });
    const plain = await begin();
    await post(plain, ['u'], { extract: 'now' });
    expect((await ledger(id)).map((row) => row.preset)).toEqual(['other', 'pair']);
    expect((await ledger(plain)).map((row) => row.preset)).toEqual(['off']);
  });
});

describe('an ephemeral scope (A3)', () => {
  test('a pair is due with its reply, and what was said before it is written down as passed over', async () => {
    const id = await begin({ preset: 'pair' });
    expect((await post(id, ['u'])).extraction).toBeNull();
    expect((await post(id, ['u', 't'])).extraction).toBeNull();
    expect(await dueIn(id)).toBeNull();
    expect((await post(id, ['a'])).extraction).not.toBeNull();
    expect(await ledger(id)).toMatchObject([
      { range: '1-1', state: 'skipped', reason: 'passed_over' },
      { range: '2-4', state: 'pending', trigger: 'messages', preset: 'pair' },
    ]);
    await post(id, ['a']);
    await post(id, ['u', 'a']);
    expect((await ranges(id)).at(-1)).toBe('6-7');
  });

  test('a reply that does not come is waited for no longer than the gap', async () => {
    const id = await begin({ preset: 'pair', quiet_gap_s: 30 });
    await post(id, ['u']);
    expect(await dueIn(id)).toBe(30);
    await later(id, 30);
    await runScheduler();
    expect(await ledger(id)).toMatchObject([{ range: '1-1', trigger: 'quiet_gap' }]);
  });

  test('now does not wait for the reply', async () => {
    const id = await begin({ preset: 'pair' });
    expect((await post(id, ['u', 'a', 'u'], { extract: 'now' })).extraction).not.toBeNull();
    expect((await ledger(id)).map((row) => [row.range, row.state])).toEqual([
      ['1-2', 'skipped'],
      ['3-3', 'pending'],
    ]);
  });
});

describe('more than max_turns user messages (A4)', () => {
  test('become several extractions; the answer names the last, and all', async () => {
    const id = await begin({ max_turns: 2 });
    const said: Said[] = ['a', 'u', 'a', 'u', 'u', 'a', 't', 'u', 'u', 'a'];
    const { extraction } = await post(id, said, { extract: 'now' });
    const rows = await ledger(id);
    expect(rows.map((row) => row.range)).toEqual(['1-4', '5-8', '9-10']);
    expect(extraction).toMatchObject({ id: rows[2]?.id, part_ids: rows.map((row) => row.id) });
    expect(rows.every((row) => /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab]/.test(row.id))).toBe(true);
    expect(rows.slice(0, 2).every((row) => row.id[14] === '7')).toBe(true);
  });

  test('whatever was said: all of it is covered, in order, nothing twice, no part above max_turns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom<Said>('u', 'u', 'a', 't'), { minLength: 1, maxLength: 12 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom<'now' | 'auto' | 'due'>('now', 'auto', 'due'),
        async (posts, maxTurns, how) => {
          const id = await begin({ max_turns: maxTurns, quiet_gap_s: 60 });
          for (const said of posts) {
            await post(id, said, { extract: how === 'due' ? 'never' : how });
          }
          if (how === 'due') {
            await database.query('update conversations set extraction_due_at = now() where id = $1::text', [
              id,
            ]);
            await runScheduler();
          }
          const roles = posts.flat();
          const covered = (await ranges(id)).map((range) => range.split('-').map(Number) as [number, number]);
          let next = 1;
          for (const [from, to] of covered) {
            expect(from).toBe(next);
            expect(to).toBeGreaterThanOrEqual(from);
            expect(roles.slice(from - 1, to).filter((role) => role === 'u').length).toBeLessThanOrEqual(
              maxTurns,
            );
            next = to + 1;
          }
          const { rows } = await database.query<{ scheduled: number }>(
            'select scheduled_seq as scheduled from conversations where id = $1::text',
            [id],
          );
          expect(rows[0]?.scheduled).toBe(next - 1);
          if (how !== 'auto') expect(next - 1).toBe(roles.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('what a user left behind (D12)', () => {
  test('is due when they begin another conversation, by either way, once it is idle for long enough', async () => {
    for (const way of ['explicit', 'implicit'] as const) {
      const userId = randomUUID();
      const [stale, fresh, stored, silent] = [
        await begin({ min_turns: 9, quiet_gap_s: 3_600 }, userId),
        await begin({ min_turns: 9 }, userId),
        await begin({}, userId),
        await begin({}, userId),
      ];
      await post(stale, ['u'], { userId });
      await post(fresh, ['u'], { userId });
      await post(stored, ['u'], { userId, extract: 'never' });
      await post(silent, ['a'], { userId });
      for (const id of [stale, stored, silent]) await later(id, 1_801);
      await later(fresh, 1_700);
      await runScheduler();
      if (way === 'explicit') await begin({}, userId);
      else await post(randomUUID(), ['u'], { userId });
      await runScheduler();
      expect(await ledger(stale)).toMatchObject([{ range: '1-1', trigger: 'stale_conversation' }]);
      for (const id of [fresh, stored, silent]) expect(await ledger(id)).toEqual([]);
    }
  });

  test('is not due by anybody else’s, nor by one more message to a conversation that is there', async () => {
    const userId = randomUUID();
    const [stale, other] = [await begin({ min_turns: 9 }, userId), await begin({ min_turns: 9 }, userId)];
    await post(stale, ['u'], { userId });
    await later(stale, 4_000);
    await post(randomUUID(), ['u'], { userId: randomUUID() });
    await post(other, ['u'], { userId });
    await runScheduler();
    expect(await ledger(stale)).toEqual([]);
  });
});

describe('the scheduler', () => {
  test('schedules each due conversation once, however many run', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => begin({ quiet_gap_s: 60 })));
    await Promise.all(ids.map((id) => post(id, ['u'])));
    await Promise.all(ids.map((id) => later(id, 60)));
    let scheduled = 0;
    for (let rounds = 0; rounds < 3; rounds += 1) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => runScheduler(5)));
      scheduled += answers.reduce((sum, answer) => sum + answer.scheduled.length, 0);
    }
    expect(scheduled).toBe(40);
    for (const id of ids) expect(await ledger(id)).toHaveLength(1);
  });

  test('while messages arrive: no message twice, none left out', async () => {
    const id = await begin({ quiet_gap_s: 60 });
    await post(id, ['u']);
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        if (n % 3 !== 0) await post(id, ['u', 'a']);
        else {
          await later(id, 60);
          await runScheduler();
        }
      }),
    );
    await later(id, 60);
    await runScheduler();
    let next = 1;
    for (const range of await ranges(id)) {
      const [from, to] = range.split('-').map(Number);
      expect(from).toBe(next);
      next = (to ?? 0) + 1;
    }
    expect(next - 1).toBe(41);
  });

  test('keeps the queue within its limits, and says what it dropped', async () => {
    await database.query(`update extractions set state = 'done' where state = 'pending'`);
    const ids = await Promise.all(Array.from({ length: 5 }, () => begin({ quiet_gap_s: 60 })));
    for (const id of ids) await post(id, ['u']);
    for (const id of ids) await later(id, 60);
    const { scheduled, dropped } = await runScheduler(100, { queueLimit: 2, tenantQueueLimit: 0 });
    expect(scheduled).toHaveLength(5);
    expect(dropped.map((row) => row.id)).toEqual(scheduled.slice(0, 3).map((row) => row.id));
    const { rows } = await database.query(
      `select count(*)::integer as n from extractions where state = 'pending'`,
    );
    expect(rows).toEqual([{ n: 2 }]);
  });
});
