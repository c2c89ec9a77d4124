import { writeSetting } from '@factmill/database';
import { freePort, type ScriptedReply, waitFor, patiently } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest } from './extractor.fixture.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(env: Record<string, string> = {}): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest({ env });
  opened.push(under);
  return under;
}

const SAID = [{ content: 'I live in Lisbon.' }];

/** Lets the model answer chats with these replies, one after the other, then as usual. */
function script(under: ExtractorUnderTest, ...replies: ScriptedReply[]): void {
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? replies.shift() : undefined));
}

function chatTimes(under: ExtractorUnderTest): number[] {
  return under.model.calls.filter((call) => call.endpoint === 'chat').map((call) => call.receivedAtMs);
}

describe('a provider that is down uses up no attempt', () => {
  test('throttled: the time that it asks for is waited for', async () => {
    const under = await open();
    script(under, { status: 429, headers: { 'retry-after': '2' } });
    await under.start();
    const id = await under.extract(SAID);
    const waiting = await under.ledger(id, (row) => row.errorClass !== null);
    expect(waiting).toMatchObject({ state: 'pending', errorClass: 'throttled', attempts: 0 });
    expect(waiting.nextAttemptAt?.getTime()).toBeGreaterThan(Date.now());
    const row = await under.ledger(id);
    expect(row).toMatchObject({ state: 'done', attempts: 1, errorClass: null, modelCalls: 1 });
    const [first = 0, second = 0] = chatTimes(under);
    expect(second - first).toBeGreaterThanOrEqual(2_000);
  });

  test.each<[string, ScriptedReply, string]>([
    [
      'a used-up quota',
      { status: 429, body: { error: { message: 'x', code: 'insufficient_quota' } } },
      'quota',
    ],
    ['a wrong key', { status: 401 }, 'config'],
    ['a model that does not exist', { status: 404 }, 'config'],
  ])('%s waits for the operator', async (_name, reply, errorClass) => {
    const under = await open();
    under.model.setReply(() => reply);
    await under.start();
    const row = await under.ledger(await under.extract(SAID), (known) => known.errorClass !== null);
    expect(row).toMatchObject({ state: 'pending', errorClass, attempts: 0 });
    expect((row.nextAttemptAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(20_000);
    await waitFor(async () => (await under.queues.pausedMs('extraction')) > 20_000, {
      describe: 'the queue to rest',
    });
  });

  test.each<[string, ScriptedReply]>([
    ['5xx', { status: 503 }],
    ['a cut connection', { destroy: true }],
    ['half a reply', { destroy: 'half' }],
    ['no reply in time', { hang: true }],
  ])('transient, %s: tried until it works, however often', async (_name, reply) => {
    const under = await open({ LLM_TIMEOUT_MS: '150', MAX_ATTEMPTS: '2', RETRY_INTERVAL_MS: '20' });
    script(under, ...Array.from({ length: 6 }, () => reply));
    await under.start();
    const row = await under.ledger(await under.extract(SAID), undefined, 30_000);
    expect(row).toMatchObject({ state: 'done', attempts: 1, modelCalls: 1 });
    expect(under.model.callCount).toBe(7);
  });

  test('a long outage is no poison: more retries than a worker may be lost', async () => {
    const under = await open({ RETRY_INTERVAL_MS: '10' });
    script(under, ...Array.from({ length: 40 }, () => ({ status: 503 })));
    await under.start();
    const row = await under.ledger(await under.extract(SAID), undefined, 60_000);
    expect(row).toMatchObject({ state: 'done', attempts: 1 });
  });

  test('an endpoint that refuses connections', async () => {
    const under = await open({ LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` });
    await under.start();
    const row = await under.ledger(await under.extract(SAID), (known) => known.errorClass !== null);
    expect(row).toMatchObject({ state: 'pending', errorClass: 'transient', attempts: 0 });
    expect(row.errorMessage).toContain('LLM_BASE_URL');
  });

  test('the retry interval is read again for each retry (A12)', async () => {
    const under = await open({ RETRY_INTERVAL_MS: '60000' });
    await writeSetting(under.database, 'retry.interval_ms', 200);
    under.model.setReply(() => ({ status: 503 }));
    const extractor = await under.start();
    const id = await under.extract(SAID);
    await waitFor(() => under.model.callCount >= 3, { describe: 'retries at the short interval' });
    await writeSetting(under.database, 'retry.interval_ms', 120_000);
    const slow = await under.ledger(id, (row) => (row.nextAttemptAt?.getTime() ?? 0) > Date.now() + 60_000);
    expect(slow).toMatchObject({ state: 'pending', errorClass: 'transient', attempts: 0 });

    const startedAt = performance.now();
    await extractor.close();
    expect(performance.now() - startedAt).toBeLessThan(patiently(2_000));
  });
});

describe('what will not work the next time either has failed, with its reason', () => {
  test.each<[string, ScriptedReply, string]>([
    ['input', { status: 400 }, 'input'],
    ['refusal', { body: { choices: [{ message: { refusal: 'no' }, finish_reason: 'stop' }] } }, 'refusal'],
    ['filter', { content: '', finishReason: 'content_filter' }, 'refusal'],
  ])('%s', async (_name, reply, errorClass) => {
    const under = await open();
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? reply : undefined));
    await under.start();
    const row = await under.ledger(await under.extract(SAID));
    expect(row).toMatchObject({ state: 'failed', errorClass, attempts: 1, added: 0 });
    expect(under.model.callCount).toBe(1);
    expect(await under.memories('maya')).toEqual([]);
  });

  test.each<[string, ScriptedReply]>([
    ['any text', { content: '', finishReason: 'length' }],
    ['one memory was whole', { content: '{"facts":{"home":"Lis', finishReason: 'length' }],
  ])(
    'a reply that broke off before %s is asked for again with twice the room, once',
    async (_name, reply) => {
      const under = await open({ LLM_MAX_TOKENS: '300' });
      under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? reply : undefined));
      await under.start();
      const row = await under.ledger(await under.extract(SAID));
      expect(row).toMatchObject({ state: 'failed', errorClass: 'truncated', attempts: 1, added: 0 });
      const chats = under.model.calls.filter(({ endpoint }) => endpoint === 'chat');
      expect(chats.map(({ body }) => body['max_tokens'])).toEqual([300, 600]);
    },
  );

  test('an unreadable reply gets one repair attempt, then both are kept', async () => {
    const under = await open();
    script(under, { content: 'Well, it depends.' }, { content: 'I would rather not say.' });
    await under.start();
    const id = await under.extract(SAID);
    const row = await under.ledger(id);
    expect(row).toMatchObject({ state: 'failed', errorClass: 'bad_reply', modelCalls: 2, attempts: 1 });
    expect(row.promptTokens).toBeGreaterThan(0);
    const { rows } = await under.database.query(
      `select number, status, raw from extraction_outputs where extraction_id = $1::uuid order by number`,
      [id],
    );
    expect(rows).toEqual([
      { number: 1, status: 'rejected', raw: 'Well, it depends.' },
      { number: 2, status: 'rejected', raw: 'I would rather not say.' },
    ]);
  });
});

test('a reply repaired at the second attempt is used, and both calls are counted', async () => {
  const under = await open();
  script(under, { content: 'Here is what I found: {"facts": {' }, { content: '{"facts":{"home":"Lisbon"}}' });
  await under.start();
  const row = await under.ledger(await under.extract(SAID));
  expect(row).toMatchObject({ state: 'done', added: 1, modelCalls: 2, attempts: 1 });
  const chats = under.model.calls.filter(({ endpoint }) => endpoint === 'chat');
  expect(JSON.stringify(chats[1]?.body)).toContain('could not be read');
});

describe('of a reply that broke off the complete memories are kept', () => {
  const CUT = { content: '{"facts":{"home":"Lisbon","job":"nur', finishReason: 'length' };
  const keysOf = async (under: ExtractorUnderTest) =>
    (await under.memories('maya')).map((memory) => memory.key).toSorted();

  test('and the rest is asked for once, saying what has been received', async () => {
    const under = await open();
    script(under, CUT, { content: '{"facts":{"job":"nurse"}}' });
    await under.start();
    const row = await under.ledger(await under.extract(SAID));
    expect(row).toMatchObject({ state: 'done', added: 2, degraded: 'reply_truncated', modelCalls: 2 });
    expect(await keysOf(under)).toEqual(['home', 'job']);
    const asked = JSON.stringify(under.model.calls.findLast((call) => call.endpoint === 'chat')?.body);
    expect(asked).toContain('Lisbon');
    expect(asked).toContain('remaining items only');
    const { rows } = await under.database.query(
      'select purpose, status from extraction_outputs order by number',
    );
    expect(rows).toEqual([
      { purpose: 'extract', status: 'pinned' },
      { purpose: 'continue', status: 'pinned' },
    ]);
  });

  test.each<[string, ScriptedReply]>([
    ['breaks off too', { content: '{"facts":{"job":"nurse","tea":"ool', finishReason: 'length' }],
    ['repeats what has been received', { content: '{"facts":{"home":"Lisbon","job":"nurse"}}' }],
  ])('and a rest that %s counts as far as it is whole', async (_name, rest) => {
    const under = await open();
    script(under, CUT, rest);
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({
      state: 'done',
      added: 2,
      modelCalls: 2,
    });
    expect(await keysOf(under)).toEqual(['home', 'job']);
  });

  test.each<[string, ScriptedReply]>([
    ['prose', { content: 'That was all, I think.' }],
    ['nothing', { content: '' }],
    ['a refusal', { body: { choices: [{ message: { refusal: 'no' }, finish_reason: 'stop' }] } }],
  ])('also when the rest is %s', async (_name, rest) => {
    const under = await open();
    script(under, CUT, rest);
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({ state: 'done', added: 1 });
    expect(await keysOf(under)).toEqual(['home']);
  });

  test('when the provider goes away in between, only the rest is asked for again', async () => {
    const under = await open();
    script(under, CUT, { status: 503 }, { content: '{"facts":{"job":"nurse"}}' });
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({
      state: 'done',
      added: 2,
      modelCalls: 2,
    });
    expect(under.model.callCount).toBe(3);
  });
});

test('a conversation that alone makes the provider fail uses up its attempts while others succeed', async () => {
  const under = await open({ MAX_ATTEMPTS: '3', RETRY_INTERVAL_MS: '50', EXTRACTOR_CONCURRENCY: '2' });
  under.model.setReply(({ userText }) => (userText.includes('Brindisi') ? { status: 500 } : undefined));
  await under.start();
  const bad = await under.extract([{ content: 'I live in Brindisi.' }], { userId: 'bad' });
  const healthy = async () => under.ledger(await under.extract(SAID));
  const failed = await waitFor(
    async () => {
      await healthy();
      const row = await under.ledger(bad, () => true);
      return row.state === 'failed' ? row : undefined;
    },
    { timeoutMs: 20_000, describe: 'the bad one to fail' },
  );
  expect(failed).toMatchObject({ errorClass: 'transient', attempts: 3 });
});

test('the ledger and the log name no text of the conversation and none of the model', async () => {
  const under = await open({ MAX_ATTEMPTS: '1' });
  const marker = 'Quetzalcoatlus';
  script(
    under,
    { status: 400, body: { error: { message: `bad: ${marker}`, code: 'invalid_request_error' } } },
    { content: `${marker} prose` },
    { content: `${marker} prose` },
  );
  await under.start();
  const rows = [
    await under.ledger(await under.extract([{ content: `My pet is ${marker}.` }])),
    await under.ledger(await under.extract([{ content: `My pet is ${marker}.` }])),
    await under.ledger(await under.extract([{ content: `My pet is ${marker}.` }])),
  ];
  expect(rows.map((row) => row.state)).toEqual(['failed', 'failed', 'done']);
  expect(JSON.stringify(rows)).not.toContain(marker);
  expect(under.log()).not.toContain(marker);
});
