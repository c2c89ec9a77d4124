import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { DEFAULT_TENANT_ID, eraseSome, finishErasure } from '@factmill/database';
import { ADMIN_KEY, type GatewayUnderTest, send, startGateway } from '../gateway.fixture.ts';
import { answerJson, completion, events, startUpstream, type UpstreamUnderTest } from './upstream.fixture.ts';

const AUGMENTED =
  'Long-term memory (most relevant first):\n- [fact] The user lives in Lisbon.\n\nCurrent message: Where do I live?';
const RECALLED = {
  blocks: [{ place: 'message', text: AUGMENTED }],
  memories: [
    {
      role: 'fact',
      memory: { content: 'The user lives in Lisbon.', created_at: '2026-01-01T00:00:00Z' },
      score: 0.9,
    },
  ],
};

let upstream: UpstreamUnderTest;
let retrieval: UpstreamUnderTest;
let gateway: GatewayUnderTest;
let user: string;
let number = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  retrieval = await startUpstream();
  gateway = await startGateway({
    CHAT_BASE_URL: upstream.url,
    CHAT_API_KEY: 'sk-stored',
    CHAT_MEMORY: 'true',
    // On a busy machine retrieval answers late.
    CHAT_MEMORY_TIMEOUT_MS: '30000',
    RETRIEVAL_URL: retrieval.origin,
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await retrieval.close();
});
beforeEach(() => {
  number += 1;
  user = `user-${number}`;
  retrieval.received.length = 0;
  retrieval.answerWith((_request, response) => answerJson(response, RECALLED));
  upstream.answerWith((request, response) => {
    const isStream = request.json()['stream'] === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (isStream) for (const event of events('In Lisbon, of course.')) response.write(event);
    response.end(isStream ? undefined : completion('In Lisbon, of course.'));
  });
});

/** What was asked of retrieval. */
const contexts = () => retrieval.received.map((request) => request.json());

type Stored = { id: string; role: string; content: string; superseded: boolean };

async function storedTurns(conversationId?: string): Promise<Stored[]> {
  const { rows } = await gateway.database.query<Stored>(
    `select m.id, m.role, m.content, m.superseded from messages m
     join conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
     where c.user_id = $1 and ($2::text is null or c.id = $2) order by c.id, m.seq`,
    [user, conversationId ?? null],
  );
  return rows;
}

async function untilStored(count: number): Promise<Stored[]> {
  return waitFor(
    async () => {
      const turns = await storedTurns();
      return turns.length >= count ? turns : undefined;
    },
    { describe: `${count} turns to be stored` },
  );
}

function chat(messages: unknown[], more: object = {}) {
  return gateway.call('POST', '/v1/chat/completions', {
    body: { model: 'm', user, messages, ...more },
  });
}

/** Erases the user, from the request to the end. */
async function erase(): Promise<void> {
  const { body } = await gateway.call('DELETE', `/v1/users/${user}`);
  const erasure = { id: body.id, tenantId: DEFAULT_TENANT_ID, userId: user };
  for (let rows = 1; rows > 0;) rows = await eraseSome(gateway.database, erasure, 500);
  expect(await finishErasure(gateway.database, erasure)).toBe(true);
}

type PostOptions = Readonly<{ to?: string; headers?: Record<string, string>; signal?: AbortSignal }>;

/** The answer as it comes. */
function post(body: string | Buffer<ArrayBuffer>, { to, headers, signal }: PostOptions = {}) {
  return fetch(`${to ?? gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}`, ...headers },
    body,
    signal: signal ?? null,
  });
}

const QUESTION = { role: 'user', content: 'Where do I live?' };

describe('a chat with memory', () => {
  test('recalls before, names the memories, and stores both turns', async () => {
    const answer = await chat([{ role: 'system', content: 'Be brief.' }, QUESTION]);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-factmill-memory')).toBe('on');
    expect(answer.body.choices[0].message.content).toBe('In Lisbon, of course.');
    expect(answer.body.memory_hits).toEqual([
      { role: 'fact', content: 'The user lives in Lisbon.', created_at: '2026-01-01T00:00:00Z', score: 0.9 },
    ]);
    const sent = upstream.received.at(-1);
    expect(sent?.headers.authorization).toBe('Bearer sk-stored');
    expect(sent?.json()['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: AUGMENTED },
    ]);
    expect(contexts()).toMatchObject([
      { user_id: user, query: 'Where do I live?', format: 'preset', preset: 'standard' },
    ]);
    const turns = await untilStored(2);
    expect(turns.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Where do I live?'],
      ['assistant', 'In Lisbon, of course.'],
    ]);
  });

  test('streams as it comes and stores what was streamed', async () => {
    const answer = await chat([QUESTION], { stream: true });
    expect(answer.text).toBe(events('In Lisbon, of course.').join(''));
    const turns = await untilStored(2);
    expect(turns[1]).toMatchObject({ role: 'assistant', content: 'In Lisbon, of course.' });
  });

  test('history sent again, and the same request again, store nothing twice; a new reply supersedes', async () => {
    await chat([QUESTION]);
    await untilStored(2);
    await chat([QUESTION]);
    const history = [QUESTION, { role: 'assistant', content: 'In Lisbon, of course.' }];
    await chat([...history, { role: 'user', content: 'Thanks!' }]);
    await untilStored(4);
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('You are welcome!'));
    });
    await chat([...history, { role: 'user', content: 'Thanks!' }]);
    const turns = await untilStored(5);
    expect(turns.map(({ content, superseded }) => [content, superseded])).toEqual([
      ['Where do I live?', false],
      ['In Lisbon, of course.', false],
      ['Thanks!', false],
      ['In Lisbon, of course.', true],
      ['You are welcome!', false],
    ]);
  });

  /** A chat whose turns are stored when it resolves. */
  async function say(messages: unknown[], more: object = {}): Promise<void> {
    const before = (await storedTurns()).length;
    await chat(messages, more);
    await untilStored(before + 2);
  }
  const userSaid = async () =>
    (await storedTurns()).filter(({ role }) => role === 'user').map(({ content }) => content);
  const from = (text: string) => ({ role: 'user', content: text });

  test('what is said again in a new chat, after something else, is stored again and is the newest', async () => {
    await say([from('I live in Oslo.')]);
    await say([from('I live in Bergen.')]);
    await say([from('I live in Oslo.')]);
    const { rows } = await gateway.database.query<{ content: string; conversation: string }>(
      `select m.content, m.conversation_id as conversation from messages m
       join conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
       where c.user_id = $1 and m.role = 'user' order by m.received_at`,
      [user],
    );
    expect(rows.map(({ content }) => content)).toEqual([
      'I live in Oslo.',
      'I live in Bergen.',
      'I live in Oslo.',
    ]);
    expect(new Set(rows.map(({ conversation }) => conversation)).size).toBe(3);
    expect((await storedTurns()).filter(({ superseded }) => superseded)).toEqual([]);
    // Tried again, nothing is stored twice; the chat goes on where it began.
    await chat([from('I live in Oslo.')]);
    await say([
      from('I live in Oslo.'),
      { role: 'assistant', content: 'In Lisbon, of course.' },
      from('Thanks!'),
    ]);
    const thanks = await gateway.database.query<{ conversation: string }>(
      `select conversation_id as conversation from messages m join conversations c
         on c.tenant_id = m.tenant_id and c.id = m.conversation_id where c.user_id = $1 and m.content = 'Thanks!'`,
      [user],
    );
    expect(thanks.rows).toEqual([{ conversation: rows[2]?.conversation }]);
    expect(await storedTurns()).toHaveLength(8);
  });

  test('a client that sends its newest message alone may say the same again and again', async () => {
    const diary = { memory_id: `alone-${number}` };
    for (const text of ['My name is Zed', 'yes', 'I like tea', 'yes', 'yes', 'My name is Zed']) {
      await say([from(text)], diary);
    }
    const turns = await storedTurns(diary.memory_id);
    expect(turns.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'My name is Zed',
      'yes',
      'I like tea',
      'yes',
      'yes',
      'My name is Zed',
    ]);
    expect(turns.filter(({ superseded }) => superseded)).toEqual([]);
  });

  test('a retry that says so is stored once, whatever was said since', async () => {
    await say([from('I live in Oslo.')]);
    await say([from('I live in Bergen.')]);
    const again = JSON.stringify({ model: 'm', user, messages: [from('I live in Oslo.')] });
    await Promise.all(
      Array.from({ length: 5 }, async () =>
        (await post(again, { headers: { 'x-stainless-retry-count': '1' } })).text(),
      ),
    );
    await say([from('I live in Turku.')]);
    expect((await userSaid()).toSorted()).toEqual([
      'I live in Bergen.',
      'I live in Oslo.',
      'I live in Turku.',
    ]);
  });

  test('many at once are one chat, also where the same was said before', async () => {
    await say([from('I live in Oslo.')]);
    await say([from('I live in Bergen.')]);
    await Promise.all(Array.from({ length: 10 }, () => chat([from('I live in Oslo.')])));
    await untilStored(6);
    await say([from('I live in Turku.')]);
    expect(await storedTurns()).toHaveLength(8);
  });

  test('a new reply to an earlier turn supersedes the old reply to it, and no other', async () => {
    const diary = { memory_id: `branch-${number}` };
    const reply = { role: 'assistant', content: 'In Lisbon, of course.' };
    await say([QUESTION], diary);
    await say([QUESTION, reply, from('And my mother?')], diary);
    await say([QUESTION, reply, from('And my mother?'), reply, from('Thanks!')], diary);
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion('In Porto.'));
    });
    await chat([QUESTION, reply, from('And my mother?')], diary);
    const turns = await untilStored(7);
    expect(turns.map(({ content, superseded }) => [content, superseded])).toEqual([
      ['Where do I live?', false],
      ['In Lisbon, of course.', false],
      ['And my mother?', false],
      ['In Lisbon, of course.', true],
      ['Thanks!', false],
      ['In Lisbon, of course.', false],
      ['In Porto.', false],
    ]);
  });

  test('a memory_id is the conversation', async () => {
    const numbers = {
      memory_top_k: 7,
      memory_recency_weight: 0.5,
      memory_score_threshold: 0.4,
      memory_mmr_lambda: 0.6,
    };
    await chat([QUESTION], { memory_id: `diary-${number}`, ...numbers });
    expect(contexts()).toMatchObject([
      {
        conversation_id: `diary-${number}`,
        limit: 7,
        recency_weight: 0.5,
        min_relevance: 0.4,
        mmr_lambda: 0.6,
      },
    ]);
    await waitFor(async () => (await storedTurns(`diary-${number}`)).length === 2, {
      describe: 'the turns in the conversation of that id',
    });
    expect(upstream.received.at(-1)?.json()).not.toHaveProperty('memory_id');
  });

  test('a memory_id that another user has taken is a conversation of one’s own', async () => {
    const shared = { memory_id: `default-${number}` };
    await chat([QUESTION], { ...shared, user: `${user}-first` });
    await waitFor(
      async () =>
        (
          await gateway.database.query('select 1 from messages where conversation_id = $1', [
            shared.memory_id,
          ])
        ).rowCount === 2,
      { describe: 'the turns of the first user' },
    );
    await chat([QUESTION], shared);
    await untilStored(2);
    await chat([QUESTION], shared);
    const history = [QUESTION, { role: 'assistant', content: 'In Lisbon, of course.' }];
    await chat([...history, { role: 'user', content: 'Thanks!' }], shared);
    const turns = await untilStored(4);
    expect(turns.map(({ content, superseded }) => [content, superseded])).toEqual([
      ['Where do I live?', false],
      ['In Lisbon, of course.', false],
      ['Thanks!', false],
      ['In Lisbon, of course.', false],
    ]);
    const { rows } = await gateway.database.query<{ id: string }>(
      'select id from conversations where user_id = $1',
      [user],
    );
    const [own] = rows.map(({ id }) => id);
    expect(rows).toEqual([{ id: expect.stringMatching(/^chat-[\w-]{24}$/) }]);
    expect(contexts().map((body) => body['conversation_id'])).toEqual([shared.memory_id, own, own, own]);
    expect(contexts().at(-1)).toMatchObject({ user_id: user, include_turns: true });
  });

  test('memory_top_k of 0 leaves the request untouched', async () => {
    const answer = await chat([QUESTION], { memory_top_k: 0 });
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([QUESTION]);
    expect(answer.body).not.toHaveProperty('memory_hits');
    expect(contexts()).toEqual([]);
    await untilStored(2);
  });

  test('images stay beside the text, tool turns are stored with it', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,xyz' } };
    const calls = [{ id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }];
    await chat([
      { role: 'user', content: [{ type: 'text', text: 'Where do I live?' }, image] },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'Lisbon' },
    ]);
    const messages = upstream.received.at(-1)?.json()['messages'] as { content: unknown }[];
    expect(messages[0]?.content).toEqual([{ type: 'text', text: AUGMENTED }, image]);
    const turns = await untilStored(4);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('a streamed tool call is the one that the client sends back, whatever the order of its fields', async () => {
    const call = (piece: object) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...piece }] } }] })}\n\n`;
    upstream.answerWith((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (request.body.includes('"tool_call_id"')) {
        response.end(events('Rain.').join(''));
        return;
      }
      response.write(call({ id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }));
      response.write(call({ function: { arguments: '{"city":"Lisbon",' } }));
      response.end(`${call({ function: { arguments: '"day":1}' } })}data: [DONE]\n\n`);
    });
    await chat([QUESTION], { stream: true });
    await untilStored(2);
    const asked = { name: 'weather', arguments: '{"day": 1, "city": "Lisbon"}' };
    await chat(
      [
        QUESTION,
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', type: 'function', function: asked }] },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      ],
      { stream: true },
    );
    const turns = await untilStored(4);
    expect(turns.map(({ role, superseded }) => [role, superseded])).toEqual([
      ['user', false],
      ['assistant', false],
      ['tool', false],
      ['assistant', false],
    ]);
  });

  test('where nothing is remembered the request goes as it came', async () => {
    retrieval.answerWith((request, response) =>
      answerJson(response, { text: request.json()['query'], blocks: [], memories: [] }),
    );
    const parts = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,xyz' } },
      { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
    ];
    const answer = await chat([{ role: 'user', content: parts }]);
    expect(answer.headers.get('x-factmill-memory')).toBe('on');
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([{ role: 'user', content: parts }]);
  });

  test('a compressed request is forwarded uncompressed', async () => {
    for (const more of [{ user }, {}]) {
      const packed = gzipSync(JSON.stringify({ model: 'm', messages: [QUESTION], ...more }));
      const response = await post(packed, { headers: { 'content-encoding': 'gzip' } });
      expect(response.status).toBe(200);
      expect(upstream.received.at(-1)?.headers).not.toHaveProperty('content-encoding');
      expect(upstream.received.at(-1)?.json()['model']).toBe('m');
    }
  });
});

describe('trouble', () => {
  test('a message with characters that cannot be stored has memory all the same', async () => {
    const answer = await chat([{ role: 'user', content: 'Where\u0000 do I live? \ud800' }]);
    expect(answer.headers.get('x-factmill-memory')).toBe('on');
    expect(contexts()).toMatchObject([{ query: 'Where do I live? \ufffd' }]);
  });

  test('a retrieval that hangs costs its timeout and no more', async () => {
    retrieval.answerWith(() => undefined);
    const hasty = await gateway.another({ CHAT_MEMORY_TIMEOUT_MS: '300' });
    const body = { model: 'm', user, messages: [QUESTION] };
    const startedAt = performance.now();
    const answer = await send(hasty.url, 'POST', '/v1/chat/completions', { body });
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-factmill-memory')).toBe('degraded');
    expect(answer.body.memory_hits).toEqual([]);
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([QUESTION]);
    await untilStored(2);
    await hasty.close();
  });

  test('a retrieval that fails leaves the request as it was', async () => {
    retrieval.answerWith((_request, response) => void response.writeHead(500).end('{}'));
    expect((await chat([QUESTION])).headers.get('x-factmill-memory')).toBe('degraded');
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([QUESTION]);
  });

  test('an upstream error passes, and only what the user said is stored', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"code":"slow_down"}}');
    });
    const answer = await chat([QUESTION]);
    expect(answer).toMatchObject({ status: 429, text: '{"error":{"code":"slow_down"}}' });
    expect(await untilStored(1)).toMatchObject([{ role: 'user' }]);
  });

  test('a caller that leaves is still learned from', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events('The beginning').slice(0, 3)) response.write(event);
    });
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await gateway.makeKey({ userId: user })}`,
      },
      body: JSON.stringify({ model: 'm', stream: true, messages: [QUESTION] }),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    let read = '';
    while (!read.includes('beginning')) read += Buffer.from((await reader?.read())?.value ?? []).toString();
    leaving.abort();
    expect(await untilStored(2)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'The beginning' },
    ]);
  });

  test('an answer that breaks off is the upstream’s failure', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":', () => response.destroy());
    });
    const answer = await gateway.call('POST', '/v1/chat/completions', {
      body: { model: 'm', user, memory_id: `m-${number}`, messages: [QUESTION] },
    });
    expect(answer).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('an upstream that packs its answer (%s) unasked is learned from', async (encoding, pack) => {
    upstream.answerWith((request, response) => {
      const isStream = request.json()['stream'] === true;
      response.writeHead(200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
        'content-encoding': encoding,
      });
      const said = `In ${isStream ? 'Lisbon' : 'Porto'}, of course.`;
      response.end(pack(isStream ? events(said).join('') : completion(said)));
    });
    expect((await chat([QUESTION])).body.choices[0].message.content).toBe('In Porto, of course.');
    await untilStored(2);
    const streamed = await chat([QUESTION], { stream: true });
    expect(streamed.text).toBe(events('In Lisbon, of course.').join(''));
    const turns = await untilStored(3);
    expect(turns.map(({ content }) => content)).toEqual([
      'Where do I live?',
      'In Porto, of course.',
      'In Lisbon, of course.',
    ]);
  });

  test('what a packed stream said until it broke off is learned; what is packed wrongly passes', async () => {
    const packed = gzipSync(events('The beginning of a long story').join(''), { level: 0 });
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.write(packed.subarray(0, packed.indexOf(' story')), () => response.destroy());
    });
    await expect(chat([QUESTION], { stream: true })).rejects.toThrow('terminated');
    const turns = await untilStored(2);
    expect(turns[1]?.content).toMatch(/^The beginning/);
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zip' });
      response.end('PK');
    });
    expect(await (await post(JSON.stringify({ model: 'm', user, messages: [QUESTION] }))).text()).toBe('PK');
  });

  test('tool calls nested without end go through', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const messages = `[{"role":"user","content":"Where do I live?"},{"role":"assistant","tool_calls":${deep}}]`;
    const response = await post(`{"model":"m","user":"${user}","messages":${messages}}`);
    expect(response.status).toBe(200);
    expect(upstream.received.at(-1)?.body.includes(deep)).toBe(true);
    await untilStored(2);
  });

  test('an answer that only looks like JSON passes as it is', async () => {
    for (const text of ['{not json}', '{"choices":[],', '{"choices":[] "x"}', '[{}]', '']) {
      upstream.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      });
      const response = await post(JSON.stringify({ model: 'm', user, messages: [QUESTION] }));
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(text);
    }
  });

  test('a caller that leaves before the answer is no error, and frees the upstream', async () => {
    const leaving = new AbortController();
    const freed = new Promise<void>((resolve) => {
      upstream.answerWith((_request, response) => {
        response.once('close', resolve);
        leaving.abort();
      });
    });
    const body = JSON.stringify({ model: 'm', user, messages: [QUESTION] });
    await expect(post(body, { signal: leaving.signal })).rejects.toThrow('aborted');
    await freed;
    expect(await untilStored(1)).toMatchObject([{ role: 'user' }]);
    const passing = new AbortController();
    const dropped = new Promise<void>((resolve) => {
      upstream.answerWith((_request, response) => {
        response.once('close', resolve);
        passing.abort();
      });
    });
    const models = fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
      signal: passing.signal,
    });
    await expect(models).rejects.toThrow('aborted');
    await dropped;
    // What was logged of the exchange is out when the next one is answered.
    upstream.answerWith((_request, response) => void response.end('{}'));
    await chat([QUESTION]);
    expect(gateway.logged()).not.toMatch(/unexpected error/);
  });

  test('a gateway that stops has stored what was streamed until then', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events('The beginning').slice(0, 3)) response.write(event);
    });
    const stopping = await gateway.another();
    const body = JSON.stringify({ model: 'm', user, stream: true, messages: [QUESTION] });
    const response = await post(body, { to: stopping.url });
    const reader = response.body?.getReader();
    let read = '';
    while (!read.includes('beginning')) read += Buffer.from((await reader?.read())?.value ?? []).toString();
    await stopping.close();
    expect(await storedTurns()).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'The beginning' },
    ]);
    await expect(reader?.read()).rejects.toThrow('terminated');
  });

  test.each([false, true])(
    'a reply to a user who was erased meanwhile is not stored; what they say again (%s) stays without it',
    async (saysItAgain) => {
      const held = new Promise<() => void>((resolve) => {
        upstream.answerWith((_request, response) => {
          resolve(() =>
            response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Hello.')),
          );
        });
      });
      const stopping = await gateway.another();
      const body = { model: 'm', user, memory_id: `in-flight-${number}`, messages: [QUESTION] };
      const chatting = send(stopping.url, 'POST', '/v1/chat/completions', { body });
      const [turn] = await untilStored(1);
      await erase();
      expect(await storedTurns()).toEqual([]);
      if (saysItAgain) {
        const again = { user_id: user, extract: 'never', messages: [{ ...QUESTION, id: turn?.id }] };
        await gateway.call('POST', `/v1/conversations/${body.memory_id}/messages`, { body: again });
      }
      (await held)();
      expect((await chatting).body.choices[0].message.content).toBe('Hello.');
      // Everything of the chat is stored by now.
      await stopping.close();
      const conversations = 'select id from conversations where user_id = $1';
      const { rows } = await gateway.database.query(conversations, [user]);
      expect(rows).toEqual(saysItAgain ? [{ id: body.memory_id }] : []);
      expect((await storedTurns()).map(({ role }) => role)).toEqual(saysItAgain ? ['user'] : []);
    },
  );

  test('nothing of a chat is in the log', () => {
    expect(gateway.logged()).not.toMatch(/Lisbon|Where do I live|sk-stored/);
  });
});

test('without the flag a chat has no memory unless it asks, and a chat of the unknown user has none either', async () => {
  const plain = await startGateway({ CHAT_BASE_URL: upstream.url, AUTH: 'none' });
  const body = { model: 'm', messages: [QUESTION] };
  const off = await plain.call('POST', '/v1/chat/completions', { body: { ...body, user }, key: null });
  expect(off.headers.get('x-factmill-memory')).toBe('off');
  expect(off.body).not.toHaveProperty('memory_hits');
  const asked = await plain.call('POST', '/v1/chat/completions', {
    body: { ...body, user, memory_id: `m-${number}` },
    key: null,
  });
  expect(asked.headers.get('x-factmill-memory')).toBe('degraded');
  await plain.close();

  const on = await startGateway({ CHAT_BASE_URL: upstream.url, CHAT_MEMORY: 'true', AUTH: 'none' });
  const unknown = await on.call('POST', '/v1/chat/completions', { body, key: null });
  expect(unknown.headers.get('x-factmill-memory')).toBe('unknown_user');
  const { rows } = await on.database.query('select 1 from messages');
  expect(rows).toEqual([]);
  await on.close();
});
