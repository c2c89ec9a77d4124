import { deleteConversation, findExtraction, replayExtractions } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import {
  enqueueExtraction,
  type ExtractorUnderTest,
  openExtractorUnderTest,
  TENANT,
} from './extractor.fixture.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(options?: Parameters<typeof openExtractorUnderTest>[0]): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest(options);
  opened.push(under);
  return under;
}

/** Makes the next transaction that applies an answer fail, as a database that goes away at that moment would. */
async function failApplyOnce({ database }: ExtractorUnderTest): Promise<void> {
  await database.query(`create sequence failed_applies`);
  await database.query(`
    create function fail_once() returns trigger language plpgsql security definer as $$
    begin
      if nextval('failed_applies') = 1 then raise exception 'gone' using errcode = '57P01'; end if;
      return new;
    end $$`);
  await database.query(
    `create trigger fail_once before insert on memories for each row execute function fail_once()`,
  );
}

/** Starts an ended extraction again, as the gateway does. */
async function replay({ database, queues }: ExtractorUnderTest, id: string): Promise<void> {
  const [replayed] = await replayExtractions(
    database,
    { tenantId: TENANT, ids: [id], state: null, userId: null, since: null, until: null, limit: 1 },
    { queueLimit: 0, tenantQueueLimit: 0 },
  );
  await enqueueExtraction(queues, id, replayed?.generation ?? 0);
}

describe.each(['redis', 'postgres'] as const)('with the queue on %s', (backend) => {
  test('a conversation becomes memories, with counts, provenance, usage and timings in the ledger', async () => {
    const under = await open({ backend });
    await under.start();
    const said = [
      { id: 'm1', content: 'I live in Lisbon. I like fado.' },
      { id: 'm2', role: 'assistant' as const, content: 'I live in a data centre.' },
      { id: 'm3', content: 'I work as a nurse.' },
    ];
    const first = await under.ledger(await under.extract(said));

    expect(first).toMatchObject({
      state: 'done',
      attempts: 1,
      added: 3,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      degraded: null,
      errorClass: null,
      model: 'scripted-model',
      modelCalls: 1,
    });
    expect(first.promptTokens).toBeGreaterThan(0);
    expect(first.completionTokens).toBeGreaterThan(0);
    for (const ms of [first.modelMs, first.embedMs, first.applyMs]) expect(ms).toBeGreaterThanOrEqual(0);
    expect(first.startedAt).not.toBeNull();
    expect(first.finishedAt).not.toBeNull();

    const memories = await under.memories('maya');
    expect(memories.map(({ kind, key, value, answer }) => ({ kind, key, value, answer }))).toEqual([
      { kind: 'fact', key: 'home', value: 'Lisbon', answer: null },
      { kind: 'fact', key: 'job', value: 'nurse', answer: null },
      { kind: 'qa', key: null, value: null, answer: 'The user likes fado.' },
    ]);
    expect(memories.map((memory) => memory.id).toSorted()).toEqual(first.memoryIds.toSorted());
    const home = memories.find((memory) => memory.key === 'home');
    expect(home).toMatchObject({ extractionId: first.id, messageIds: ['m1'] });
    const { vectors } = await under.database.one<{ vectors: number }>(
      `select count(*)::integer as vectors from memory_embeddings`,
    );
    expect(vectors).toBe(3);

    const second = await under.ledger(
      await under.extract([{ content: 'I live in Porto. I work as a nurse.' }]),
    );
    expect(second).toMatchObject({ state: 'done', added: 0, updated: 1, unchanged: 1 });
    expect((await under.memories('maya')).find((memory) => memory.key === 'home')?.value).toBe('Porto');
    const prompt = JSON.stringify(under.model.calls.findLast((call) => call.endpoint === 'chat')?.body);
    expect(prompt).toContain('home: Lisbon');
    expect(prompt).not.toContain('data centre');
  });

  test('an answer that was pinned is applied by the next run without asking the model again (G2)', async () => {
    const under = await open({ backend });
    await failApplyOnce(under);
    await under.start();
    const row = await under.ledger(
      await under.extract([{ content: 'I live in Lisbon.' }]),
      undefined,
      30_000,
    );
    expect(row).toMatchObject({ state: 'done', added: 1, modelCalls: 1, attempts: 1 });
    expect(under.model.callCount).toBe(1);
    expect(await under.memories('maya')).toHaveLength(1);
  });
});

test('the same job delivered again writes nothing and calls no model', async () => {
  const under = await open();
  await under.start();
  const id = await under.extract([{ content: 'I live in Lisbon.' }]);
  const row = await under.ledger(id);
  await under.queues.missing('extract', [`${id}_0`]);
  await enqueueExtraction(under.queues, id);
  await waitFor(async () => (await under.queues.missing('extract', [`${id}_0`])).length === 1, {
    describe: 'the second delivery to end',
  });
  expect(await findExtraction(under.database, TENANT, id)).toEqual(row);
  expect(under.model.callCount).toBe(1);
});

test('a conversation in which the user said nothing is done without the model', async () => {
  const under = await open();
  await under.start();
  const row = await under.ledger(
    await under.extract([
      { role: 'assistant', content: 'My name is Deep Thought.' },
      { role: 'user', content: '[facts: home is Lisbon]' },
    ]),
  );
  expect(row).toMatchObject({ state: 'done', added: 0, modelCalls: 0, model: null });
  expect(under.model.callCount).toBe(0);
});

test('a conversation deleted while the model thinks is let go', async () => {
  const under = await open();
  under.model.setReply(() => ({ delayMs: 400 }));
  await under.start();
  const conversationId = randomUUID();
  const id = await under.extract([{ content: 'I live in Lisbon.' }], { conversationId });
  await waitFor(() => under.model.callCount === 1, { describe: 'the model to be asked' });
  await deleteConversation(under.database, TENANT, conversationId);
  await waitFor(async () => (await under.queues.missing('extract', [`${id}_0`])).length === 1, {
    describe: 'the job to end',
  });
  expect(await under.memories('maya')).toEqual([]);
  const next = await under.ledger(await under.extract([{ content: 'I live in Porto.' }]));
  expect(next.state).toBe('done');
});

test('a replay of what is done asks the model anew and repeats nothing', async () => {
  const under = await open();
  await under.start();
  const id = await under.extract([{ content: 'I live in Lisbon. I like fado.' }]);
  await under.ledger(id);
  await replay(under, id);
  const row = await under.ledger(id);
  expect(row).toMatchObject({ state: 'done', added: 0, unchanged: 2, modelCalls: 2 });
  expect(under.model.callCount).toBe(2);
  expect(await under.memories('maya')).toHaveLength(2);
});

test('what was kept in the user’s own words gives way when a model reads the same messages', async () => {
  const under = await open();
  await under.start();
  const id = await under.extract([{ content: 'I live in Lisbon. I like fado.' }]);
  await under.ledger(id);
  const [home] = await under.memories('maya');
  await under.database.query(
    `update memories set source = 'own_words', kind = 'note', key = null, value = null, question = null,
       answer = null, subject_hash = null, content = 'Fado it is.', content_hash = '\\x00' where id <> $1::uuid`,
    [home?.id],
  );
  await replay(under, id);
  expect(await under.ledger(id)).toMatchObject({ state: 'done', added: 1, unchanged: 1, deleted: 1 });
  const sources = (await under.memories('maya')).map(({ source }) => source);
  expect(sources).toHaveLength(2);
  expect(sources).not.toContain('own_words');
  const { ended } = await under.database.one<{ ended: number }>(
    `select count(*)::integer as ended from memory_versions v join memories m on m.id = v.memory_id
     where m.source = 'own_words' and v.operation = 'SUPERSEDE'`,
  );
  expect(ended).toBe(1);
});

test('without a model, what no rule reads is kept in the user’s own words, unless that is switched off', async () => {
  const rules = { LLM_BASE_URL: '', LLM_MODEL: '', EMBEDDING_PROVIDER: 'none' };
  const said = [{ content: "I'm worried about the viva with Professor Adeyemi in Ghent, how do I prepare?" }];
  const keeps = await open({ env: rules });
  await keeps.start();
  await keeps.ledger(await keeps.extract(said));
  expect(await keeps.memories('maya')).toMatchObject([
    {
      kind: 'note',
      source: 'own_words',
      content: 'The user is worried about the viva with Professor Adeyemi in Ghent.',
    },
  ]);
  const drops = await open({ env: { ...rules, KEEP_OWN_WORDS: 'false' } });
  await drops.start();
  await drops.ledger(await drops.extract(said));
  expect(await drops.memories('maya')).toEqual([]);
});

test('what the rules answer is stored with the memories, once, also when the first time fails', async () => {
  const under = await open({ env: { LLM_BASE_URL: '', LLM_MODEL: '', EMBEDDING_PROVIDER: 'none' } });
  await failApplyOnce(under);
  await under.start();
  const conversationId = randomUUID();
  const outputs = async (id: string) =>
    (
      await under.database.query<{ number: number; status: string }>(
        `select number, status, purpose, provider, model, prompt_version as version, finish_reason as finish, raw
         from extraction_outputs where extraction_id = $1::uuid order by number`,
        [id],
      )
    ).rows;
  const said = { state: 'done', model: 'extractive', modelCalls: 1, attempts: 1 };
  const stored = {
    status: 'pinned',
    purpose: 'extract',
    provider: 'extractive',
    model: 'extractive',
    version: 'rules',
    finish: 'stop',
  };
  const first = await under.extract([{ content: 'I live in Lisbon.' }], { conversationId });
  expect(await under.ledger(first, undefined, 30_000)).toMatchObject({ ...said, added: 1 });
  expect(await outputs(first)).toEqual([{ ...stored, number: 1, raw: expect.stringContaining('Lisbon') }]);

  // A memory that replaces another one is applied in another way.
  const second = await under.extract([{ content: 'I live in Porto.' }], { conversationId });
  const row = await under.ledger(second);
  expect(row).toMatchObject({ ...said, added: 0, updated: 1 });
  expect(row.modelMs).toBeGreaterThanOrEqual(0);
  expect(await outputs(second)).toEqual([{ ...stored, number: 1, raw: expect.stringContaining('Porto') }]);

  await replay(under, second);
  expect(await under.ledger(second)).toMatchObject({ state: 'done', modelCalls: 2, unchanged: 1 });
  expect((await outputs(second)).map(({ number, status }) => [number, status])).toEqual([
    [1, 'rejected'],
    [2, 'pinned'],
  ]);
});

test('a mistake of ours fails after its attempts; replayed once it is mended, it does not pay the model again', async () => {
  const under = await open({ env: { MAX_ATTEMPTS: '3', RETRY_INTERVAL_MS: '20' } });
  await under.database.query(`alter table memories add constraint mistake check (value <> 'Lisbon')`);
  await under.start();
  const id = await under.extract([{ content: 'I live in Lisbon.' }]);
  expect(await under.ledger(id)).toMatchObject({
    state: 'failed',
    errorClass: 'internal',
    attempts: 3,
    modelCalls: 1,
  });
  await under.database.query('alter table memories drop constraint mistake');
  await replay(under, id);
  expect(await under.ledger(id)).toMatchObject({ state: 'done', added: 1, attempts: 1, modelCalls: 1 });
  expect(under.model.callCount).toBe(1);
});

test('an extraction that kills its workers is not given to another one for ever', async () => {
  const under = await open();
  const id = await under.extract([{ content: 'I live in Lisbon.' }], { queued: false });
  await under.database.query('update extractions set lost_claims = 20 where id = $1::uuid', [id]);
  await under.start();
  expect(await under.ledger(id)).toMatchObject({ state: 'failed', errorClass: 'poisoned', modelCalls: 0 });
  await replay(under, id);
  expect(await under.ledger(id)).toMatchObject({ state: 'done', added: 1 });
});

test('what has expired is purged without anyone asking', async () => {
  const under = await open();
  const extractor = await under.start();
  await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }]));
  await extractor.close();
  await under.database.query(`update memories set expires_at = now() - interval '1 second'`);
  // The job of this hour has run; forgotten, it is asked for again.
  const redis = new Redis(under.config.storage.redis?.url ?? '');
  await redis.unlink(...(await redis.keys(`${under.config.storage.queuePrefix}*`)));
  redis.disconnect();
  await under.start();
  await waitFor(async () => (await under.database.query('select 1 from memories')).rowCount === 0, {
    describe: 'the purge',
  });
});

test('an embedding endpoint that is down fails nothing; the vectors follow when it is back (C13)', async () => {
  const under = await open();
  under.model.setReply(({ endpoint }) => (endpoint === 'embeddings' ? { status: 503 } : undefined));
  await under.start();
  const row = await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }]));
  expect(row).toMatchObject({ state: 'done', added: 1, degraded: 'embedding_unavailable', embedMs: null });
  const countVectors = () =>
    under.database.one<{ vectors: number }>('select count(*)::integer as vectors from memory_embeddings');
  expect((await countVectors()).vectors).toBe(0);
  under.model.setReply(() => undefined);
  await waitFor(async () => (await countVectors()).vectors === 1, {
    timeoutMs: 25_000,
    describe: 'the vector',
  });
});

test('without an embedding model nothing waits for vectors', async () => {
  const under = await open({ env: { EMBEDDING_PROVIDER: 'none' } });
  await under.start();
  const row = await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }]));
  expect(row).toMatchObject({ state: 'done', added: 1, degraded: null });
  const { waiting } = await under.database.one<{ waiting: number }>(
    'select count(embedding_pending_since)::integer as waiting from memories',
  );
  expect(waiting).toBe(0);
});

test('without any model the rules find what the user says (G15)', async () => {
  const under = await open({ env: { LLM_BASE_URL: '', LLM_MODEL: '', EMBEDDING_PROVIDER: 'none' } });
  await under.start();
  const row = await under.ledger(
    await under.extract([{ content: 'My name is Maya and I work as a nurse.' }]),
  );
  expect(row).toMatchObject({ state: 'done', model: 'extractive' });
  expect(row.added).toBeGreaterThanOrEqual(2);
  expect(under.model.calls).toHaveLength(0);
});

test('of statements that contradict each other in one extraction the last one holds, also one made before', async () => {
  const under = await open({ env: { LLM_BASE_URL: '', LLM_MODEL: '', EMBEDDING_PROVIDER: 'none' } });
  await under.start();
  const homesAfter = async (userId: string, cities: readonly string[]) => {
    await under.ledger(
      await under.extract(
        cities.map((city) => ({ content: `I live in ${city}.` })),
        { userId },
      ),
    );
    return (await under.memories(userId)).map(({ value }) => value);
  };
  expect(await homesAfter('ann', ['Oslo', 'Bergen', 'Oslo'])).toEqual(['Oslo']);
  expect(await homesAfter('ann', ['Oslo', 'Bergen', 'Oslo', 'Bergen'])).toEqual(['Bergen']);
  expect(await homesAfter('ann', ['Bergen', 'Oslo', 'Bergen', 'Bergen', 'Oslo'])).toEqual(['Oslo']);
});

test('a run continues when the queue loses its job, and its answer is used', async () => {
  const under = await open();
  under.model.setReply(() => ({ delayMs: 6_000 }));
  await under.start();
  const id = await under.extract([{ content: 'I live in Lisbon.' }]);
  await waitFor(() => under.model.callCount === 1, { describe: 'the model to be asked' });
  const redis = new Redis(under.config.storage.redis?.url ?? '');
  await redis.unlink(...(await redis.keys(`${under.config.storage.queuePrefix}*`)));
  redis.disconnect();
  const row = await under.ledger(id);
  expect(row).toMatchObject({ state: 'done', added: 1, modelCalls: 1 });
  expect(under.model.callCount).toBe(1);
});

test('twenty extractions of one user at once leave one current value of each key', async () => {
  const under = await open({ env: { EXTRACTOR_CONCURRENCY: '20' } });
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      under.extract([
        { content: `I live in City${n}.`, created_at: new Date(Date.UTC(2026, 0, n + 1)).toISOString() },
      ]),
    ),
  );
  await under.start();
  const rows = await Promise.all(ids.map((id) => under.ledger(id)));
  expect(rows.every((row) => row.state === 'done')).toBe(true);
  const memories = await under.memories('maya');
  expect(memories.map((memory) => memory.value)).toEqual(['City19']);
});

test('extractions of one conversation run one after the other, also after a failed one, whichever worker takes their jobs', async () => {
  // No sweeper to help: it would look again only after a minute.
  const under = await open({ env: { SWEEP_GRACE_MS: '60000' } });
  const conversationId = randomUUID();
  const delayMs = 30;
  under.model.setReply(({ endpoint, userText }) =>
    endpoint === 'chat' ? { delayMs, ...(userText.includes('poison') ? { status: 400 } : {}) } : undefined,
  );
  await Promise.all([under.start(), under.start()]);
  const ids: string[] = [];
  for (const what of ['tea', 'fado', 'poison', 'rain', 'figs', 'cats', 'dogs', 'jazz']) {
    ids.push(await under.extract([{ content: `I like ${what}.` }], { conversationId }));
  }
  const rows = await Promise.all(ids.map((id) => under.ledger(id)));
  expect(rows.map((row) => row.state)).toEqual(ids.map((_, n) => (n === 2 ? 'failed' : 'done')));
  const times = under.model.calls.filter((call) => call.endpoint === 'chat').map((call) => call.receivedAtMs);
  expect(times).toHaveLength(ids.length);
  for (const [n, time] of times.entries()) {
    if (n > 0) expect(time - (times[n - 1] ?? 0)).toBeGreaterThanOrEqual(delayMs);
  }
});

test('an extractor that is scaled down finishes what it has begun, and the others do the rest: no model is asked twice', async () => {
  const under = await open({ env: { SHUTDOWN_GRACE_MS: '60000', EXTRACTOR_CONCURRENCY: '3' } });
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { delayMs: 100 } : undefined));
  const asked = () => under.model.calls.filter((call) => call.endpoint === 'chat').length;
  const [leaving] = await Promise.all([under.start(), under.start()]);
  const ids: string[] = [];
  for (let number = 0; number < 24; number += 1) {
    ids.push(await under.extract([{ content: 'I like tea.' }], { userId: `user-${number}` }));
  }
  await waitFor(() => asked() >= 6, { describe: 'both to work' });
  await leaving.close();
  const rows = await Promise.all(ids.map((id) => under.ledger(id)));
  expect(rows.map((row) => row.state)).toEqual(ids.map(() => 'done'));
  const { rows: claims } = await under.database.query<{ fence: number; workers: number }>(
    'select fence, count(distinct claimed_by)::integer as workers from extractions group by fence',
  );
  expect(claims).toEqual([{ fence: 1, workers: 2 }]);
  expect(asked()).toBe(ids.length);
});
