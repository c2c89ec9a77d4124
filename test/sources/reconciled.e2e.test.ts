import { createServer, type Server } from 'node:http';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CHAT_MODEL, CODE, DILIGENT, type SourceStand, startSource } from './source-stand.ts';

/** Source E from top to bottom: a chat proxy whose conversations keep what they know, but for `global`. */
describe('with vectors alone', () => {
  let stand: SourceStand;
  beforeAll(async () => {
    // Memory is on without being asked for.
    stand = await startSource('reconciled');
  });
  afterAll(() => stand.close());

  const contentsOf = (hits: readonly { role: string; content: string }[] = []) =>
    hits.map(({ role, content }) => `[${role}] ${content}`);
  const scopesOf = async (user_id: string) =>
    Object.fromEntries(
      (await stand.client.memories.list({ user_id })).data.map(({ content, scope }) => [content, scope]),
    );

  /** Says something in a conversation and waits until it is extracted, with its vectors. */
  async function tell(user: string, memory_id: string, content: string, facts: number): Promise<void> {
    const before = await stand.client.conversations
      .get(memory_id, { user_id: user })
      .then(({ message_count }) => message_count)
      .catch(() => 0);
    await stand.say(user, content, { memory_id });
    // What the user says is extracted without waiting for the answer.
    await stand.untilExtracted(user, memory_id, before + 2, before + 1);
    await stand.untilRemembered(user, facts);
  }

  /** Waits until a turn of the user has its vector and is found by it. */
  async function untilFound(user_id: string, query: string, scopes: string[]): Promise<void> {
    await waitFor(
      async () => {
        const search = { user_id, query, scopes, mode: 'enhanced', include_turns: true } as const;
        const { results } = await stand.client.memories.search(search);
        return results.some(({ turn, similarity }) => turn?.role === 'user' && similarity !== undefined);
      },
      { describe: 'the vector of the turn', timeoutMs: 20_000 },
    );
  }

  test('without a memory_id a chat belongs to `default`, and its facts stay there', async () => {
    const first = await stand.say('maya', 'I live in Lisbon.');
    expect(stand.received()).toEqual([{ role: 'user', content: 'I live in Lisbon.' }]);
    expect(first.memory_hits).toEqual([]);
    await stand.untilExtracted('maya', 'default', 2, 1);
    await stand.untilRemembered('maya', 1);
    expect(await scopesOf('maya')).toEqual({ "The user's home is Lisbon.": 'default' });
    const [call] = stand.asked();
    expect(JSON.stringify(call?.['messages'])).toContain('I live in Lisbon.');
    expect(JSON.stringify(call?.['messages'])).not.toContain('All right.');
  });

  test('what was learned from a message alone does not come with that message', async () => {
    await waitFor(
      async () => (await stand.client.summary.get({ user_id: 'maya', conversation_id: 'default' })).content,
      { describe: 'the rolling summary', timeoutMs: 60_000 },
    );
    // The same request again is the same turn; by now it is extracted, found by words and by meaning, and summarised.
    const again = await stand.say('maya', 'I live in Lisbon.');
    expect(stand.received()).toEqual([{ role: 'user', content: 'I live in Lisbon.' }]);
    expect(again.memory_hits).toEqual([]);
  });

  test('the message goes on with summary, memories and itself, and nothing else is changed', async () => {
    const system = { role: 'system', content: 'Be brief.' };
    const asked = { role: 'user', content: 'Where is my home?' };
    const { memory_hits: hits = [] } = await stand.say('maya', '', {
      messages: [system, asked],
      temperature: 0.3,
      memory_top_k: 3,
      memory_recency_weight: 0.2,
    });
    const { body } = stand.model.calls.findLast((one) => one.body['model'] === CHAT_MODEL) ?? { body: {} };
    expect(Object.keys(body).filter((field) => field.startsWith('memory_'))).toEqual([]);
    expect(body).toMatchObject({ temperature: 0.3, user: 'maya' });
    const [first, last] = stand.received();
    expect(first).toEqual(system);
    expect(last?.content).toMatch(
      /^Conversation summary:\n<memory>\n[^]*Lisbon[^]*\n<\/memory>\n\nLong-term memory \(most relevant first\):\n<memory>\n[^]*\n- \[\w+\] [^]*\n<\/memory>\n\nCurrent message: Where is my home\?$/,
    );
    expect(contentsOf(hits)).toContain("[note] The user's home is Lisbon.");
    for (const hit of hits) {
      expect(Object.keys(hit).toSorted()).toEqual(['content', 'created_at', 'role', 'score']);
    }
  });

  test('memory_id is a boundary: a chat sees its own facts and those of `global`', async () => {
    await tell('nora', 'work', 'My falcon is called Brant.', 1);
    await tell('nora', 'global', 'I am allergic to hazelnuts.', 2);
    expect(await scopesOf('nora')).toEqual({
      "The user's falcon name is Brant.": 'work',
      "The user's allergy is hazelnuts.": 'global',
    });
    const nuts = 'Which nuts, like hazelnuts, am I allergic to?';
    const { memory_hits: elsewhere } = await stand.say('nora', nuts, { memory_id: 'home' });
    expect(contentsOf(elsewhere)).toContain("[note] The user's allergy is hazelnuts.");
    const question = 'What is my falcon called, and what is my allergy?';
    await stand.say('nora', question, { memory_id: 'home' });
    expect(JSON.stringify(stand.received())).not.toContain('Brant');
    const { memory_hits: there } = await stand.say('nora', question, { memory_id: 'work' });
    expect(contentsOf(there).join('\n')).toMatch(/Brant[^]*hazelnuts|hazelnuts[^]*Brant/);
  });

  test('so are turns: a chat sees its own and those of `global`', async () => {
    await tell('nora', 'barn', 'We painted the old barn turquoise.', 2);
    await tell('nora', 'global', 'We painted the old boat vermilion.', 2);
    const question = 'What did we paint, the barn or the boat?';
    await untilFound('nora', question, ['barn']);
    await untilFound('nora', question, ['global']);
    await stand.say('nora', question, { memory_id: 'home' });
    expect(JSON.stringify(stand.received())).toContain('vermilion');
    expect(JSON.stringify(stand.received())).not.toContain('turquoise');
  });

  test('another user has a `global` and a `default` of their own', async () => {
    await stand.say('otis', 'I am allergic to celery.', { memory_id: 'global' });
    await stand.untilRemembered('otis', 1);
    expect(await scopesOf('otis')).toEqual({ "The user's allergy is celery.": 'global' });
    const { memory_hits: hits } = await stand.say('otis', 'What is my allergy?');
    expect(contentsOf(hits).join('\n')).toContain('celery');
    expect(JSON.stringify(stand.received())).not.toMatch(/hazelnuts|Lisbon/);
  });

  test('a stored turn is found by its meaning', async () => {
    await tell('piet', 'garage', 'We bought an old yellow automobile in Turin.', 0);
    await untilFound('piet', 'What car do we drive?', ['garage']);
    const { memory_hits: hits } = await stand.say('piet', 'What car do we drive?', { memory_id: 'garage' });
    expect(contentsOf(hits)).toContain('[user] We bought an old yellow automobile in Turin.');
    expect(stand.received().at(-1)?.content).toContain(
      '\n- [user] We bought an old yellow automobile in Turin.\n',
    );
  });

  test('memory_top_k is how many, five without it; 0 leaves the request as it is', async () => {
    for (let number = 1; number <= 9; number += 1) {
      const content = `The lighthouse keeper wrote page ${number} of the log.`;
      await stand.client.memories.create({ user_id: 'rhea', scope: 'log', content });
    }
    await stand.untilRemembered('rhea', 9);
    const question = 'What did the lighthouse keeper write?';
    const ask = (more: object) => stand.say('rhea', question, { memory_id: 'log', ...more });
    expect((await ask({})).memory_hits).toHaveLength(5);
    const search = { user_id: 'rhea', query: question };
    expect((await stand.client.memories.search(search)).results).toHaveLength(5);
    expect((await ask({ memory_top_k: 2 })).memory_hits).toHaveLength(2);
    for (const memory_top_k of [0, -1]) {
      expect(await ask({ memory_top_k })).not.toHaveProperty('memory_hits');
      expect(stand.received()).toEqual([{ role: 'user', content: question }]);
    }
  });

  test('a threshold without a reranker is one of the cosine similarity', async () => {
    const question = 'What did the lighthouse keeper write?';
    const ask = (memory_score_threshold: number) =>
      stand.say('rhea', question, { memory_id: 'log', memory_score_threshold });
    expect((await ask(0.99)).memory_hits).toEqual([]);
    expect(JSON.stringify(stand.received())).not.toContain('Long-term memory');
    expect((await ask(0.2)).memory_hits).toHaveLength(5);
  });

  test('there is no gate', async () => {
    await stand.client.memories.create({
      user_id: 'sam',
      scope: 'tea',
      content: 'Sam brews oolong at noon.',
    });
    await stand.untilRemembered('sam', 1);
    const { memory_hits: hits } = await stand.say('sam', CODE, { memory_id: 'tea' });
    expect(contentsOf(hits).join('\n')).toContain('Sam brews oolong at noon.');
  });

  test('the profile is at the head of what is found, in the user’s message', async () => {
    await stand.client.memories.create({ user_id: 'saul', content: 'Saul is a mason.', tier: 1 });
    await stand.say('saul', 'Good morning!');
    expect(stand.received()).toEqual([
      { role: 'user', content: expect.stringMatching(/\n- \[profile\] Saul is a mason\.\n<\/memory>\n\n/) },
    ]);
  });

  test('two memories of the same words are two', async () => {
    for (const content of ['The kiln is hot.', 'Kiln is hot.'])
      await stand.client.memories.create({ user_id: 'uri', scope: 'kiln', content });
    await stand.untilRemembered('uri', 2);
    const search = { user_id: 'uri', query: 'The kiln is hot.', scopes: ['kiln'] };
    const { mode, results } = await stand.client.memories.search(search);
    expect(mode).toBe('enhanced');
    expect(results).toHaveLength(2);
  });

  test('a new fact is reconciled with its neighbours in the conversation', async () => {
    await tell('tess', 'moves', 'I live in Oslo.', 1);
    await tell('tess', 'moves', 'I live in Bergen.', 1);
    expect(await scopesOf('tess')).toEqual({ "The user's home is Bergen.": 'moves' });
    const asked = stand.asked().filter((call) => JSON.stringify(call['messages']).includes('<new_facts>'));
    expect(JSON.stringify(asked.at(-1)?.['messages'])).toContain('M1');
  });

  test('a fact is added when the model decides that nothing is', async () => {
    await tell('ugo', 'safe', 'I live in Turku.', 1);
    stand.model.setReply((request) =>
      JSON.stringify(request.body['messages'] ?? '').includes('<new_facts>')
        ? { content: '[{"event": "NONE", "id": "N1"}]' }
        : DILIGENT(request),
    );
    await tell('ugo', 'safe', 'I work as a glazier.', 2);
    stand.model.setReply(DILIGENT);
  });

  test('turns and facts count, the oldest of both leave, and the summary stays', async () => {
    const user_id = 'vito';
    await stand.client.conversations.create({ id: 'short', user_id, policy: { max_entries: 3 } });
    await tell(user_id, 'short', 'I live in Cadiz. The gate is made of walnut.', 1);
    await tell(user_id, 'short', 'I work as a cooper.', 1);
    // The first fact has left, and the turn that it was made from.
    expect(await scopesOf(user_id)).toEqual({ "The user's job is cooper.": 'short' });
    const { memory_hits: hits } = await stand.say(user_id, 'What is the gate made of, and where do I live?', {
      memory_id: 'short',
    });
    expect(JSON.stringify(hits)).not.toMatch(/walnut|Cadiz/);
    const { data } = await stand.client.conversations.messages('short', { user_id });
    expect(data.map(({ content }) => content)).toContain('I live in Cadiz. The gate is made of walnut.');
    await waitFor(
      async () => {
        const { content } = await stand.client.summary.get({ user_id, conversation_id: 'short' });
        return content?.includes('Cadiz') === true && content.includes('cooper');
      },
      { describe: 'the summary of both exchanges', timeoutMs: 60_000 },
    );
  });

  test('numbers of the conversation’s policy stand in place of the preset’s', async () => {
    await stand.client.conversations.patch('log', {
      user_id: 'rhea',
      policy: { top_k: 1, summaries: false },
    });
    const { memory_hits: hits } = await stand.say('rhea', 'What did the lighthouse keeper write?', {
      memory_id: 'log',
    });
    expect(hits).toHaveLength(1);
  });

  test('a streamed chat is stored: the question at once, the answer at its end', async () => {
    const pieces: string[] = [];
    const request = {
      model: CHAT_MODEL,
      user: 'wanda',
      memory_id: 'stream',
      messages: [{ role: 'user', content: 'My boat is called Petrel.' }],
    };
    for await (const { choices } of stand.client.chat.stream(request)) {
      pieces.push(choices[0]?.delta.content ?? '');
    }
    expect(pieces.join('')).toBe('All right.');
    await stand.untilExtracted('wanda', 'stream', 2, 1);
    const { data } = await stand.client.conversations.messages('stream', { user_id: 'wanda' });
    expect(data.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'My boat is called Petrel.'],
      ['assistant', 'All right.'],
    ]);
  });

  test('a chat without any user belongs to one user, and `global` is shared', async () => {
    await stand.client.chat.complete({
      model: CHAT_MODEL,
      memory_id: 'global',
      messages: [{ role: 'user', content: 'My kettle is called Vesuvius.' }],
    });
    await stand.untilRemembered('default', 1);
    const { memory_hits: hits } = await stand.client.chat.complete({
      model: CHAT_MODEL,
      memory_id: 'kitchen',
      messages: [{ role: 'user', content: 'What is my kettle called?' }],
    });
    expect(contentsOf(hits).join('\n')).toContain('Vesuvius');
  });
});

describe('with a cross-encoder', () => {
  /** Logits for what a text has; the sigmoid makes 0.95, 0.92, 0.5 and 0.34 of them. */
  const LOGITS: readonly (readonly [string, number])[] = [
    ['lamp', 3],
    ['hinge', 2.5],
    ['stair', 0],
    ['rail', -0.65],
  ];
  let reranker: Server;
  let documents: string[];
  let stand: SourceStand;
  beforeAll(async () => {
    reranker = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.once('end', () => {
        ({ texts: documents } = JSON.parse(text) as { texts: string[] });
        const scores = documents.map((document, index) => ({
          index,
          score: LOGITS.find(([word]) => document.includes(word))?.[1] ?? -9,
        }));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(scores));
      });
    });
    await new Promise<void>((resolve) => reranker.listen(0, '127.0.0.1', resolve));
    const address = reranker.address();
    const port = typeof address === 'object' ? address?.port : 0;
    stand = await startSource('reconciled', () => ({
      RERANK_PROVIDER: 'tei',
      RERANK_BASE_URL: `http://127.0.0.1:${port}`,
      RERANK_TIMEOUT_MS: '30000',
    }));
  });
  afterAll(async () => {
    await stand.close();
    await new Promise((resolve) => reranker.close(resolve));
  });

  test('relevance is its sigmoid, 0.35 is what it takes, and recency has a fifth of the score', async () => {
    for (const content of [
      'The lamp is lit.',
      'The stair is steep.',
      'The rail is loose.',
      'Bread is baked.',
    ]) {
      await stand.client.memories.create({ user_id: 'xavi', scope: 'tower', content });
    }
    await stand.untilRemembered('xavi', 4);
    await waitFor(
      async () => {
        const search = { user_id: 'xavi', query: 'lamp', scopes: ['tower'] };
        return (await stand.client.memories.search(search)).relevance?.by === 'reranker';
      },
      { describe: 'the first judgement', timeoutMs: 60_000 },
    );
    const { memory_hits: hits = [] } = await stand.say('xavi', 'What about the lamp?', {
      memory_id: 'tower',
    });
    // No similarity cuts before the reranker: what is about bread was judged too.
    const judged = ['Bread is baked.', 'The lamp is lit.', 'The rail is loose.', 'The stair is steep.'];
    expect(documents).toEqual(expect.arrayContaining(judged));
    expect(hits.map(({ content }) => content)).toEqual(['The lamp is lit.', 'The stair is steep.']);
    const total = (logit: number) => 0.8 * (1 / (1 + Math.exp(-logit))) + 0.2;
    expect(hits.map(({ score }) => score)).toEqual([
      expect.closeTo(total(3), 3),
      expect.closeTo(total(0), 3),
    ]);
  });

  test('what says nearly the same waits behind what says something else', async () => {
    const contents = ['The lamp of the north tower is green.', 'The lamp of the north tower is dark green.'];
    for (const content of [...contents, 'A hinge creaks.'])
      await stand.client.memories.create({ user_id: 'yuri', scope: 'spire', content });
    await stand.untilRemembered('yuri', 3);
    const { memory_hits: hits = [] } = await stand.say('yuri', 'What about the lamp?', {
      memory_id: 'spire',
      memory_top_k: 2,
    });
    expect(hits.map(({ content }) => content)).toEqual([expect.stringMatching(/lamp/), 'A hinge creaks.']);
  });

  test('a threshold of the request takes the place of 0.35', async () => {
    const { memory_hits: hits } = await stand.say('xavi', 'What about the lamp?', {
      memory_id: 'tower',
      memory_score_threshold: 0.9,
    });
    expect(hits?.map(({ content }) => content)).toEqual(['The lamp is lit.']);
  });
});
