import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listMemoryVersions, lockUserMemories, type Sql } from '@factmill/database';
import { startProcess, waitFor } from '@factmill/testkit';
import { fileURLToPath } from 'node:url';
import {
  answerWith,
  questionOf,
  questions,
  remember,
  startRun,
  stored,
  untilRun,
} from './compression.fixture.ts';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const OFF = { COMPRESS_DAILY_AT: 'off', COMPRESS_WEEKLY_AT: 'off' };

let under: ExtractorUnderTest;
beforeEach(async () => {
  under = await openExtractorUnderTest({ env: OFF });
});
afterEach(async () => {
  await under.close();
});

const TEA = [
  { content: 'The user drinks green tea in the morning.', topic: 'drinks', messageIds: ['m1'] },
  {
    content: 'The user prefers green tea over coffee.',
    topic: 'drinks',
    messageIds: ['m2'],
    importance: 0.6,
  },
  { content: 'The user bought a kettle in Oslo.', topic: 'drinks' },
  { content: 'The user dislikes fizzy lemonade.', topic: 'drinks' },
];
const MERGED = 'The user drinks green tea in the morning and prefers it over coffee.';

/** What the prompt numbers a memory with. */
function numberOf(body: Readonly<Record<string, unknown>>, content: string): number {
  return Number(new RegExp(String.raw`(\d+)\. \([\d-]+\) ${content}`).exec(JSON.stringify(body))?.[1]);
}

function answerMerge(): void {
  under.model.setReply(({ endpoint, body }) => {
    if (endpoint !== 'chat') return undefined;
    const from = [TEA[0]?.content ?? '', TEA[1]?.content ?? ''].map((content) => numberOf(body, content));
    const merges = questionOf(body) === 'merge' && from.every(Number.isFinite);
    return { content: JSON.stringify(merges ? { memories: [{ text: MERGED, from }] } : { profile: [] }) };
  });
}

describe('merging', () => {
  test('sources are archived and lead to the statement; a second run finds nothing new', async () => {
    answerMerge();
    const [first = '', second = '', kettle = ''] = await remember(under, 'maya', TEA);
    await remember(under, 'maya', [{ content: 'The user owns a boat.', topic: 'small' }]);
    await under.start();
    const run = await untilRun(under, await startRun(under, 'weekly', 'maya'));
    expect(run).toMatchObject({ state: 'done', counts: { added: 1, merged: 2, refused: 0 } });
    const memories = await stored(under, 'maya');
    const merged = memories.find(({ content }) => content === MERGED);
    expect(merged).toMatchObject({
      tier: 2,
      topic: 'drinks',
      current: true,
      metadata: { compressed_from: [first, second], compression_run: run.id },
      operations: ['ADD'],
    });
    expect(merged?.messageIds.toSorted()).toEqual(['m1', 'm2']);
    for (const id of [first, second]) {
      expect(memories.find((memory) => memory.id === id)).toMatchObject({
        archived: true,
        supersededBy: merged?.id,
        operations: ['ADD', 'MERGE'],
      });
    }
    expect(memories.find(({ id }) => id === kettle)).toMatchObject({ current: true, operations: ['ADD'] });
    // The history of the statement begins with what it was made of.
    const versions = await listMemoryVersions(under.database, {
      tenantId: TENANT,
      userId: 'maya',
      id: merged?.id ?? '',
    });
    expect(new Set(versions.map(({ memoryId }) => memoryId))).toEqual(new Set([first, second, merged?.id]));

    const asked = questions(under);
    const again = await untilRun(under, await startRun(under, 'weekly', 'maya', { period: '2020-01-01' }));
    expect(again).toMatchObject({ state: 'done', counts: { added: 0, merged: 0 } });
    expect(questions(under)).toBe(asked);
  });

  test('a statement that is one of its sources, word for word, keeps that one', async () => {
    const [first = '', second = ''] = await remember(under, 'maya', TEA);
    under.model.setReply(({ endpoint, body }) => {
      if (endpoint !== 'chat') return undefined;
      const from = TEA.slice(0, 2).map(({ content }) => numberOf(body, content));
      return { content: JSON.stringify({ memories: [{ text: TEA[0]?.content, from }] }) };
    });
    await under.start();
    await untilRun(under, await startRun(under, 'weekly', 'maya'));
    const memories = await stored(under, 'maya');
    expect(memories).toHaveLength(4);
    expect(memories.find(({ id }) => id === first)).toMatchObject({ current: true });
    expect(memories.find(({ id }) => id === second)).toMatchObject({ archived: true, supersededBy: first });
  });

  test('repetitions go into the keyed fact, and keyed facts are not merged', async () => {
    answerWith(under, {});
    const ids = await remember(under, 'maya', [
      { content: 'The user lives in Lisbon.', key: 'home', category: 'location' },
      { content: 'The user, lives in Lisbon', category: 'note' },
    ]);
    await under.start();
    const run = await untilRun(under, await startRun(under, 'weekly', 'maya'));
    expect(run.counts).toMatchObject({ collapsed: 1, merged: 0 });
    expect((await stored(under, 'maya')).find(({ id }) => id === ids[1])).toMatchObject({
      archived: true,
      supersededBy: ids[0],
    });
  });

  test('a memory that the user deletes while the model thinks is not brought back', async () => {
    const [first = ''] = await remember(under, 'maya', TEA);
    let asked = false;
    under.model.setReply(({ endpoint, body }) => {
      if (endpoint !== 'chat') return undefined;
      if (questionOf(body) === 'profile') return { content: '{"profile":[]}' };
      asked = true;
      const from = TEA.slice(0, 2).map(({ content }) => numberOf(body, content));
      return { content: JSON.stringify({ memories: [{ text: MERGED, from }] }), delayMs: 500 };
    });
    await under.start();
    const id = await startRun(under, 'weekly', 'maya');
    await waitFor(() => asked, { describe: 'the question' });
    await under.database.query('update memories set deleted_at = now() where id = $1::uuid', [first]);
    expect(await untilRun(under, id)).toMatchObject({
      state: 'done',
      counts: { merged: 0, added: 0, refused: 1 },
    });
    expect((await stored(under, 'maya')).filter(({ current }) => current)).toHaveLength(3);
  });
});

describe('the profile', () => {
  test('lines are added, reworded, promoted and archived, each with a version', async () => {
    const home = { content: 'The user lives in Lisbon.', tier: 1 as const };
    const gone = { content: 'The user studies at the university.', tier: 1 as const };
    const job = { content: 'The user works as a nurse in Porto since May.', importance: 0.9 };
    const allergy = { content: 'The user is allergic to nuts.', importance: 0.8 };
    const ids = await remember(under, 'maya', [home, gone, job, allergy]);
    under.model.setReply(({ endpoint, body }) => {
      if (endpoint !== 'chat') return undefined;
      const of = ({ content }: { content: string }) => numberOf(body, content);
      return {
        content: JSON.stringify({
          profile: [
            { text: 'The user moved from Lisbon to Porto.', from: [of(home), of(job)] },
            { text: allergy.content, from: [of(allergy)] },
            { text: 'The user works as a nurse.', category: 'work', from: [of(job)] },
          ],
          archive: [of(gone)],
        }),
      };
    });
    await under.start();
    const run = await untilRun(under, await startRun(under, 'weekly', 'maya'));
    expect(run.counts).toMatchObject({ added: 1, updated: 1, promoted: 1, archived: 1, refused: 0 });
    const memories = await stored(under, 'maya');
    const of = (id = '') => memories.find((memory) => memory.id === id);
    expect(of(ids[0])).toMatchObject({
      content: 'The user moved from Lisbon to Porto.',
      current: true,
      operations: ['ADD', 'UPDATE'],
    });
    expect(of(ids[1])).toMatchObject({ archived: true, supersededBy: null, operations: ['ADD', 'ARCHIVE'] });
    expect(of(ids[2])).toMatchObject({ tier: 2, current: true });
    expect(of(ids[3])).toMatchObject({ tier: 1, operations: ['ADD', 'UPDATE'] });
    expect(memories.find(({ content }) => content === 'The user works as a nurse.')).toMatchObject({
      tier: 1,
      category: 'work',
      operations: ['ADD'],
    });
  });
});

test('what is temporary is archived once it has faded, and not before; what is in use stays', async () => {
  answerWith(under, {});
  const ids = await remember(under, 'maya', [
    { content: 'The build is red.', category: 'debug', daysAgo: 20 },
    { content: 'The printer is broken.', category: 'temp', daysAgo: 60 },
    { content: 'The test server is slow.', category: 'temp', daysAgo: 5 },
    { content: 'The token expires at noon.', category: 'temp', daysAgo: 60 },
    { content: 'The user went hiking.', category: 'conversation', daysAgo: 900 },
  ]);
  await under.database.query('update memories set last_accessed_at = now() where id = $1::uuid', [ids[3]]);
  await under.start();
  const run = await untilRun(under, await startRun(under, 'weekly', 'maya'));
  expect(run.counts).toMatchObject({ archived: 2 });
  const gone = (await stored(under, 'maya')).filter(({ current }) => !current);
  expect(new Set(gone.map(({ id }) => id))).toEqual(new Set([ids[0], ids[1]]));
  expect(gone.every(({ operations }) => operations.at(-1) === 'ARCHIVE')).toBe(true);
});

test('a week that was missed is made up for at the start, for users with something new', async () => {
  await under.close();
  under = await openExtractorUnderTest({ env: { COMPRESS_DAILY_AT: 'off' } });
  answerMerge();
  await remember(under, 'maya', TEA);
  await remember(under, 'nils', TEA);
  // Maya's were there before the week ended; those of Nils are new.
  await under.database.query(
    `update memories set created_at = created_at - interval '9 days', updated_at = updated_at - interval '9 days'
     where user_id = 'maya'`,
  );
  await under.start();
  await waitFor(async () => (await stored(under, 'maya')).some(({ content }) => content === MERGED), {
    describe: 'the merged statement',
    timeoutMs: 20_000,
  });
  const { rows } = await under.database.query('select user_id as "user", state from compression_runs');
  expect(rows).toEqual([{ user: 'maya', state: 'done' }]);
});

test('killed between the answer and the memories: another worker finishes, and the model is not asked again', async () => {
  answerMerge();
  await remember(under, 'maya', TEA);
  // The user's lock is held, so the worker gets as far as applying, and no further.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = under.database.transaction(async (tx: Sql) => {
    await lockUserMemories(tx, TENANT, 'maya');
    await held;
  });
  const { storage } = under.config;
  const child = await startProcess({
    entry: MAIN,
    env: {
      DATABASE_URL: storage.databaseUrl ?? '',
      REDIS_URL: storage.redis?.url ?? '',
      QUEUE_PREFIX: storage.queuePrefix,
      EXTRACTOR_PORT: '0',
      LLM_BASE_URL: under.model.url,
      LLM_MODEL: 'scripted-model',
      EMBEDDING_PROVIDER: 'none',
      ...OFF,
    },
  });
  const id = await startRun(under, 'weekly', 'maya');
  await waitFor(
    async () =>
      (
        await under.database.query(
          `select 1 from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
        )
      ).rowCount > 0,
    { describe: 'the worker to wait for the lock', timeoutMs: 30_000 },
  );
  const asked = questions(under);
  expect(asked).toBeGreaterThan(0);
  await child.kill('SIGKILL');
  release();
  await holding;
  expect(await untilRun(under, id, ({ state }) => state === 'active')).toMatchObject({ finishedAt: null });

  await under.start();
  const run = await untilRun(under, id, undefined, 40_000);
  expect(run).toMatchObject({ state: 'done', counts: { added: 1, merged: 2 } });
  expect(questions(under)).toBe(asked);
  expect((await stored(under, 'maya')).filter(({ content }) => content === MERGED)).toHaveLength(1);
});
