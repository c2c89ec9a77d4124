import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DILIGENT, EXTRACTOR, type SourceStand, startSource } from './source-stand.ts';

/** Source D from top to bottom: an agent with the memory tool, whole transcripts, and the narrative in every chat. */
let stand: SourceStand;
beforeAll(async () => {
  stand = await startSource('categorised', () => ({ CHAT_MEMORY: 'true', STALE_AFTER_S: '0' }));
});
afterAll(() => stand.close());

const user_id = 'navi';
const LONG = 'x'.repeat(600);

test('beginning a conversation extracts the stale ones, from the whole transcript', async () => {
  await stand.client.conversations.post('old', {
    user_id,
    messages: [
      { role: 'user', content: 'Which machine am I on?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'hostname', arguments: '{"short":true}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: `heron ${LONG}` },
      { role: 'assistant', content: 'You are on heron.' },
    ],
  });
  expect(stand.asked()).toEqual([]);
  stand.model.setReply((request) =>
    JSON.stringify(request.body['messages']).includes('<conversation>') && request.body['model'] === EXTRACTOR
      ? {
          content: JSON.stringify([
            {
              category: 'environment',
              key: 'host',
              value: 'heron',
              source: 'tool_call',
              source_context: 'hostname',
            },
            {
              category: 'work',
              key: 'shell',
              value: 'zsh',
              source: 'auto_discovery',
              source_context: 'hostname',
            },
            {
              category: 'identity',
              key: 'name',
              value: 'Navi',
              source: 'user_explicit',
              source_context: 'said',
            },
            {
              category: 'preference',
              key: 'editor',
              value: 'vi',
              source: 'inferred',
              source_context: 'guess',
            },
          ]),
        }
      : DILIGENT(request),
  );
  await stand.client.conversations.create({ id: 'new', user_id });
  await stand.untilExtracted(user_id, 'old', 4);
  const prompt = JSON.stringify(stand.asked()[0]?.['messages']);
  expect(prompt).toContain('Which machine am I on?');
  expect(prompt).toMatch(/\[Tool call\] hostname\(/);
  expect(prompt).toContain('[Tool result] hostname: heron x');
  expect(prompt).not.toContain('x'.repeat(501));
  expect(prompt).toContain('You are on heron.');
  const { data } = await stand.client.memories.list({ user_id });
  expect(Object.fromEntries(data.map(({ key, confidence }) => [key, confidence]))).toMatchObject({
    host: 95,
    shell: 95,
  });
});

test('the narrative is made anew from all facts and goes behind the main system message on every turn', async () => {
  const { content } = await waitFor(
    async () => {
      const summary = await stand.client.summary.get({ user_id });
      return summary.content !== null && summary.content.includes('heron') && summary;
    },
    { describe: 'the narrative', timeoutMs: 60_000 },
  );
  stand.model.setReply(DILIGENT);
  const system = { role: 'system', content: 'You are an agent.' };
  const history = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello!' },
  ];
  for (const message of ['What should I cook?', 'ok, thanks!']) {
    const asked = { role: 'user', content: message };
    await stand.say(user_id, '', { messages: [system, ...history, asked] });
    const received = stand.received();
    expect(received.map(({ role }) => role)).toEqual(['system', 'system', 'user', 'assistant', 'user']);
    expect(received[1]?.content).toMatch(/^## What I remember about the user\n\n<memory>\n/);
    expect(received[1]?.content).toContain(content ?? 'no narrative');
    expect([received[0], received[4]]).toEqual([system, asked]);
  }
});

test('a narrative written by hand is what the next chat gets', async () => {
  await stand.client.summary.put({ user_id: 'otto', content: 'Otto restores organs.' });
  await stand.say('otto', 'Good morning!');
  expect(stand.received()[0]?.content).toMatch(
    /^## What I remember about the user\n\n<memory>\n[^\n]*\nOtto restores organs\.\n<\/memory>$/,
  );
  // The core profile has no place of its own.
  await stand.client.memories.create({ user_id: 'otto', content: 'Otto is a carpenter.', tier: 1 });
  await stand.say('otto', 'Good evening!');
  expect(stand.received().map(({ role }) => role)).toEqual(['system', 'user']);
});

test('the tool tells an agent when to use it', async () => {
  const { function: tool } = (await stand.client.tools.definition()) as {
    function: { name: string; description: string };
  };
  expect(tool.name).toBe('memory');
  expect(tool.description).toMatch(/search: when the user mentions something personal/);
  expect(tool.description).toMatch(/Not at the start of every conversation/);
  expect(tool.description).toMatch(
    /forget: only when the user asks for it, or when a memory is plainly wrong/,
  );
});

test('the tool saves with the confidence of its source, searches, lists and forgets', async () => {
  const agent = 'agent';
  for (const [source, confidence] of [
    ['tool', 95],
    ['user', 80],
    ['web', 50],
    ['guess', 30],
  ] as const) {
    const { memory } = await stand.client.tools.call({
      action: 'save',
      user_id: agent,
      category: 'environment',
      key: `port_of_${source}`,
      value: `harbour ${source}`,
      source,
    });
    expect(memory?.confidence).toBe(confidence);
  }
  const { memories: found } = await stand.client.tools.call({
    action: 'search',
    user_id: agent,
    query: 'harbour web',
  });
  expect(found?.map(({ key }) => key)).toContain('port_of_web');
  const { memories: listed } = await stand.client.tools.call({ action: 'list', user_id: agent });
  expect(listed).toHaveLength(4);
  const forget = { action: 'forget', user_id: agent, key: 'port_of_web' } as const;
  expect(await stand.client.tools.call({ ...forget, category: 'work' })).toMatchObject({ deleted: 0 });
  expect(await stand.client.tools.call({ ...forget, category: 'environment' })).toMatchObject({ deleted: 1 });
});

test('a search is by vector, then by words, and has 15 results', async () => {
  const memories = Array.from({ length: 20 }, (_, number) => ({
    key: `berth_${number}`,
    value: `berth ${number} of the quay`,
  }));
  await stand.client.memories.batch({ user_id: 'quay', memories });
  await stand.untilRemembered('quay', 20);
  const { results, mode } = await stand.client.memories.search({ user_id: 'quay', query: 'quay' });
  expect(mode).toBe('vector');
  expect(results).toHaveLength(15);
});
