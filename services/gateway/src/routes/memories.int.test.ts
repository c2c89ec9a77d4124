import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memorySchema, memorySortSchema } from '@factmill/contracts';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

let users = 0;
/** A user of this test alone. */
const someone = () => `user-${(users += 1)}`;
const save = (user: string, input: Record<string, unknown>) =>
  gateway.call('POST', '/v1/memories', { body: { user_id: user, ...input } });
const list = async (
  user: string,
  query = '',
): Promise<{ id: string; content: string; key: string | null }[]> =>
  (await gateway.call('GET', `/v1/memories?user_id=${user}${query}`)).body.data;
const contents = async (user: string, query = '') => (await list(user, query)).map(({ content }) => content);

describe('saving', () => {
  test('a memory has all its fields, and the text is always readable', async () => {
    const user = someone();
    const whole = {
      key: 'city',
      value: 'Utrecht',
      category: 'home',
      tags: ['a', 'b', 'a'],
      project: 'p',
      topic: 't',
      tier: 1,
      importance: 0.9,
      confidence: 95,
      source: 'tool',
      source_context: 'form',
      expires_at: '2099-01-01T00:00:00.000Z',
      valid_from: '2020-01-01T00:00:00.000Z',
      metadata: { a: [1, { b: null }] },
    };
    const { status, body } = await save(user, whole);
    expect(status).toBe(201);
    expect(memorySchema.parse(body)).toMatchObject({
      ...whole,
      tags: ['a', 'b'],
      kind: 'fact',
      archived: false,
    });
    expect(body.content).toContain('Utrecht');
    expect((await gateway.call('GET', `/v1/memories/${body.id}`)).body).toEqual(body);
    const note = await save(user, { content: 'Plain text' });
    expect(note.body).toMatchObject({
      kind: 'note',
      content: 'Plain text',
      key: null,
      confidence: 80,
      tier: 2,
    });
    const pair = await save(user, { question: 'Which tea?', answer: 'Green.' });
    expect(pair.body).toMatchObject({ kind: 'qa', question: 'Which tea?', answer: 'Green.' });
    expect(pair.body.content).toMatch(/Which tea\?[^]*Green\./);
  });

  test('a new value of a key replaces the old one, which stays in the history', async () => {
    const user = someone();
    const [first, second, third] = [
      (await save(user, { key: 'city', value: 'Utrecht' })).body,
      (await save(user, { key: 'city', value: 'Leiden' })).body,
      (await save(user, { key: 'city', value: 'Delft' })).body,
    ];
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect((await list(user)).map(({ id }) => id)).toEqual([third.id]);
    const old = (await gateway.call('GET', `/v1/memories/${first.id}`)).body;
    expect(old.valid_to).toBe(second.valid_from);
    const { body: history } = await gateway.call('GET', `/v1/memories/${third.id}/history`);
    expect(
      history.data
        .map((one: { memory_id: string; operation: string }) => [one.memory_id, one.operation])
        .sort(),
    ).toEqual(
      [
        [first.id, 'ADD'],
        [first.id, 'SUPERSEDE'],
        [second.id, 'ADD'],
        [second.id, 'SUPERSEDE'],
        [third.id, 'ADD'],
      ].sort(),
    );
    expect(history.data.every((one: { actor: string }) => one.actor === 'api')).toBe(true);
    expect(JSON.stringify(history.data)).not.toMatch(/tenant_id|content_hash/);
    expect((await save(user, { key: 'city', value: 'Delft', category: 'work' })).body.id).not.toBe(third.id);
    expect(await list(user)).toHaveLength(2);
  });

  test('the same statement again changes nothing', async () => {
    const user = someone();
    for (const input of [
      { content: 'I like tea.' },
      { key: 'k', value: 'v' },
      { question: 'q?', answer: 'a' },
    ]) {
      const first = await save(user, input);
      const again = await save(user, input);
      expect(again.status).toBe(201);
      expect(again.body.id).toBe(first.body.id);
      expect((await gateway.call('GET', `/v1/memories/${first.body.id}/history`)).body.data).toHaveLength(1);
    }
    expect(await list(user)).toHaveLength(3);
  });

  test.each([
    { key: 'city', value: 'Delft' },
    { question: 'Which city?', answer: 'Delft' },
  ])('what is stated again is verified again: %j', async (input) => {
    const user = someone();
    const { body: first } = await save(user, input);
    expect(first.last_verified_at).toBe(first.created_at);
    await gateway.database.query(`update memories set last_verified_at = '2020-01-01' where id = $1::uuid`, [
      first.id,
    ]);
    const again = (await save(user, input)).body;
    expect([again.id, again.last_verified_at >= first.created_at]).toEqual([first.id, true]);
  });

  test('a scope keeps a memory for one conversation, apart from the same statement elsewhere', async () => {
    const user = someone();
    const statement = { key: 'tone', value: 'formal' };
    const [everywhere, here, there] = [
      await save(user, statement),
      await save(user, { ...statement, scope: 'chat-1' }),
      await save(user, { ...statement, scope: 'chat-2' }),
    ];
    expect([everywhere, here, there].map(({ body }) => body.scope)).toEqual(['global', 'chat-1', 'chat-2']);
    expect((await save(user, { ...statement, scope: 'chat-1' })).body.id).toBe(here.body.id);
    expect((await save(user, { ...statement, scope: 'global' })).body.id).toBe(everywhere.body.id);
    const batch = await gateway.call('POST', '/v1/memories/batch', {
      body: {
        user_id: user,
        memories: [
          { key: 'tone', value: 'casual', scope: 'chat-1' },
          { content: 'They rhyme here.', scope: 'chat-1' },
          { content: 'They rhyme here.' },
          statement,
        ],
      },
    });
    expect(batch.body.results.map(({ status }: { status: string }) => status)).toEqual([
      'updated',
      'created',
      'created',
      'unchanged',
    ]);
    expect((await contents(user, '&scope=chat-1')).toSorted()).toEqual([
      "The user's tone is casual.",
      'They rhyme here.',
    ]);
    expect(await contents(user, '&scope=chat-2')).toHaveLength(1);
    const history = await gateway.call('GET', `/v1/memories/${there.body.id}/history`);
    expect(history.body.data).toMatchObject([{ operation: 'ADD', after: { scope: 'chat-2' } }]);
    expect(await contents(user, '&scope=global')).toHaveLength(2);
    expect(await list(user)).toHaveLength(5);
    expect(fieldsOf(await save(user, { ...statement, scope: '' }))).toEqual(['scope']);
  });

  test('twenty at once of the same statement make one memory', async () => {
    const user = someone();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => save(user, { content: 'Only once.' })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await list(user)).toHaveLength(1);
  });

  test('wants a vector, which follows in the background', async () => {
    const { body } = await save(someone(), { content: 'Vector please' });
    const row = await gateway.database.one<{ pending: boolean }>(
      'select embedding_pending_since is not null as pending from memories where id = $1::uuid',
      [body.id],
    );
    expect(row.pending).toBe(true);
    expect((await gateway.queues.counts()).maintenance.waiting).toBeGreaterThan(0);
  });

  test('what has expired already is refused', async () => {
    const user = someone();
    const single = await save(user, { content: 'gone', expires_at: '2020-01-01T00:00:00Z' });
    expect([single.status, fieldsOf(single)]).toEqual([400, ['expires_at']]);
    const batch = await gateway.call('POST', '/v1/memories/batch', {
      body: {
        user_id: user,
        memories: [{ content: 'a' }, { content: 'b', expires_at: '2020-01-01T00:00:00Z' }],
      },
    });
    expect([batch.status, fieldsOf(batch)]).toEqual([400, ['memories.1.expires_at']]);
    expect(await list(user)).toEqual([]);
  });
});

describe('a batch', () => {
  test('of 1,000 is one transaction, with results in order', async () => {
    const user = someone();
    const memories = Array.from({ length: 1_000 }, (_, index) => ({
      key: `k${index}`,
      value: `v${index}`,
      tags: ['bulk'],
    }));
    const first = await gateway.call('POST', '/v1/memories/batch', { body: { user_id: user, memories } });
    expect(first.status).toBe(201);
    const results = first.body.results as { id: string; status: string }[];
    expect(results.map(({ status }) => status)).toEqual(memories.map(() => 'created'));
    for (const place of [0, 499, 999]) {
      expect((await gateway.call('GET', `/v1/memories/${results[place]?.id}`)).body.value).toBe(`v${place}`);
    }
    const again = await gateway.call('POST', '/v1/memories/batch', {
      body: {
        user_id: user,
        memories: memories.map((memory, index) => (index % 2 === 0 ? memory : { ...memory, value: 'new' })),
      },
    });
    expect(again.body.results.map(({ status }: { status: string }) => status)).toEqual(
      memories.map((_, index) => (index % 2 === 0 ? 'unchanged' : 'updated')),
    );
    expect(again.body.results[0].id).toBe(results[0]?.id);
  });

  test('may say the same twice, and belong to several users', async () => {
    const [ada, bob] = [someone(), someone()];
    const { body } = await gateway.call('POST', '/v1/memories/batch', {
      body: {
        user_id: ada,
        memories: [
          { content: 'Same.' },
          { content: 'Same.', user_id: bob },
          { content: 'Same.' },
          { key: 'k', value: '1' },
          { key: 'k', value: '2' },
        ],
      },
    });
    const ids = (body.results as { id: string }[]).map(({ id }) => id);
    expect(ids[0]).toBe(ids[2]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(ids[3]).toBe(ids[4]);
    expect((await contents(ada)).length).toBe(2);
    expect((await gateway.call('GET', `/v1/memories/${ids[3]}`)).body.value).toBe('2');
    expect(await contents(bob)).toEqual(['Same.']);
  });

  test('is stored whole or not at all', async () => {
    const user = someone();
    const bad = await gateway.call('POST', '/v1/memories/batch', {
      body: { user_id: user, memories: [{ content: 'good' }, { key: 'no value' }] },
    });
    expect([bad.status, fieldsOf(bad)]).toEqual([400, ['memories.1.key']]);
    expect(await list(user)).toEqual([]);
    const many = await gateway.call('POST', '/v1/memories/batch', {
      body: {
        user_id: user,
        memories: Array.from({ length: 1_001 }, (_, index) => ({ content: `${index}` })),
      },
    });
    expect(many.status).toBe(400);
  });
});

describe('listing', () => {
  test('newest first, with every filter', async () => {
    const user = someone();
    await save(user, { content: 'one', tags: ['red', 'blue'], category: 'c1', project: 'p1', tier: 1 });
    await save(user, { content: 'two', tags: ['red'], category: 'c2', tier: 3 });
    await save(user, { key: 'k', value: 'three', category: 'c2', project: 'p1' });
    await save(user, { question: 'four?', answer: 'yes' });
    expect((await contents(user)).length).toBe(4);
    expect((await contents(user))[3]).toBe('one');
    expect(await contents(user, '&tag=red')).toEqual(['two', 'one']);
    expect(await contents(user, '&tag=blue')).toEqual(['one']);
    expect(await contents(user, '&category=c2')).toHaveLength(2);
    expect(await contents(user, '&category=c2&tier=3')).toEqual(['two']);
    expect((await list(user, '&key=k')).map(({ key }) => key)).toEqual(['k']);
    expect(await contents(user, '&kind=note')).toEqual(['two', 'one']);
    expect(await contents(user, '&kind=qa')).toHaveLength(1);
    expect(await contents(user, '&project=p1')).toHaveLength(2);
    expect(await contents(user, '&scope=global')).toHaveLength(4);
    expect(await contents(user, '&scope=conversation')).toEqual([]);
    expect(await contents(user, '&order=asc&limit=1')).toEqual(['one']);
  });

  test('q looks for the text as it is written', async () => {
    const user = someone();
    for (const content of ['100% sure', '100 percent', 'a_b', 'axb', 'back\\slash', "quote's", 'ÜBER'])
      await save(user, { content });
    expect(await contents(user, `&q=${encodeURIComponent('0%')}`)).toEqual(['100% sure']);
    expect(await contents(user, '&q=a_b')).toEqual(['a_b']);
    expect(await contents(user, `&q=${encodeURIComponent('k\\s')}`)).toEqual(['back\\slash']);
    expect(await contents(user, `&q=${encodeURIComponent("e's")}`)).toEqual(["quote's"]);
    expect(await contents(user, `&q=${encodeURIComponent('über')}`)).toEqual(['ÜBER']);
    expect(await contents(user, '&q=nothing')).toEqual([]);
  });

  describe('page by page', () => {
    const user = 'pages';
    const total = 23;
    beforeAll(async () => {
      // One transaction gives all the same created_at; null keys, equal importances and categories tie as well.
      await gateway.call('POST', '/v1/memories/batch', {
        body: {
          user_id: user,
          memories: Array.from({ length: total }, (_, index) =>
            index % 3 === 0
              ? { content: `note ${index}`, importance: 0.1, category: 'a' }
              : {
                  key: `k${index % 5}${index}`,
                  value: `v${index}`,
                  importance: [0.1, 0.3, 0.7][index % 3],
                  category: index % 2 === 0 ? 'a' : 'b',
                },
          ),
        },
      });
    });

    test.each(
      memorySortSchema.options.flatMap((sort) => [
        [sort, 'asc'],
        [sort, 'desc'],
      ]),
    )('by %s %s nothing is lost or doubled', async (sort, order) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const { body } = await gateway.call(
          'GET',
          `/v1/memories?user_id=${user}&sort_by=${sort}&order=${order}&limit=5${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
        pages += 1;
      } while (cursor !== null);
      expect(pages).toBe(5);
      expect(seen).toHaveLength(total);
      expect(new Set(seen).size).toBe(total);
      const whole = await list(user, `&sort_by=${sort}&order=${order}&limit=200`);
      expect(seen).toEqual(whole.map(({ id }) => id));
    });

    test.each(['importance', 'confidence', 'value', 'valid_from', 'last_verified_at'])(
      'the order is the one asked for: %s',
      async (sort) => {
        const values = (await list(user, `&sort_by=${sort}&order=asc&limit=200`)).map(
          (memory) => (memory as Record<string, string | number | null>)[sort] ?? '',
        );
        expect(values).toEqual(values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0)));
      },
    );

    test('nothing comes first, never comes last, and long texts fit into cursors', async () => {
      const owner = someone();
      for (const input of [
        { content: 'kept' },
        { content: '🦩'.repeat(4_000), expires_in_days: 2, source_context: '\u0001'.repeat(200) },
        { content: `${'🦩'.repeat(3_999)}b`, expires_in_days: 1, source_context: '\u0001'.repeat(199) },
      ]) {
        expect((await save(owner, input)).status).toBe(201);
      }
      const lengths = async (sort: string) => {
        const seen: number[] = [];
        let cursor = '';
        do {
          const { body, status } = await gateway.call(
            'GET',
            `/v1/memories?user_id=${owner}&sort_by=${sort}&order=asc&limit=1${cursor}`,
          );
          expect(status).toBe(200);
          seen.push(...body.data.map(({ content }: { content: string }) => [...content].length));
          cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
        } while (cursor !== '');
        return seen;
      };
      expect(await lengths('expires_at')).toEqual([4_000, 4_000, 4]);
      expect((await lengths('source_context'))[0]).toBe(4);
      expect(await lengths('content')).toHaveLength(3);
    });

    test('offsets work too, but not together with a cursor', async () => {
      const whole = (await list(user, '&limit=200')).map(({ id }) => id);
      const paged = [];
      for (let offset = 0; offset < total; offset += 10) {
        paged.push(...(await list(user, `&limit=10&offset=${offset}`)).map(({ id }) => id));
      }
      expect(paged).toEqual(whole);
      const { body } = await gateway.call('GET', `/v1/memories?user_id=${user}&limit=5`);
      const both = await gateway.call(
        'GET',
        `/v1/memories?user_id=${user}&limit=5&offset=5&cursor=${body.next_cursor}`,
      );
      expect(both.status).toBe(400);
    });

    test('a cursor is good for the order it came from', async () => {
      const { body } = await gateway.call('GET', `/v1/memories?user_id=${user}&sort_by=key&limit=5`);
      const other = await gateway.call(
        'GET',
        `/v1/memories?user_id=${user}&sort_by=category&limit=5&cursor=${body.next_cursor}`,
      );
      expect([other.status, fieldsOf(other)]).toEqual([400, ['cursor']]);
    });
  });

  test('all users only with the permission', async () => {
    const [ada, bob] = [someone(), someone()];
    await save(ada, { content: 'a', tags: ['everyone'] });
    await save(bob, { content: 'b', tags: ['everyone'] });
    const plain = await gateway.makeKey({ permissions: ['memory.read', 'memory.write'] });
    const all = await gateway.makeKey({ permissions: ['memory.read', 'memory.read_all'] });
    expect((await gateway.call('GET', '/v1/memories?all_users=true', { key: plain })).status).toBe(403);
    const { body } = await gateway.call('GET', '/v1/memories?all_users=true&tag=everyone', { key: all });
    expect(new Set(body.data.map((one: { user_id: string }) => one.user_id))).toEqual(new Set([ada, bob]));
  });
});

describe('changing', () => {
  const patch = (id: string, body: unknown) => gateway.call('PATCH', `/v1/memories/${id}`, { body });

  test('fields change, a version is kept, and a new text wants a new vector', async () => {
    const { body: memory } = await save(someone(), {
      content: 'I live in Utrecht.',
      project: 'p',
      tags: ['x'],
    });
    await gateway.database.query('update memories set embedding_pending_since = null where id = $1::uuid', [
      memory.id,
    ]);
    const pending = async () =>
      (
        await gateway.database.one<{ pending: boolean }>(
          'select embedding_pending_since is not null as pending from memories where id = $1::uuid',
          [memory.id],
        )
      ).pending;
    const tagged = await patch(memory.id, {
      tags: ['y'],
      importance: 0.8,
      project: null,
      metadata: { a: 1 },
    });
    expect(tagged).toMatchObject({
      status: 200,
      body: { tags: ['y'], importance: 0.8, project: null, metadata: { a: 1 } },
    });
    expect(await pending()).toBe(false);
    const rewritten = await patch(memory.id, { content: 'I live in Leiden.' });
    expect(rewritten.body.content).toBe('I live in Leiden.');
    expect(await pending()).toBe(true);
    const { body: history } = await gateway.call('GET', `/v1/memories/${memory.id}/history`);
    expect(
      history.data.map((one: { number: number; operation: string }) => [one.number, one.operation]),
    ).toEqual([
      [1, 'ADD'],
      [2, 'UPDATE'],
      [3, 'UPDATE'],
    ]);
    expect(history.data[2]).toMatchObject({
      before: { content: 'I live in Utrecht.' },
      after: { content: 'I live in Leiden.' },
    });
  });

  test('the text follows key, value, question and answer', async () => {
    const user = someone();
    const fact = (await save(user, { key: 'city', value: 'Utrecht' })).body;
    expect((await patch(fact.id, { value: 'Leiden' })).body).toMatchObject({
      value: 'Leiden',
      content: expect.stringContaining('Leiden'),
    });
    const pair = (await save(user, { question: 'Tea?', answer: 'Green' })).body;
    expect((await patch(pair.id, { answer: 'Black' })).body.content).toMatch(/Tea\?[^]*Black/);
    expect((await save(user, { key: 'city', value: 'Leiden' })).body.id).toBe(fact.id);
  });

  test('fields that do not fit the memory’s form are refused', async () => {
    const { body: note } = await save(someone(), { content: 'a note' });
    for (const [body, field] of [
      [{ value: 'v' }, 'value'],
      [{ question: 'q' }, 'question'],
      [{ answer: 'a' }, 'answer'],
      [{ mood: 'x' }, 'mood'],
      [{ content: '' }, 'content'],
    ] as const) {
      const answer = await patch(note.id, body);
      expect([answer.status, fieldsOf(answer)[0]]).toEqual([400, field]);
    }
    expect((await patch(note.id, {})).status).toBe(400);
  });

  test('what another current memory says already is a conflict', async () => {
    const user = someone();
    await save(user, { content: 'taken' });
    const { body: note } = await save(user, { content: 'free' });
    expect(await patch(note.id, { content: 'taken' })).toMatchObject({
      status: 409,
      body: { code: 'memory_conflict' },
    });
    await save(user, { key: 'k', value: '1', category: 'a' });
    const { body: fact } = await save(user, { key: 'k', value: '2', category: 'b' });
    expect(await patch(fact.id, { category: 'a' })).toMatchObject({
      status: 409,
      body: { code: 'memory_conflict' },
    });
  });

  test('history cannot be changed, and nothing can be changed that is not there', async () => {
    const user = someone();
    const { body: old } = await save(user, { key: 'k', value: '1' });
    await save(user, { key: 'k', value: '2' });
    expect(await patch(old.id, { value: '3' })).toMatchObject({
      status: 409,
      body: { code: 'memory_conflict' },
    });
    expect(await patch('01930000-0000-7000-8000-00000000000a', { content: 'x' })).toMatchObject({
      status: 404,
    });
    expect(
      await gateway.call('PATCH', `/v1/memories/${old.id}`, { body: { user_id: 'another', tags: [] } }),
    ).toMatchObject({ status: 404 });
  });
});

describe('deleting', () => {
  test('a memory is gone, and can be brought back', async () => {
    const user = someone();
    const { body: memory } = await save(user, { content: 'here' });
    const path = `/v1/memories/${memory.id}`;
    expect((await gateway.call('DELETE', path)).status).toBe(204);
    expect((await gateway.call('GET', path)).status).toBe(404);
    expect((await gateway.call('DELETE', path)).status).toBe(404);
    expect(await list(user)).toEqual([]);
    expect((await gateway.call('POST', `${path}/restore`)).body).toMatchObject({
      id: memory.id,
      content: 'here',
    });
    expect((await gateway.call('POST', `${path}/restore`)).status).toBe(404);
    expect(await contents(user)).toEqual(['here']);
    const { body: history } = await gateway.call('GET', `${path}/history`);
    expect(history.data.map((one: { operation: string }) => one.operation)).toEqual([
      'ADD',
      'DELETE',
      'RESTORE',
    ]);
  });

  test('bringing back what has been said anew is a conflict', async () => {
    const user = someone();
    const { body: old } = await save(user, { key: 'k', value: '1' });
    await save(user, { key: 'k', value: '2' });
    expect(await gateway.call('POST', `/v1/memories/${old.id}/restore`)).toMatchObject({
      status: 409,
      body: { code: 'memory_conflict' },
    });
  });

  test('by key, in one category or in all, of one user', async () => {
    const [ada, bob] = [someone(), someone()];
    for (const user of [ada, bob]) {
      await save(user, { key: 'k', value: '1', category: 'a' });
      await save(user, { key: 'k', value: '2', category: 'b' });
    }
    const drop = (query: string) => gateway.call('DELETE', `/v1/memories?${query}`);
    expect((await drop(`user_id=${ada}&key=k&category=a`)).body).toEqual({ deleted: 1 });
    expect((await drop(`user_id=${ada}&key=k`)).body).toEqual({ deleted: 1 });
    expect((await drop(`user_id=${ada}&key=k`)).body).toEqual({ deleted: 0 });
    expect((await drop(`user_id=${ada}`)).status).toBe(400);
    expect(await list(bob)).toHaveLength(2);
  });
});
