import type { ReplayChange } from '@factmill/contracts';
import {
  beginChange,
  changeTenant,
  claimReplayRun,
  clearUser,
  countReplayDiff,
  deleteMemories,
  findReplay,
  insertReplay,
  listReplayDiff,
  listReplayHeads,
  type NewReplay,
  purgeMemories,
  type ReplayRow,
  requestErasure,
  saveReplayAnswer,
  updateMemory,
} from '@factmill/database';
import { replayJob } from '@factmill/queue';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { remember } from '../compressing/compression.fixture.ts';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { createEraseJob } from '../maintenance/erase-job.ts';

const NEWER = 'newer-model';
const BY = { actor: 'test', extractionId: null };

let under: ExtractorUnderTest;
beforeAll(async () => {
  under = await openExtractorUnderTest();
  await under.start();
});
afterAll(() => under.close());
beforeEach(() => under.model.reset());

/** What the model that is configured says, and what the newer one does, of a message with these words. */
function answer(configured: Readonly<Record<string, object>>, newer: Readonly<Record<string, object>>): void {
  under.model.setReply(({ endpoint, body, userText }) => {
    if (endpoint !== 'chat') return undefined;
    const answers = body['model'] === NEWER ? newer : configured;
    const said = Object.entries(answers).find(([words]) => userText.includes(words));
    return { content: JSON.stringify(said?.[1] ?? { facts: {} }) };
  });
}

/** Extracts messages one after another, each on its own, with the configured model; resolves to their ids. */
async function live(userId: string, ...said: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  const conversationId = randomUUID();
  for (const content of said) {
    const id = await under.extract([{ content }], { userId, conversationId });
    expect(await under.ledger(id)).toMatchObject({ state: 'done' });
    ids.push(id);
  }
  return ids;
}

function newReplay(userId: string, settings: Partial<NewReplay> = {}): NewReplay {
  const none = {
    extractions: 0,
    users: 0,
    messages: 0,
    model_calls: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
  };
  return {
    id: randomUUID(),
    tenantId: TENANT,
    userId,
    since: null,
    until: null,
    preset: 'standard',
    model: NEWER,
    prompt: null,
    estimate: { ...none, model: NEWER, cost: null },
    ...settings,
  };
}

async function begin(replay: NewReplay, work: () => Promise<void>): Promise<void> {
  await work();
  const heads = await listReplayHeads(under.database, { ...replay, limit: 10 });
  await under.queues.enqueue(heads.map(replayJob)).catch(() => undefined);
}

const start = (replay: NewReplay) =>
  begin(replay, () => under.database.transaction((tx) => insertReplay(tx, replay)));
const changeBy = (replay: NewReplay, kind: 'apply' | 'undo') =>
  begin(replay, () => under.database.transaction((tx) => beginChange(tx, replay, kind)));

const untilReplay = (replay: NewReplay, is: (row: ReplayRow) => boolean): Promise<ReplayRow> =>
  waitFor(
    async () => {
      const row = await findReplay(under.database, { ...replay, userId: null });
      return row !== undefined && is(row) ? row : undefined;
    },
    { timeoutMs: 30_000, describe: 'the replay to get there' },
  );
const untilState = (replay: NewReplay, state: ReplayRow['state']) =>
  untilReplay(replay, (row) => row.state === state);

async function diffOf({ id, tenantId }: NewReplay) {
  const target = { tenantId, replayId: id, userId: null };
  const changes: ReplayChange[] = ['added', 'changed', 'gone', 'same'];
  const rows = await listReplayDiff(under.database, target, { changes, after: null, limit: 100 });
  const counts = await countReplayDiff(under.database, target);
  return { counts, rows };
}

/** What is served of a user, and its history, without times. */
async function served(userId: string): Promise<unknown[]> {
  const { rows } = await under.database.query<Record<string, unknown>>(
    `select id, content, category, is_current, deleted_at is not null as deleted, valid_to, superseded_by, extraction_id
     from memories where tenant_id = $1::uuid and user_id = $2::text order by id`,
    [TENANT, userId],
  );
  return rows;
}

async function current(userId: string): Promise<string[]> {
  const { rows } = await under.database.query<{ text: string }>(
    `select category || ': ' || content as text from memories
     where tenant_id = $1::uuid and user_id = $2::text and is_current order by text`,
    [TENANT, userId],
  );
  return rows.map(({ text }) => text);
}

const eventsOf = (userId: string) =>
  under.database.one('select count(*) as count from events where user_id = $1::text', [userId]);

const WHY = { q: 'Why did the user move?', a: 'For a job' };
const BERLIN = 'I live in Berlin for a job, like ramen, have a cat and drive a Fiat.';
const LISBON = 'I moved to Lisbon.';

test('a shadow changes nothing until it is applied, then what differs, and an undo takes it back', async () => {
  answer(
    {
      'live in Berlin': { facts: { home: 'Berlin', food: 'ramen', pet: 'cat', car: 'Fiat' }, context: [WHY] },
      'moved to Lisbon': { facts: { home: 'Lisbon' } },
    },
    {
      'live in Berlin': {
        facts: [
          { category: 'identity', key: 'home', value: 'Berlin' },
          { category: 'preference', key: 'food', value: 'ramen' },
          { category: 'general', key: 'pet', value: 'cat' },
          { category: 'work', key: 'job', value: 'a job' },
        ],
        context: [WHY],
      },
      'moved to Lisbon': { facts: [{ category: 'identity', key: 'home', value: 'Lisbon' }] },
    },
  );
  await live('maya', BERLIN, LISBON);
  await remember(under, 'maya', [{ content: 'The user is allergic to nuts.' }]);
  const idOf = async (key: string) => {
    const { id } = await under.database.one<{ id: string }>(
      `select id from memories where user_id = 'maya' and key = $1::text`,
      [key],
    );
    return { tenantId: TENANT, userId: 'maya', id };
  };
  // What people have done by hand counts more than what a model says.
  await updateMemory(under.database, await idOf('pet'), { content: 'The cat is called Miso.' }, BY);
  await deleteMemories(under.database, { ...(await idOf('food')), key: null, category: null }, BY);
  const before = await served('maya');
  const events = await eventsOf('maya');

  const replay = newReplay('maya');
  await start(replay);
  expect(await untilState(replay, 'done')).toMatchObject({ runs: 2, done: 2, failed: 0, modelCalls: 2 });
  expect(await served('maya')).toEqual(before);
  expect(await eventsOf('maya')).toEqual(events);
  const { counts, rows } = await diffOf(replay);
  expect(counts).toEqual({ added: 1, changed: 1, gone: 1, same: 1 });
  expect(
    rows
      .map(({ change, fields, before: was, after }) => [change, was?.content, after?.content, fields])
      .sort(),
  ).toEqual([
    ['added', undefined, expect.stringContaining('a job'), []],
    ['changed', expect.stringContaining('Lisbon'), expect.stringContaining('Lisbon'), ['category']],
    ['gone', expect.stringContaining('Fiat'), undefined, []],
    ['same', expect.stringContaining('Why'), expect.stringContaining('Why'), []],
  ]);

  await changeBy(replay, 'apply');
  await untilState(replay, 'applied');
  expect(await current('maya')).toEqual([
    expect.stringMatching(/^general: Q: Why/),
    'general: The cat is called Miso.',
    'general: The user is allergic to nuts.',
    'identity: The user lives in Lisbon.',
    expect.stringMatching(/^work: .*a job/),
  ]);
  expect(await served('maya')).toContainEqual(
    expect.objectContaining({
      content: 'The user lives in Berlin.',
      category: 'identity',
      is_current: false,
    }),
  );
  expect((await diffOf(replay)).counts).toEqual({ added: 0, changed: 0, gone: 0, same: 3 });
  const { rows: versions } = await under.database.query<{ operation: string }>(
    'select distinct operation from memory_versions where actor = $1::text order by 1',
    [`replay:${replay.id}`],
  );
  expect(versions.map(({ operation }) => operation)).toEqual(['ADD', 'DELETE']);

  await changeBy(replay, 'undo');
  await untilState(replay, 'undone');
  const known = new Set(before.map((row) => (row as { id: string }).id));
  expect((await served('maya')).filter((row) => known.has((row as { id: string }).id))).toEqual(before);
  expect(await current('maya')).toContain('general: The user lives in Lisbon.');
  expect(await current('maya')).not.toContain('identity: The user lives in Lisbon.');
});

test('without what a period brought, what it replaced holds again; what came since stays', async () => {
  answer(
    { 'live in Berlin': { facts: { home: 'Berlin' } }, 'moved to Lisbon': { facts: { home: 'Lisbon' } } },
    {},
  );
  const [, second = ''] = await live('noah', 'I live in Berlin.', LISBON);
  const { at } = await under.database.one<{ at: Date }>(
    'select accepted_at as at from extractions where id = $1::uuid',
    [second],
  );
  const before = await served('noah');
  const replay = newReplay('noah', { since: at.toISOString() });
  await start(replay);
  await untilState(replay, 'done');
  expect((await diffOf(replay)).rows).toMatchObject([
    {
      change: 'changed',
      before: { content: 'The user lives in Lisbon.' },
      after: { content: 'The user lives in Berlin.' },
      fields: ['value', 'content'],
    },
  ]);
  const [hand] = await remember(under, 'noah', [{ content: 'The user sails.' }]);
  await changeBy(replay, 'apply');
  await untilState(replay, 'applied');
  expect(await current('noah')).toEqual(['general: The user lives in Berlin.', 'general: The user sails.']);
  await changeBy(replay, 'undo');
  await untilState(replay, 'undone');
  expect((await served('noah')).filter((row) => (row as { id: string }).id !== hand)).toEqual(before);
});

test('another worker goes on where one has died, with the answer that is paid for', async () => {
  answer({}, { 'live in Berlin': { facts: [{ category: 'identity', key: 'home', value: 'Berlin' }] } });
  await live('ada', 'I live in Berlin.', 'I like ramen.');
  const replay = newReplay('ada');
  await under.database.transaction(async (tx) => {
    await insertReplay(tx, replay);
    const [head] = await listReplayHeads(tx, { ...replay, limit: 1 });
    const given = {
      tenantId: TENANT,
      id: head?.id ?? '',
      workerId: randomUUID(),
      leaseMs: 1,
      asksModel: true,
    };
    const result = await claimReplayRun(tx, given);
    if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
    const output = {
      provider: 'openai',
      model: NEWER,
      promptVersion: 'v',
      raw: '{"facts": [{"category": "identity", "key": "home", "value": "Berlin by the dead"}]}',
      finishReason: 'stop',
      promptTokens: 10,
      completionTokens: 5,
    };
    await saveReplayAnswer(tx, result.claim, { output, modelMs: 1 }, 'pinned', {});
  });
  expect(await untilState(replay, 'done')).toMatchObject({
    runs: 2,
    done: 2,
    modelCalls: 2,
    promptTokens: expect.any(Number),
  });
  const asked = under.model.calls.filter(({ body }) => body['model'] === NEWER);
  expect(asked.map(({ userText }) => userText.includes('ramen'))).toEqual([true]);
  expect((await diffOf(replay)).rows).toMatchObject([{ after: { value: 'Berlin by the dead' } }]);
});

test('over budget it waits and says so; with a raised budget it goes on', async () => {
  answer({}, {});
  await live('eve', 'I live in Berlin.');
  const by = { tenantId: TENANT, actor: 'test', requestId: null };
  const budgets = (amount: number) =>
    changeTenant(under.database, TENANT, { budgets: [{ period: 'day', unit: 'tokens', amount }] }, by);
  await budgets(0);
  const replay = newReplay('eve');
  await start(replay);
  const waiting = await untilReplay(replay, ({ deferredUntil }) => deferredUntil !== null);
  expect(waiting).toMatchObject({ state: 'running', reason: 'budget_tokens_day', modelCalls: 0 });
  await budgets(1_000_000_000);
  expect(await untilState(replay, 'done')).toMatchObject({ done: 1, deferredUntil: null, modelCalls: 1 });
  const { rows } = await under.database.query(
    `select calls from usage where user_id = 'eve' and purpose = 'replay'`,
  );
  expect(rows).toEqual([{ calls: 1 }]);
});

test('a model that the endpoint does not have fails its runs, and stops nobody else', async () => {
  answer({ 'live in Berlin': { facts: { home: 'Berlin' } } }, {});
  await live('bob', 'I live in Berlin.');
  under.model.setReply(({ body }) => (body['model'] === NEWER ? { status: 404 } : undefined));
  const replay = newReplay('bob');
  await start(replay);
  expect(await untilState(replay, 'done')).toMatchObject({ failed: 1, errorClass: expect.any(String) });
  expect((await diffOf(replay)).counts).toEqual({ added: 0, changed: 0, gone: 0, same: 0 });
  const down = await under.database.query('select from provider_breakers where opened_at is not null');
  expect(down.rowCount).toBe(0);
});

/** A shadow with a copy of a memory and with a finding, both about canaries. */
async function shadowOfCanaries(userId: string): Promise<NewReplay> {
  const home = (value: string) => ({
    'live in Berlin': { facts: [{ category: 'identity', key: 'home', value }] },
  });
  answer(home('Berlin'), home('Berlin with canaries'));
  await remember(under, userId, [{ content: 'The user keeps canaries.' }]);
  await live(userId, 'I live in Berlin.');
  const replay = newReplay(userId);
  await start(replay);
  await untilState(replay, 'done');
  expect((await shadows()).match(/(?:keeps|with) canaries/g)?.sort()).toEqual(
    expect.arrayContaining(['keeps canaries', 'with canaries']),
  );
  return replay;
}

async function shadows(): Promise<string> {
  const { text } = await under.database.one<{ text: string }>(
    `select concat((select jsonb_agg(m) from replay_memories m), (select jsonb_agg(a) from replay_answers a),
       (select jsonb_agg(r) from replay_runs r), (select jsonb_agg(p) from replays p)) as text`,
  );
  return text;
}

test('a shadow is erased with its user', async () => {
  await shadowOfCanaries('leaver');
  const request = { id: randomUUID(), tenantId: TENANT, userId: 'leaver', requestedBy: 'test' };
  await requestErasure(under.database, request);
  const erase = createEraseJob({ database: under.database });
  await erase({ tenantId: TENANT, erasureId: request.id }, new AbortController().signal);
  expect(await shadows()).not.toMatch(/canaries|leaver/);
  const { counts } = await under.database.one<{ counts: object }>(
    'select counts from erasures where id = $1::uuid',
    [request.id],
  );
  expect(counts).toMatchObject({ replay_runs: 1, replay_memories: 2, replays: 1 });
});

test('what is purged leaves the shadow too; clearing a user takes all of it', async () => {
  const by = { tenantId: TENANT, actor: 'test', requestId: null };
  await shadowOfCanaries('purger');
  const { rows } = await under.database.query<{ id: string }>(
    `select id from memories where user_id = 'purger' and is_current`,
  );
  const whose = { tenantId: TENANT, userId: 'purger', key: null, category: null };
  for (const { id } of rows) await purgeMemories(under.database, { ...whose, id }, by);
  expect(await shadows()).not.toContain('canaries');
  await shadowOfCanaries('purger');
  await clearUser(under.database, { tenantId: TENANT, userId: 'purger' }, BY, by);
  expect(await shadows()).not.toMatch(/canaries|purger/);
});
