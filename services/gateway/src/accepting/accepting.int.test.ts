import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Answer, fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

const post = (conversation: string, body: unknown, headers: Record<string, string> = {}, key?: string) =>
  gateway.call('POST', `/v1/conversations/${encodeURIComponent(conversation)}/messages`, {
    body,
    headers,
    ...(key === undefined ? {} : { key }),
  });

async function count(table: string, where = 'true', values: unknown[] = []): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    `select count(*)::integer as n from ${table} where ${where}`,
    values,
  );
  return rows[0]?.n ?? -1;
}

describe('202', () => {
  test('means that messages and ledger row are committed and the job is queued', async () => {
    const answer = await post('first', {
      user_id: 'ada',
      extract: 'now',
      messages: [said('I live in Utrecht.'), said('I like tea.')],
    });
    expect(answer).toMatchObject({
      status: 202,
      body: { conversation_id: 'first', user_id: 'ada', extraction: { state: 'pending' } },
    });
    expect(answer.body.message_ids).toHaveLength(2);
    const { rows } = await gateway.database.query(
      `select e.state, e.user_id, e.from_seq, e.to_seq, e.trigger, e.preset, c.last_seq, c.scheduled_seq
       from extractions e join conversations c on c.tenant_id = e.tenant_id and c.id = e.conversation_id
       where e.id = $1::uuid`,
      [answer.body.extraction.id],
    );
    expect(rows).toEqual([
      {
        state: 'pending',
        user_id: 'ada',
        from_seq: 1,
        to_seq: 2,
        trigger: 'request',
        preset: 'standard',
        last_seq: 2,
        scheduled_seq: 2,
      },
    ]);
    const listed = await gateway.call('GET', '/v1/conversations/first/messages');
    expect(
      listed.body.data.map((message: { id: string; content: string }) => [message.id, message.content]),
    ).toEqual([
      [answer.body.message_ids[0], 'I live in Utrecht.'],
      [answer.body.message_ids[1], 'I like tea.'],
    ]);
    expect(await gateway.queues.missing('extract', [`${answer.body.extraction.id}_0`])).toEqual([]);
  });

  test('of POST /v1/extractions says where to look', async () => {
    const answer = await gateway.call('POST', '/v1/extractions', {
      body: {
        user_id: 'ada',
        messages: [said('I have a cat.')],
        preset: 'facts-and-context',
        metadata: { run: 7 },
      },
    });
    expect(answer).toMatchObject({ status: 202, body: { state: 'pending', user_id: 'ada' } });
    const status = await gateway.call('GET', answer.body.status_url);
    expect(status).toMatchObject({
      status: 200,
      body: {
        id: answer.body.id,
        state: 'pending',
        trigger: 'request',
        preset: 'facts-and-context',
        attempts: 0,
        counts: { added: 0, rejected: 0 },
        memory_ids: [],
        metadata: { run: 7 },
        timings: { started_at: null, finished_at: null, total_ms: null },
      },
    });
  });

  test('everything that a message can carry comes back as it was', async () => {
    const call = { id: 'call-1', type: 'function', function: { name: 'find', arguments: '{"city":"Łódź"}' } };
    const messages = [
      said('Where is it? 👋 ￿ \u2028', {
        id: 'm1',
        name: 'Ada',
        channel: 'telegram',
        sender: 'user:7',
        created_at: '2025-03-01T10:00:00.123+02:00',
      }),
      { id: 'm2', role: 'assistant', content: 'Looking.', tool_calls: [call] },
      { id: 'm3', role: 'tool', content: '', tool_call_id: 'call-1' },
      { id: 'm4', role: 'assistant', content: null, tool_calls: [call] },
    ];
    await post('rich', { user_id: 'ada', messages });
    // To a known conversation too.
    await post('rich', { messages: [said('By mail.', { id: 'm5', channel: 'mail', sender: 'ada@x.org' })] });
    const { body } = await gateway.call('GET', '/v1/conversations/rich/messages');
    expect(body.data).toEqual([
      expect.objectContaining({ ...messages[0], seq: 1, created_at: '2025-03-01T08:00:00.123Z' }),
      expect.objectContaining({ ...messages[1], seq: 2, superseded: false, channel: null, sender: null }),
      expect.objectContaining({ ...messages[2], seq: 3 }),
      expect.objectContaining({ ...messages[3], seq: 4 }),
      expect.objectContaining({ seq: 5, channel: 'mail', sender: 'ada@x.org' }),
    ]);
  });
});

describe('what is extracted when', () => {
  test('auto waits for something a user said, and for its time; flush takes what is left, once', async () => {
    const assistant = await post('auto', {
      user_id: 'ada',
      messages: [{ role: 'assistant', content: 'Hello!' }],
    });
    expect(assistant.body.extraction).toBeNull();
    const flushed = await gateway.call('POST', '/v1/conversations/auto/flush');
    expect(flushed).toMatchObject({
      status: 202,
      body: { user_id: 'ada', message_ids: [], extraction: { state: 'pending' } },
    });
    expect(
      (await gateway.call('POST', '/v1/conversations/auto/flush', { body: {} })).body.extraction,
    ).toBeNull();
    expect((await gateway.call('GET', '/v1/conversations/auto')).body.extraction_due_at).toBeNull();
    expect((await post('auto', { messages: [said('I am a nurse.')] })).body.extraction).toBeNull();
    const waiting = await gateway.call('GET', '/v1/conversations/auto');
    expect(Date.parse(waiting.body.extraction_due_at as string)).toBeGreaterThan(Date.now());
    const taken = await gateway.call('POST', '/v1/conversations/auto/flush');
    const { body } = await gateway.call('GET', `/v1/extractions/${taken.body.extraction.id}`);
    expect(body).toMatchObject({ user_id: 'ada', trigger: 'flush' });
    expect((await gateway.call('GET', '/v1/conversations/auto')).body.extraction_due_at).toBeNull();
    expect(await count('extractions', `conversation_id = 'auto'`)).toBe(2);
  });

  test('never only stores; now takes in any case, and what was stored before with it', async () => {
    const stored = await post('later', { user_id: 'ada', extract: 'never', messages: [said('one')] });
    expect(stored).toMatchObject({ status: 202, body: { extraction: null } });
    const now = await post('later', { extract: 'now', messages: [{ role: 'assistant', content: 'two' }] });
    const { rows } = await gateway.database.query(
      'select from_seq, to_seq from extractions where id = $1::uuid',
      [now.body.extraction.id],
    );
    expect(rows).toEqual([{ from_seq: 1, to_seq: 2 }]);
  });

  test('flushing what does not exist is a 404', async () => {
    expect(await gateway.call('POST', '/v1/conversations/nowhere/flush')).toMatchObject({ status: 404 });
  });
});

describe('Idempotency-Key', () => {
  const body = { user_id: 'ada', messages: [said('I play the cello.')] };
  const extract = (key: string, sent: unknown = body, apiKey?: string) =>
    gateway.call('POST', '/v1/extractions', {
      body: sent,
      headers: { 'idempotency-key': key },
      ...(apiKey === undefined ? {} : { key: apiKey }),
    });

  test('the same request gets the first answer, ids included, and stores nothing', async () => {
    const first = await extract('same');
    const stored = await count('messages');
    const again = await extract('same', { messages: body.messages, user_id: body.user_id });
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(await count('messages')).toBe(stored);
  });

  test('another body, another path and another user are conflicts', async () => {
    await extract('taken');
    for (const answer of [
      await extract('taken', { ...body, messages: [said('I play the oboe.')] }),
      await extract('taken', { ...body, metadata: {} }),
      await post('taken', body, { 'idempotency-key': 'taken' }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    }
    const anonymous = { messages: body.messages };
    const [ada, bob] = [
      await gateway.makeKey({ name: 'ada-key' }),
      await gateway.makeKey({ name: 'bob-key' }),
    ];
    expect((await extract('mine', anonymous, ada)).body.user_id).toBe('ada-key');
    expect(await extract('mine', anonymous, bob)).toMatchObject({ status: 409 });
  });

  test('twenty at once make one extraction', async () => {
    const other = await gateway.another();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        fetch(`${index % 2 === 0 ? gateway.url : other.url}/v1/extractions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-api-key': gateway.config.auth.adminKey ?? '',
            'idempotency-key': 'rush',
          },
          body: JSON.stringify({ user_id: 'rush', messages: [said('I am in a hurry.')] }),
        }).then(async (response) => ({
          status: response.status,
          body: (await response.json()) as { id: string },
        })),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await count('extractions', `user_id = 'rush'`)).toBe(1);
    expect(
      await count(
        'messages',
        'conversation_id = (select conversation_id from extractions where id = $1::uuid)',
        [answers[0]?.body.id],
      ),
    ).toBe(1);
  });

  test('two keys sent twice each at once never wait for each other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const keys = Array.from({ length: 12 }, (_, index) => `pair-${round}-${index % 4}`);
      const answers = await Promise.all(keys.map((key) => extract(key)));
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 202));
      expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(4);
    }
  });

  test('is good for a post that was refused: nothing is remembered of it', async () => {
    await post('owned', { user_id: 'ada', messages: [said('mine')] });
    const key = { 'idempotency-key': 'second-try' };
    expect(await post('owned', { user_id: 'bob', messages: [said('x')] }, key)).toMatchObject({
      status: 409,
    });
    expect(await post('owned', { user_id: 'ada', messages: [said('x')] }, key)).toMatchObject({
      status: 202,
    });
  });

  test('is kept apart by tenant, and has to be visible ASCII', async () => {
    const foreign = await gateway.makeKey({ tenant: 'other' });
    const first = await extract('shared');
    expect((await extract('shared', body, foreign)).body.id).not.toBe(first.body.id);
    expect(await extract('two words')).toMatchObject({ status: 400 });
  });
});

describe('the caller’s message ids', () => {
  test('posting again stores nothing new and names the extraction that covers it', async () => {
    const messages = [said('I keep bees.', { id: 'b1' }), said('I have two hives.', { id: 'b2' })];
    const first = await post('bees', { user_id: 'ada', extract: 'now', messages });
    const again = await post('bees', { user_id: 'ada', extract: 'now', messages });
    expect(again.body).toEqual(first.body);
    expect(await count('messages', `conversation_id = 'bees'`)).toBe(2);
    expect(await count('extractions', `conversation_id = 'bees'`)).toBe(1);
    const grown = await post('bees', {
      extract: 'now',
      messages: [...messages, said('Three now.', { id: 'b3' })],
    });
    expect(grown.body.message_ids).toEqual(['b1', 'b2', 'b3']);
    expect(grown.body.extraction.id).not.toBe(first.body.extraction.id);
    const { rows } = await gateway.database.query(
      `select from_seq, to_seq from extractions where conversation_id = 'bees' order by accepted_no`,
    );
    expect(rows).toEqual([
      { from_seq: 1, to_seq: 2 },
      { from_seq: 3, to_seq: 3 },
    ]);
  });

  describe('with another message', () => {
    const conflict = (...ids: string[]) => ({
      status: 409,
      body: {
        code: 'message_conflict',
        errors: ids.map((id) => ({ message: expect.stringContaining(JSON.stringify(id)) })),
      },
    });
    const contentsOf = async (conversation: string) => {
      const listed = await gateway.call('GET', `/v1/conversations/${conversation}/messages`);
      return listed.body.data.map((message: { content: string }) => message.content);
    };
    const toolCall = { id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } };

    test.each([
      ['content', said('B', { id: 'm1' })],
      ['role', { role: 'assistant', content: 'A', id: 'm1' }],
      ['name', said('A', { id: 'm1', name: 'Bob' })],
      ['sender', said('A', { id: 'm1', sender: 'bob' })],
      ['channel', said('A', { id: 'm1', channel: 'mail' })],
      ['tool calls', { role: 'assistant', content: 'A', id: 'm1', tool_calls: [toolCall] }],
      ['no content', { role: 'assistant', content: null, id: 'm1', tool_calls: [toolCall] }],
    ])('another %s is a conflict, and nothing of the request is stored', async (what, other) => {
      const id = `other-${what.replaceAll(' ', '-')}`;
      await post(id, { user_id: 'ada', messages: [said('A', { id: 'm1' })] });
      const extractions = await count('extractions');
      const key = { 'idempotency-key': id };
      expect(await post(id, { messages: [said('new', { id: 'm2' }), other] }, key)).toMatchObject(
        conflict('m1'),
      );
      expect(
        await gateway.call('POST', '/v1/extractions', {
          body: { conversation_id: id, messages: [other, said('new', { id: 'm2' })] },
        }),
      ).toMatchObject(conflict('m1'));
      expect(await contentsOf(id)).toEqual(['A']);
      expect(await count('extractions')).toBe(extractions);
      // The key is good for the request that is right.
      expect(await post(id, { messages: [said('new', { id: 'm2' })] }, key)).toMatchObject({ status: 202 });
    });

    test('all of them are named; what is the same is none, whatever its time', async () => {
      const messages = ['a', 'b', 'c'].map((id) => said(id, { id, created_at: '2025-01-01T00:00:00Z' }));
      await post('many', { user_id: 'ada', messages });
      const again = messages.map((message) => ({ ...message, created_at: '2026-01-01T00:00:00Z' }));
      expect(await post('many', { messages: again })).toMatchObject({ status: 202 });
      const changed = [{ ...again[0], content: 'x' }, again[1], { ...again[2], content: 'y' }];
      expect(await post('many', { messages: changed })).toMatchObject(conflict('a', 'c'));
    });

    test('tool calls with their fields in another order are the same', async () => {
      const message = (call: object) => ({
        role: 'assistant',
        content: null,
        id: 'call',
        tool_calls: [call],
      });
      await post('tools', { user_id: 'ada', messages: [said('find'), message(toolCall)] });
      const { id, type, function: called } = toolCall;
      const turned = { function: { arguments: called.arguments, name: called.name }, type, id };
      expect(await post('tools', { messages: [message(turned)] })).toMatchObject({ status: 202 });
    });

    test('of thirty at once one is stored, and all others are told', async () => {
      const other = await gateway.another();
      for (const extract of ['never', 'now']) {
        const id = `race-${extract}`;
        const answers = await Promise.all(
          Array.from({ length: 30 }, (_, index) =>
            fetch(`${index % 2 === 0 ? gateway.url : other.url}/v1/conversations/${id}/messages`, {
              method: 'POST',
              headers: {
                'content-type': 'application/json',
                'x-api-key': gateway.config.auth.adminKey ?? '',
              },
              body: JSON.stringify({
                user_id: 'ada',
                extract,
                messages: [
                  said(`statement ${index % 10}`, { id: 'raced' }),
                  said('beside', { id: `b${index}` }),
                ],
              }),
            }).then(async (response) => ({ index, status: response.status, body: await response.text() })),
          ),
        );
        const [stored] = await contentsOf(id);
        for (const { index, status } of answers) {
          expect(status).toBe(stored === `statement ${index % 10}` ? 202 : 409);
        }
        expect(await contentsOf(id)).toHaveLength(4);
      }
    });
  });

  test('are unique in their conversation only', async () => {
    await post('one', { user_id: 'ada', messages: [said('a', { id: 'm' })] });
    const other = await post('two', { user_id: 'ada', messages: [said('b', { id: 'm' })] });
    expect(other.body.message_ids).toEqual(['m']);
    expect(await count('messages', `id = 'm'`)).toBe(2);
  });

  test('a regenerated reply replaces the last one, and posted again nothing', async () => {
    const superseded = async () => {
      const { body } = await gateway.call('GET', '/v1/conversations/again/messages');
      return body.data.map((message: { id: string; superseded: boolean }) => [
        message.id,
        message.superseded,
      ]);
    };
    const reply = (id: string) => ({ id, role: 'assistant', content: `reply ${id}` });
    await post('again', { user_id: 'ada', messages: [reply('r0'), said('q', { id: 'q' }), reply('r1')] });
    for (let times = 0; times < 2; times += 1) {
      await post('again', { regenerated: true, messages: [reply('r2')] });
      expect(await superseded()).toEqual([
        ['r0', false],
        ['q', false],
        ['r1', true],
        ['r2', false],
      ]);
    }
    const current = await gateway.call('GET', '/v1/conversations/again/messages?superseded=false');
    expect(current.body.data.map((message: { id: string }) => message.id)).toEqual(['r0', 'q', 'r2']);
  });
});

test('50 posts at once to one conversation: no gap, no overlap, nothing lost', async () => {
  const sizes = Array.from({ length: 50 }, (_, index) => 1 + (index % 4));
  const answers = await Promise.all(
    sizes.map((size, post_) =>
      post('busy', {
        user_id: 'ada',
        extract: 'now',
        messages: Array.from({ length: size }, (_, place) => said('x', { id: `${post_}-${place}` })),
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(sizes.map(() => 202));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const { rows: messages } = await gateway.database.query<{ seq: number; id: string }>(
    `select seq, id from messages where conversation_id = 'busy' order by seq`,
  );
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  const order = messages.map(({ id }) => id.split('-').map(Number) as [number, number]);
  for (const [index, [post_, place]] of order.entries()) {
    if (place > 0) expect(order[index - 1]).toEqual([post_, place - 1]);
  }
  const { rows: ranges } = await gateway.database.query<{ from_seq: number; to_seq: number }>(
    `select from_seq, to_seq from extractions where conversation_id = 'busy' order by from_seq`,
  );
  expect(ranges).toHaveLength(50);
  for (const [index, range] of ranges.entries()) {
    expect(range.from_seq).toBe((ranges[index - 1]?.to_seq ?? 0) + 1);
  }
  expect(ranges.at(-1)?.to_seq).toBe(total);
});

describe('whose it is', () => {
  test('request, then conversation, then the key’s user, then its name', async () => {
    const named = await gateway.makeKey({ name: 'kiosk' });
    const pinned = await gateway.makeKey({ name: 'phone', userId: 'grace' });
    const messages = [said('hello')];
    const userOf = async (answer: Promise<Answer>) => (await answer).body.user_id as string;
    expect(await userOf(post(randomUUID(), { messages }, {}, named))).toBe('kiosk');
    expect(await userOf(post(randomUUID(), { messages }, {}, pinned))).toBe('grace');
    expect(await userOf(post(randomUUID(), { messages, user_id: 'ada' }, {}, pinned))).toBe('ada');
    await post('ours', { messages, user_id: 'ada' });
    expect(await userOf(post('ours', { messages }, {}, pinned))).toBe('ada');
    const created = await gateway.call('POST', '/v1/memories', { body: { content: 'x' }, key: pinned });
    expect(created.body.user_id).toBe('grace');
  });

  test('a conversation keeps its user', async () => {
    await post('hers', { messages: [said('a')], user_id: 'ada' });
    const stranger = await post('hers', { messages: [said('b')], user_id: 'bob' });
    expect(stranger).toMatchObject({ status: 409, body: { code: 'conversation_user_mismatch' } });
    expect(fieldsOf(stranger)).toEqual(['user_id']);
    const created = await gateway.call('POST', '/v1/conversations', { body: { id: 'hers', user_id: 'bob' } });
    expect(created).toMatchObject({ status: 409, body: { code: 'conversation_user_mismatch' } });
    expect(await count('messages', `conversation_id = 'hers'`)).toBe(1);
  });

  test('two users who make the same conversation at once: one has it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        ['ada', 'bob'].map((user_id) => post(`race-${round}`, { user_id, messages: [said('mine')] })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    }
  });
});

describe('the unknown user (A10)', () => {
  const TABLES = [
    'conversations',
    'messages',
    'extractions',
    'memories',
    'memory_versions',
    'idempotency_keys',
  ];
  const counts = () => Promise.all(TABLES.map((table) => count(table)));

  test.each<[string, string, unknown]>([
    ['POST', '/v1/conversations', { id: 'u', title: 't' }],
    ['POST', '/v1/conversations/u/messages', { messages: [said('a')] }],
    ['POST', '/v1/extractions', { messages: [said('a')] }],
    ['POST', '/v1/memories', { content: 'a' }],
    ['POST', '/v1/memories/batch', { memories: [{ content: 'a' }, { key: 'k', value: 'v' }] }],
  ])('%s %s stores nothing, and says so', async (method, path, body) => {
    const before = await counts();
    for (const sent of [body, { ...(body as object), user_id: 'unknown' }]) {
      const answer = await gateway.call(method, path, {
        body: sent,
        headers: { 'idempotency-key': 'unknown' },
      });
      expect(answer.status).toBeLessThan(300);
      expect(answer.status).not.toBe(202);
      const { skipped } = answer.body as { skipped: { reason: string; detail: string } | string };
      expect(JSON.stringify(skipped)).toContain('unknown_user');
    }
    expect(await counts()).toEqual(before);
  });

  test.each([
    ['GET', '/v1/conversations'],
    ['GET', '/v1/memories'],
    ['DELETE', '/v1/memories?key=k'],
  ])('%s %s finds nothing, and says so', async (method, path) => {
    const answer = await gateway.call(method, path);
    expect(answer).toMatchObject({ status: 200, body: { skipped: { reason: 'unknown_user' } } });
  });

  test('applies in a batch only to the items that name that user', async () => {
    const answer = await gateway.call('POST', '/v1/memories/batch', {
      body: { user_id: 'ada', memories: [{ content: 'kept' }, { content: 'not kept', user_id: 'unknown' }] },
    });
    expect(answer.body.results).toEqual([
      { id: expect.any(String) as unknown as string, status: 'created' },
      { id: null, status: 'skipped' },
    ]);
  });
});

test('a configured default user takes the place of unknown', async () => {
  const own = await startGateway({ DEFAULT_USER_ID: 'everyone', AUTH: 'none' });
  try {
    const answer = await own.call('POST', '/v1/extractions', { body: { messages: [said('a')] }, key: null });
    expect(answer).toMatchObject({ status: 202, body: { user_id: 'everyone' } });
  } finally {
    await own.close();
  }
});

test('what was said reaches no log', async () => {
  await post('private', { user_id: 'quiet-user', messages: [said('The password is swordfish.')] });
  await post('private', { user_id: 'quiet-user', messages: [said('swordfish', { mood: 'swordfish' })] });
  expect(gateway.logged()).toContain('"extraction_id"');
  expect(gateway.logged()).not.toMatch(/swordfish|quiet-user|Utrecht/);
});
