import { afterEach, describe, expect, test } from '@jest/globals';
import { listCompressionRuns, openBreaker, readContents } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { answerWith, questions, remember, startRun, stored, untilRun } from './compression.fixture.ts';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { providerName } from '../providers/breaker.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

type OpenOptions = NonNullable<Parameters<typeof openExtractorUnderTest>[0]>;

/** Weekly runs are another test's. */
async function open(options: OpenOptions = {}): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest({
    ...options,
    env: { COMPRESS_WEEKLY_AT: 'off', ...options.env },
  });
  opened.push(under);
  return under;
}

const EVENTS = [
  {
    content: 'The user decided to sell the car and told Maya.',
    tier: 3,
    messageIds: ['m1', 'm2'],
    daysAgo: 3,
  },
  { content: 'The user asked for the weather in Oslo.', tier: 3, messageIds: ['m3'], daysAgo: 2 },
] as const;
const LATER = 'The user starts at the harbour office.';
const NO_MODEL = { LLM_BASE_URL: '', LLM_MODEL: '', EMBEDDING_PROVIDER: 'none', EMBEDDING_MODEL: '' };
const FACT = { text: 'The user decided to sell the car.', category: 'decision', from: [1] };

async function runsOf(under: ExtractorUnderTest, userId: string) {
  return listCompressionRuns(under.database, { tenantId: TENANT, userId, limit: 10, before: null });
}

describe.each(['redis', 'postgres'] as const)('on %s', (backend) => {
  test('a day that was missed is made up for at the start: events become facts, once', async () => {
    const under = await open({ backend });
    answerWith(under, { events: { facts: [FACT] } });
    const [decided = '', asked = ''] = await remember(
      under,
      'maya',
      EVENTS.map((event) => ({ ...event, messageIds: [...event.messageIds] })),
    );
    await remember(under, 'maya', [
      { content: 'The user is at lunch right now.', tier: 3, daysAgo: 0 },
      { content: LATER, tier: 3, validFrom: new Date(Date.now() + 86_400_000) },
    ]);
    await under.start();
    const run = await waitFor(
      async () => (await runsOf(under, 'maya')).find(({ state }) => state === 'done'),
      {
        describe: 'the run of the missed day',
        timeoutMs: 20_000,
      },
    );
    expect(run).toMatchObject({
      kind: 'daily',
      dryRun: false,
      attempts: 1,
      modelCalls: 1,
      counts: { added: 1, compressed: 2, refused: 0, unanswered: 0 },
    });
    expect(run.promptTokens).toBeGreaterThan(0);

    const memories = await stored(under, 'maya');
    expect(memories.find(({ content }) => content === FACT.text)).toMatchObject({
      tier: 2,
      category: 'decision',
      current: true,
      messageIds: ['m1', 'm2'],
      metadata: { compressed_from: [decided], compression_run: run.id },
      operations: ['ADD'],
    });
    // Compressed, not archived; what happened today waits for tomorrow.
    const events = memories.filter(({ tier }) => tier === 3);
    expect(events.map(({ id, current, compressed }) => [id, current, compressed])).toEqual(
      expect.arrayContaining([
        [decided, true, true],
        [asked, true, true],
        [expect.any(String), true, false],
      ]),
    );
    // What begins tomorrow is left alone until then.
    expect(events.find(({ content }) => content === LATER)).toMatchObject({ compressed: false });
    // The fact gets its vector like any other.
    await waitFor(
      async () =>
        (
          await under.database.query(
            'select 1 from memories where tier = 2 and embedding_pending_since is null',
          )
        ).rowCount === 1,
      { describe: 'the vector of the fact' },
    );

    // Others that start find nothing to do.
    await under.start();
    await startRun(under, 'daily', 'maya', { period: run.period });
    await waitFor(async () => (await under.queues.counts()).compression.waiting === 0, {
      describe: 'an idle queue',
    });
    expect(await runsOf(under, 'maya')).toHaveLength(1);
    expect(questions(under)).toBe(1);
  });
});

test('two extractors and twenty users: every user once', async () => {
  const under = await open();
  answerWith(under, { events: { facts: [FACT] } });
  const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
  for (const user of users) await remember(under, user, [{ content: EVENTS[0].content, tier: 3 }]);
  await Promise.all([under.start(), under.start()]);
  const all = await waitFor(
    async () => {
      const runs = await listCompressionRuns(under.database, {
        tenantId: TENANT,
        userId: null,
        limit: 100,
        before: null,
      });
      return runs.length === 20 && runs.every(({ state }) => state === 'done') ? runs : undefined;
    },
    { describe: 'twenty runs', timeoutMs: 30_000 },
  );
  expect(new Set(all.map(({ userId }) => userId))).toEqual(new Set(users));
  expect(questions(under)).toBe(20);
  for (const user of users) {
    expect((await stored(under, user)).filter(({ tier }) => tier === 2)).toHaveLength(1);
  }
});

test('what arrives for a day that is over is taken up by the next run', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off' } });
  answerWith(under, { events: { facts: [] } });
  await under.start();
  await remember(under, 'maya', [{ content: 'The user went to Porto in spring.', tier: 3, daysAgo: 200 }]);
  const run = await untilRun(under, await startRun(under, 'daily', 'maya'));
  expect(run.counts).toMatchObject({ added: 0, compressed: 1 });
});

test('without a model repetitions are dropped, nothing is invented, and the events stay', async () => {
  const under = await open({ env: { ...NO_MODEL, COMPRESS_DAILY_AT: 'off' } });
  await under.start();
  const ids = await remember(under, 'maya', [
    { content: 'The user went to the market.', tier: 3, daysAgo: 3 },
    { content: 'The user, went to the market', tier: 3, daysAgo: 2 },
    { content: 'The user bought bread.', tier: 3 },
  ]);
  const run = await untilRun(under, await startRun(under, 'daily', 'maya'));
  expect(run).toMatchObject({
    state: 'done',
    modelCalls: 0,
    counts: { collapsed: 1, compressed: 2, added: 0 },
  });
  const memories = await stored(under, 'maya');
  expect(memories).toHaveLength(3);
  expect(memories.filter(({ current }) => !current)).toMatchObject([
    { id: ids[1], archived: true, supersededBy: ids[0], operations: ['ADD', 'MERGE'] },
  ]);
});

test('an outage uses up no attempt, and the run continues after it', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off', RETRY_INTERVAL_MS: '50' } });
  await remember(under, 'maya', [{ content: EVENTS[0].content, tier: 3 }]);
  let outages = 5;
  under.model.setReply(({ endpoint }) => {
    if (endpoint !== 'chat') return undefined;
    outages -= 1;
    return outages >= 0 ? { status: 503 } : { content: JSON.stringify({ facts: [FACT] }) };
  });
  await under.start();
  const id = await startRun(under, 'daily', 'maya');
  expect(await untilRun(under, id)).toMatchObject({ state: 'done', attempts: 1, counts: { added: 1 } });
});

test('while the provider is known to be down no run calls it', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off' } });
  answerWith(under, { events: { facts: [FACT] } });
  await remember(under, 'maya', [{ content: EVENTS[0].content, tier: 3 }]);
  await openBreaker(under.database, {
    provider: providerName('llm', under.model.url),
    reason: 'transient',
    waitMs: 2_000,
    isProbe: false,
    extractionId: null,
  });
  await under.start();
  const startedAt = Date.now();
  const id = await startRun(under, 'daily', 'maya');
  const waiting = await untilRun(under, id, ({ errorClass }) => errorClass !== null);
  expect(waiting).toMatchObject({ state: 'pending', errorClass: 'unavailable', attempts: 0, modelCalls: 0 });
  expect(questions(under)).toBe(0);
  expect(await untilRun(under, id)).toMatchObject({
    state: 'done',
    attempts: 1,
    modelCalls: 1,
    errorClass: null,
  });
  expect(
    (under.model.calls.find(({ endpoint }) => endpoint === 'chat')?.receivedAtMs ?? 0) - startedAt,
  ).toBeGreaterThan(1_000);
});

test('an answer that cannot be read is asked for once more, then the run has failed with its reason and nothing changed', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off' } });
  await remember(under, 'maya', [{ content: EVENTS[0].content, tier: 3 }]);
  const before = await stored(under, 'maya');
  under.model.setReply(({ endpoint }) =>
    endpoint === 'chat' ? { content: 'I would rather not.' } : undefined,
  );
  await under.start();
  const id = await startRun(under, 'daily', 'maya');
  const run = await untilRun(under, id);
  expect(run).toMatchObject({ state: 'failed', errorClass: 'bad_reply', modelCalls: 2, attempts: 1 });
  expect(await stored(under, 'maya')).toEqual(before);
  const { rows } = await under.database.query(
    `select status, raw from compression_answers where run_id = $1::uuid order by number`,
    [id],
  );
  expect(rows).toEqual([
    { status: 'rejected', raw: 'I would rather not.' },
    { status: 'rejected', raw: 'I would rather not.' },
  ]);
  expect(under.log()).not.toContain('sell the car');
});

test('a dry run shows what it would do and changes nothing', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off' } });
  answerWith(under, { events: { facts: [FACT] } });
  const [decided = '', asked = ''] = await remember(under, 'maya', [
    { content: EVENTS[0].content, tier: 3, daysAgo: 3 },
    { content: EVENTS[1].content, tier: 3 },
  ]);
  // Vectors that are missing follow in any case.
  const hash = async () =>
    (
      await under.database.one<{ hash: string }>(
        `select md5(coalesce((select string_agg((to_jsonb(m) - 'embedding_pending_since')::text, '|' order by id)
                      from memories m), '') ||
                    coalesce((select string_agg(v::text, '|' order by memory_id, number) from memory_versions v), ''))
           as hash`,
      )
    ).hash;
  const before = await hash();
  await under.start();
  const run = await untilRun(under, await startRun(under, 'daily', 'maya', { dryRun: true }));
  expect(run).toMatchObject({
    state: 'proposed',
    dryRun: true,
    counts: { added: 1, compressed: 2 },
    decisions: [
      { op: 'fact', text: FACT.text, from: [decided] },
      { op: 'compressed', ids: [decided, asked] },
    ],
  });
  expect(await hash()).toBe(before);
  const contents = await readContents(under.database, { tenantId: TENANT, userId: 'maya' }, [decided]);
  expect(contents.get(decided)).toBe(EVENTS[0].content);
  // It does not stand in the way of the real one.
  expect(await untilRun(under, await startRun(under, 'daily', 'maya'))).toMatchObject({ state: 'done' });
});

test('a dry run of a fact that says no more than its event shows what the run does', async () => {
  const under = await open({ env: { COMPRESS_DAILY_AT: 'off' } });
  answerWith(under, { events: { facts: [{ text: EVENTS[0].content, from: FACT.from }] } });
  const [event = ''] = await remember(under, 'maya', [{ content: EVENTS[0].content, tier: 3 }]);
  await under.start();
  const proposed = await untilRun(under, await startRun(under, 'daily', 'maya', { dryRun: true }));
  const done = await untilRun(under, await startRun(under, 'daily', 'maya'));
  expect(done).toMatchObject({ state: 'done', decisions: [{ op: 'compressed', ids: [event] }] });
  expect(done.counts).toMatchObject({ added: 0, compressed: 1 });
  expect(proposed).toMatchObject({ state: 'proposed', decisions: done.decisions, counts: done.counts });
});
