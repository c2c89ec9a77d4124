import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMemory, toMemory } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from './extractor.fixture.ts';

type Stored = {
  kind: string;
  tier: number;
  category: string;
  key: string | null;
  content: string;
  project: string | null;
  topic: string | null;
  importance: number;
  confidence: number;
};

let under: ExtractorUnderTest;
let folder: string;

const TIERED_OVERRIDE = `<!-- system -->
Find facts, says the operator.

<!-- user -->
What is known: {{EXISTING_MEMORIES}}
{{USER_TEXT}}
--
{{ASSISTANT_TEXT}}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prompts-'));
  await writeFile(join(folder, 'tiered.md'), TIERED_OVERRIDE);
  under = await openExtractorUnderTest({ env: { PROMPTS_DIR: folder } });
  await under.start();
});
afterAll(async () => {
  await under.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => under.model.reset());

async function stored(userId: string): Promise<Stored[]> {
  const { rows } = await under.database.query<Stored>(
    `select kind, tier, category, key, content, project, topic, round(importance::numeric, 2)::float8 as importance, confidence from memories
       where user_id = $1::text and is_current order by tier, content`,
    [userId],
  );
  return rows;
}

/** Extracts with the model giving `reply`; resolves to the ledger row and the first prompt. */
async function extract(
  messages: Parameters<ExtractorUnderTest['extract']>[0],
  options: { userId: string; preset: string },
  reply: unknown,
) {
  const content = typeof reply === 'string' ? reply : JSON.stringify(reply);
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content } : undefined));
  const row = await under.ledger(await under.extract(messages, options));
  const call = under.model.calls.find(({ endpoint }) => endpoint === 'chat');
  return { row, prompt: JSON.stringify(call?.body['messages']), userText: call?.userText ?? '', body: call?.body };
} // prettier-ignore

const EXCHANGE = [
  { role: 'user', content: 'I moved to Lisbon for project Atlas.' },
  { role: 'assistant', content: 'Welcome to Lisbon!' },
] as const;

describe('standard', () => {
  test('stores facts, questions with answers and the event line of one call', async () => {
    const { row, userText } = await extract(
      EXCHANGE,
      { userId: 'standard', preset: 'standard' },
      {
        facts: [{ category: 'identity', key: 'home', value: 'Lisbon' }],
        context: [{ q: 'Why did the user move?', a: 'For project Atlas' }],
        event: 'The user moved to Lisbon.',
      },
    );
    expect(row).toMatchObject({ state: 'done', added: 3, degraded: null });
    expect(userText).toContain('User: I moved');
    expect(userText).not.toContain('Welcome');
    expect(await stored('standard')).toMatchObject([
      { kind: 'qa', tier: 2 },
      { kind: 'fact', tier: 2, category: 'identity', key: 'home', content: 'The user lives in Lisbon.' },
      { kind: 'event', tier: 3, content: 'The user moved to Lisbon.' },
    ]);
  });
});

describe('single-fact', () => {
  test('sees both sides and stores one line', async () => {
    const { row, userText, body } = await extract(
      EXCHANGE,
      { userId: 'single', preset: 'single-fact' },
      'The user moved to Lisbon.',
    );
    expect(row).toMatchObject({ state: 'done', added: 1 });
    expect(userText).toContain('User: I moved to Lisbon for project Atlas.\nAssistant: Welcome to Lisbon!');
    expect(body?.['stream']).toBe(true);
    expect(await stored('single')).toMatchObject([{ kind: 'note', content: 'The user moved to Lisbon.' }]);
  });

  test.each(['NOTHING', 'There is nothing new.', 'Yes', 'Short.', 'Does the user live in Lisbon?'])(
    'stores nothing of %j',
    async (reply) => {
      const userId = `nothing ${reply}`;
      const { row } = await extract(EXCHANGE, { userId, preset: 'single-fact' }, reply);
      expect(row).toMatchObject({ state: 'done', added: 0 });
      expect(await stored(userId)).toEqual([]);
      expect(under.model.callCount).toBe(1);
    },
  );
});

describe('tiered', () => {
  test('memories know their channel and sender, events their day and tokens too', async () => {
    const from = { channel: 'telegram', sender: 'ada-7', created_at: '2026-03-01T23:30:00Z' };
    const { row } = await extract(
      [
        { content: 'I moved to Lisbon last week.', ...from },
        { content: 'My sister keeps bees.', ...from, sender: 'bob-2' },
      ],
      { userId: 'origins', preset: 'tiered' },
      { facts: [{ category: 'event', content: 'The sister of the user keeps bees.' }], event: 'The user moved to Lisbon.' },
    ); // prettier-ignore
    const memories = await Promise.all(
      row.memoryIds.map((id) => findMemory(under.database, { tenantId: TENANT, userId: 'origins', id })),
    );
    expect(memories.flatMap((memory) => (memory === undefined ? [] : [toMemory(memory)]))).toMatchObject([
      { tier: 2, channel: 'telegram', sender: 'bob-2', event_date: null, source_tokens: null },
      { tier: 3, channel: 'telegram', sender: 'ada-7', event_date: '2026-03-01', source_tokens: 5 },
    ]);
  });

  test('stores facts with project, topic, category and importance, and the event of the day', async () => {
    const { row, prompt } = await extract(
      EXCHANGE,
      { userId: 'tiered', preset: 'tiered' },
      {
        facts: [
          { project: 'Atlas', topic: 'move', category: 'decision', content: 'The user moved to Lisbon for Atlas.', importance: 0.8 },
          { category: 'temp', content: 'Boxes are still packed in Lisbon.', importance: 2 },
        ],
        event: 'Talked about the move to Lisbon.',
      },
    ); // prettier-ignore
    expect(row).toMatchObject({ state: 'done', added: 3 });
    expect(await stored('tiered')).toMatchObject([
      { tier: 2, category: 'temp', importance: 0.2, project: null, topic: null },
      { tier: 2, category: 'decision', importance: 0.8, project: 'Atlas', topic: 'move' },
      { tier: 3, kind: 'event', content: 'Talked about the move to Lisbon.' },
    ]);
    expect(prompt).toContain('Find facts, says the operator.');
    expect(prompt).toContain(
      'What is known: (none)\\nUser: I moved to Lisbon for project Atlas.\\n--\\nAssistant: Welcome',
    );
  });

  test('the answer says which wording it was given', async () => {
    const { row: own } = await extract(EXCHANGE, { userId: 'v1', preset: 'standard' }, { facts: [] });
    const { row: theirs } = await extract(EXCHANGE, { userId: 'v2', preset: 'tiered' }, { facts: [] });
    const { rows } = await under.database.query<{ version: string }>(
      `select prompt_version as version from extraction_outputs where extraction_id = any($1::uuid[])`,
      [[own.id, theirs.id]],
    );
    expect(new Set(rows.map(({ version }) => version)).size).toBe(2);
    for (const { version } of rows) expect(version).toMatch(/^[0-9a-f]{12}$/);
  });

  test('a template that is not right stops the start, by name', async () => {
    await writeFile(join(folder, 'persona.md'), 'x');
    const error: unknown = await under.start().catch((thrown: unknown) => thrown);
    await rm(join(folder, 'persona.md'));
    expect(isAppError(error) && error.message).toContain('persona.md');
  });
});

describe('categorised', () => {
  const long = 'lorem ipsum '.repeat(1_000);

  test('sees tool calls and results; the source of a fact decides its confidence', async () => {
    const { row, userText } = await extract(
      [
        { role: 'user', content: 'My editor is Vim. Where am I?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'locate', arguments: '{"by": "ip"}' } },
          ],
        },
        { role: 'tool', content: `{"host": "atlas", "log": "${'x'.repeat(900)}"}`, tool_call_id: 'c1' },
        { role: 'assistant', content: 'You are on atlas.' },
      ],
      { userId: 'categorised', preset: 'categorised' },
      [
        { category: 'environment', key: 'host', value: 'atlas', source: 'tool_call', source_context: 'locate' },
        { category: 'environment', key: 'place', value: 'atlas', source: 'auto_discovery' },
        { category: 'preference', key: 'editor', value: 'Vim', source: 'user_explicit' },
        { category: 'work', key: 'job', value: 'uses Vim', source: 'inferred' },
      ],
    ); // prettier-ignore
    expect(row).toMatchObject({ state: 'done', added: 4, degraded: null });
    expect(userText).toContain('[Tool call] locate({"by": "ip"})\n[Tool result] locate: {"host": "atlas"');
    expect(userText).toContain('x'.repeat(400));
    expect(userText).not.toContain('x'.repeat(500));
    const confidences = (await stored('categorised')).map(({ key, confidence }) => [key, confidence]);
    expect(Object.fromEntries(confidences)).toEqual({ host: 95, place: 95, editor: 90, job: 70 });
  });

  test('a cut transcript is recorded', async () => {
    const { row, userText } = await extract(
      [
        { role: 'user', content: `My name is Ana. ${long}` },
        { role: 'user', content: `${long} I live in Oslo.` },
      ],
      { userId: 'cut', preset: 'categorised' },
      [],
    );
    expect(row).toMatchObject({ state: 'done', degraded: 'transcript_cut' });
    expect(userText).toContain('User: My name is Ana.');
    expect(userText).toContain('I live in Oslo.\n</conversation>');
    expect(userText.length).toBeLessThan(12_500);
  });
});

describe('reconciled', () => {
  test('stores short facts of what the user said', async () => {
    const { row, userText } = await extract(
      EXCHANGE,
      { userId: 'reconciled', preset: 'reconciled' },
      { facts: ['The user moved to Lisbon.'] },
    );
    expect(row).toMatchObject({ state: 'done', added: 1 });
    expect(userText).not.toContain('Welcome');
    expect(await stored('reconciled')).toMatchObject([{ content: 'The user moved to Lisbon.' }]);
  });
});
