import { gzipSync } from 'node:zlib';
import { type ScriptedReply, waitFor } from '@factmill/testkit';
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

async function outputsOf(under: ExtractorUnderTest, id: string) {
  const { rows } = await under.database.query<{ status: string; raw: string; finish: string | null }>(
    `select status, raw, finish_reason as finish from extraction_outputs where extraction_id = $1::uuid order by number`,
    [id],
  );
  return rows;
}

/** Answers chats whose question holds `words` like this, all others as usual. */
function answerTo(under: ExtractorUnderTest, words: string, reply: ScriptedReply): void {
  under.model.setReply(({ endpoint, body }) =>
    endpoint === 'chat' && JSON.stringify(body).includes(words) ? reply : undefined,
  );
}

const COMPLETION = JSON.stringify({ choices: [{ message: { content: '{"facts":{"home":"Lisbon"}}' } }] });
const FAULTS: [string, ScriptedReply, string][] = [
  ['an empty body', { body: '' }, ''],
  ['cut JSON', { body: COMPLETION.slice(0, 30) }, COMPLETION.slice(0, 30)],
  [
    'cut gzip',
    { body: gzipSync(COMPLETION).subarray(0, -12), headers: { 'content-encoding': 'gzip' } },
    '{"choices"',
  ],
  ['no choices', { body: { choices: [] } }, '{"choices":[]}'],
  ['choices that are null', { body: { choices: null } }, '{"choices":null}'],
  ['a choice without a message', { body: { choices: [{}] } }, '{"choices":[{}]}'],
  ['a web page that is called JSON', { body: '<!doctype html><p>Hi' }, '<!doctype html><p>Hi'],
  [
    'events that end too early, unasked',
    { body: 'data: {"choices":[]}\n\n', headers: { 'content-type': 'text/event-stream' } },
    'data: {"choices":[]}\n\n',
  ],
];

describe('a success without an answer is the fault of the provider', () => {
  test.each(FAULTS)('%s: nothing is burned, the reply is kept and counted', async (_name, fault, raw) => {
    const under = await open({ MAX_ATTEMPTS: '1' });
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? fault : undefined));
    await under.start();
    const ids = await Promise.all([1, 2, 3].map((of) => under.extract(SAID, { userId: `user ${of}` })));
    await waitFor(
      async () => {
        const { rows } = await under.database.query('select from provider_breakers where failures > 1');
        return rows.length > 0;
      },
      { describe: 'the breaker to be open' },
    );
    const rows = await Promise.all(ids.map((id) => under.ledger(id, (row) => row.errorClass !== null)));
    for (const row of rows) expect(row).toMatchObject({ attempts: 0, errorClass: 'transient' });

    under.model.setReply(() => undefined);
    for (const id of ids) {
      const row = await under.ledger(id);
      const outputs = await outputsOf(under, id);
      expect(row).toMatchObject({ state: 'done', attempts: 1, added: 1, modelCalls: outputs.length });
      expect(outputs.at(-1)?.status).toBe('pinned');
      expect(outputs[0]?.status).toBe('rejected');
      expect(outputs[0]?.raw.startsWith(raw)).toBe(true);
    }
    expect(under.log()).not.toContain('Lisbon');
  });

  test('that only one extraction meets while others succeed ends that one, with the replies', async () => {
    const under = await open({ MAX_ATTEMPTS: '2', RETRY_INTERVAL_MS: '50' });
    answerTo(under, 'Brindisi', { body: '{"choices":[{"mess' });
    await under.start();
    const bad = await under.extract([{ content: 'I live in Brindisi.' }], { userId: 'bad' });
    const failed = await waitFor(
      async () => {
        await under.ledger(await under.extract(SAID));
        const row = await under.ledger(bad, () => true);
        return row.state === 'failed' ? row : undefined;
      },
      { timeoutMs: 20_000, describe: 'the bad one to fail' },
    );
    expect(failed).toMatchObject({ errorClass: 'bad_reply', attempts: 2 });
    const outputs = await outputsOf(under, bad);
    expect(failed.modelCalls).toBe(outputs.length);
    expect(outputs[0]).toMatchObject({ status: 'rejected', raw: '{"choices":[{"mess' });
  });

  test('a complete stream that was not asked for is read', async () => {
    const under = await open();
    const event = (content: string, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
    const body = `${event('{"facts":{"home"', null)}${event(':"Lisbon"}}', 'stop')}data: [DONE]\n\n`;
    under.model.setReply(({ endpoint }) =>
      endpoint === 'chat' ? { body, headers: { 'content-type': 'text/event-stream' } } : undefined,
    );
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({ state: 'done', added: 1 });
  });
});

describe.each(['facts-and-context', 'single-fact'])('no text in a reply, %s', (preset) => {
  test.each([
    ['null', null],
    ['blank', ' \n'],
  ])('%s for a while: asked twice, then waited for; nothing is burned', async (_name, content) => {
    const under = await open({ MAX_ATTEMPTS: '1', BREAKER_PROBE_INTERVAL_MS: '300' });
    let isAway = true;
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' && isAway ? { content } : undefined));
    await under.start();
    const id = await under.extract(SAID, { preset });
    expect(await under.ledger(id, (row) => row.errorClass !== null)).toMatchObject({
      attempts: 0,
      errorClass: 'transient',
    });
    isAway = false;
    const row = await under.ledger(id);
    expect(row).toMatchObject({ state: 'done', attempts: 1 });
    expect(row.modelCalls).toBe((await outputsOf(under, id)).length);
  });

  test('for good: five times two calls, then it has failed', async () => {
    const under = await open();
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content: '' } : undefined));
    await under.start();
    const row = await under.ledger(await under.extract(SAID, { preset }));
    expect(row).toMatchObject({ state: 'failed', errorClass: 'bad_reply', modelCalls: 10 });
    expect(under.model.callCount).toBe(10);
    // The provider is still held to be down: the next extraction finds out.
    const { rows } = await under.database.query('select from provider_breakers where opened_at is not null');
    expect(rows).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    [
      'tool calls',
      { content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'x' } }] },
      'tool_calls',
    ],
    ['reasoning', { content: '', reasoning_content: 'The user lives in Lisbon.' }, 'reasoning_only'],
  ])('%s instead: asked again, then it has failed', async (_name, message, finish) => {
    const under = await open();
    const body = { choices: [{ message, finish_reason: 'stop' }] };
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { body } : undefined));
    await under.start();
    const id = await under.extract(SAID, { preset });
    expect(await under.ledger(id)).toMatchObject({
      state: 'failed',
      errorClass: 'bad_reply',
      modelCalls: 2,
      attempts: 1,
    });
    expect((await outputsOf(under, id)).map((output) => output.finish)).toEqual([finish, finish]);
  });
});

describe('single-fact', () => {
  test.each(["I'm sorry, but I can't help with that request.", '抱歉，我无法协助处理这个请求。'])(
    'a refusal in words is one: %s',
    async (content) => {
      const under = await open();
      under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content } : undefined));
      await under.start();
      const id = await under.extract(SAID, { preset: 'single-fact' });
      expect(await under.ledger(id)).toMatchObject({ state: 'failed', errorClass: 'refusal', modelCalls: 1 });
      expect(await outputsOf(under, id)).toMatchObject([{ status: 'rejected', raw: content }]);
      expect(await under.memories('maya')).toEqual([]);
    },
  );

  test.each(['The user lives in Lisbon.<|im_end|>', '**Answer:** "The user lives in Lisbon."'])(
    'what stands around the fact is left out: %s',
    async (content) => {
      const under = await open();
      under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content } : undefined));
      await under.start();
      const row = await under.ledger(await under.extract(SAID, { preset: 'single-fact' }));
      expect(row).toMatchObject({ state: 'done', added: 1, rejected: 0 });
      expect(await under.memories('maya')).toMatchObject([{ content: 'The user lives in Lisbon.' }]);
    },
  );
});

describe('every call that is paid for is counted', () => {
  test.each<[string, ScriptedReply, string, number]>([
    [
      'a refusal',
      {
        body: {
          choices: [{ message: { refusal: 'no' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 40, completion_tokens: 2 },
        },
      },
      'refusal',
      1,
    ],
    [
      'a limit reached before any text, twice',
      {
        body: {
          choices: [{ message: { content: '' }, finish_reason: 'length' }],
          usage: { prompt_tokens: 20, completion_tokens: 1 },
        },
      },
      'truncated',
      2,
    ],
  ])('%s', async (_name, reply, errorClass, calls) => {
    const under = await open();
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? reply : undefined));
    await under.start();
    const id = await under.extract(SAID);
    expect(await under.ledger(id)).toMatchObject({
      state: 'failed',
      errorClass,
      modelCalls: calls,
      promptTokens: 40,
      completionTokens: 2,
    });
    expect(await outputsOf(under, id)).toHaveLength(calls);
  });

  test('a refused request is not', async () => {
    const under = await open();
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { status: 400 } : undefined));
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({
      errorClass: 'input',
      modelCalls: 0,
    });
  });
});

test.each(['standard', 'categorised', 'facts-and-context'])(
  'an empty value beside what cannot be read is not "nothing to remember", %s',
  async (preset) => {
    const under = await open();
    under.model.setReply(({ endpoint }) =>
      endpoint === 'chat' ? { content: 'facts:\n  home: Lisbon\ncontext: []' } : undefined,
    );
    await under.start();
    expect(await under.ledger(await under.extract(SAID, { preset }))).toMatchObject({
      state: 'failed',
      errorClass: 'bad_reply',
      modelCalls: 2,
    });
  },
);

test('a value that is too long is refused by name, without another call', async () => {
  const under = await open();
  const content = JSON.stringify({ facts: { essay: 'x'.repeat(200_000) } });
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content } : undefined));
  await under.start();
  expect(await under.ledger(await under.extract(SAID))).toMatchObject({
    state: 'done',
    modelCalls: 1,
    rejected: 1,
    rejections: { too_long: 1 },
  });
});
