import { createHash } from 'node:crypto';
import { erasureSchema } from '@factmill/contracts';
import { listUsers } from '@factmill/database';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const remember = (user_id: string, key?: string) =>
  gateway.call('POST', '/v1/memories', {
    body: { user_id, content: 'Collects stamps.' },
    ...(key && { key }),
  });

test('an erasure is asked for once, queued, and has a receipt that names nobody', async () => {
  await remember('ada');
  const asked = await gateway.call('DELETE', '/v1/users/ada');
  expect(asked.status).toBe(202);
  const receipt = erasureSchema.parse(asked.body);
  expect(receipt).toMatchObject({ state: 'pending', finished_at: null, counts: {} });
  expect(receipt.user_sha256).toBe(createHash('sha256').update(`${receipt.id} ada`).digest('hex'));
  expect(asked.text).not.toContain('ada"');
  expect((await gateway.call('DELETE', '/v1/users/ada')).body).toEqual(asked.body);
  expect((await gateway.call('GET', `/v1/erasures/${receipt.id}`)).body).toEqual(asked.body);
  expect(await gateway.queues.missing('erase', [`erase-${receipt.id}`])).toEqual([]);
});

test('a user of whom there is nothing is named as such, also where another tenant has them', async () => {
  await remember('ben');
  const key = await gateway.makeKey({ tenant: 'elsewhere', permissions: ['admin'], name: 'elsewhere' });
  for (const [user, by] of [
    ['bne', undefined],
    ['unknown', undefined],
    ['ben', key],
  ] as const) {
    const { status, body } = await gateway.call(
      'DELETE',
      `/v1/users/${user}`,
      by === undefined ? {} : { key: by },
    );
    expect([user, status, body.code]).toEqual([user, 404, 'not_found']);
    expect(body.detail).toContain('Check its spelling');
  }
  const { body: receipt } = await gateway.call('DELETE', '/v1/users/ben');
  expect((await gateway.call('GET', `/v1/erasures/${receipt.id}`, { key })).status).toBe(404);
  expect((await gateway.call('GET', '/v1/erasures/none')).status).toBe(400);
});

test('an id is taken as it is, with every character that a user may have', async () => {
  await remember('ü/../b%2F c');
  const { status, body } = await gateway.call('DELETE', `/v1/users/${encodeURIComponent('ü/../b%2F c')}`);
  expect([status, body.state]).toEqual([202, 'pending']);
});

describe('users as resources', () => {
  let key: string;
  const call = (method: string, path: string, body?: unknown) => gateway.call(method, path, { body, key });
  beforeAll(async () => {
    key = await gateway.makeKey({ tenant: 'team', permissions: ['admin'], name: 'team' });
    for (const user_id of ['b/eve', 'B', 'b', 'a', 'b/ada'].reverse()) {
      await call('POST', '/v1/memories', { user_id, content: 'Collects stamps.' });
    }
    await call('POST', '/v1/conversations', { id: 'tea', user_id: 'b/ada' });
    await gateway.call('POST', '/v1/memories', { body: { user_id: 'b/other', content: 'x' } });
  });

  test('are listed in the order of their ids, page by page, by how they begin and what they contain, with counts', async () => {
    const walk = async (query: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await call('GET', `/v1/users?limit=2${query}${cursor}`);
        ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
        if (body.next_cursor === null) return ids;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    expect(await walk('')).toEqual(['B', 'a', 'b', 'b/ada', 'b/eve']);
    expect(await walk('&prefix=b')).toEqual(['b', 'b/ada', 'b/eve']);
    expect(await walk('&prefix=b%2F')).toEqual(['b/ada', 'b/eve']);
    expect(await walk('&prefix=%25')).toEqual([]);
    expect(await walk('&contains=B')).toEqual(['B', 'b', 'b/ada', 'b/eve']);
    expect(await walk('&contains=A&prefix=b')).toEqual(['b/ada']);
    expect(await walk('&contains=%25')).toEqual([]);
    expect(await walk('&contains=b%2Fada%20')).toEqual([]);
    const { rows } = await gateway.database.query<{ id: string }>(
      `select id from tenants where name = 'team'`,
    );
    // However many there are, so many ids are read for a page.
    const few = { tenantId: rows[0]?.id ?? '', prefix: '', contains: 'EVE', limit: 2, maxScanned: 2 };
    const pages: unknown[] = [];
    for (let after: string | null = null, isMore = true; isMore; isMore = after !== null) {
      const page: Awaited<ReturnType<typeof listUsers>> = await listUsers(gateway.database, {
        ...few,
        after,
      });
      pages.push([page.rows.map(({ id }) => id).join(), page.next]);
      after = page.next;
    }
    expect(pages).toEqual([
      ['', 'a'],
      ['', 'b/ada'],
      ['b/eve', null],
    ]);
    const { body } = await call('GET', `/v1/users/${encodeURIComponent('b/ada')}`);
    expect(body).toMatchObject({ id: 'b/ada', memories: 1, conversations: 1, preset: null, memory: true });
    expect(Date.parse(body.last_active_at)).toBeGreaterThan(Date.parse(body.created_at) - 1);
    expect((await call('GET', '/v1/users/nobody')).status).toBe(404);
    expect((await call('PATCH', '/v1/users/nobody', { memory: false })).status).toBe(404);
  });

  test('settings stay until they are given back', async () => {
    const set = { preset: 'tiered', retention_days: 30 };
    expect(await call('PATCH', '/v1/users/a', set)).toMatchObject({ status: 200, body: set });
    const { body } = await call('PATCH', '/v1/users/a', { preset: null });
    expect(body).toMatchObject({ preset: null, retention_days: 30, memory: true });
    expect(await call('PATCH', '/v1/users/a', { retention_days: 0 })).toMatchObject({ status: 400 });
    expect(await call('PATCH', '/v1/users/a', { colour: 'red' })).toMatchObject({ status: 400 });
  });

  test('a preset comes from the request, the conversation, the user, the tenant, the deployment, in this order', async () => {
    const presetOf = async (body: object): Promise<string> => {
      const { id } = (await call('POST', '/v1/extractions', { user_id: 'b', messages: [said('x')], ...body }))
        .body;
      return (await call('GET', `/v1/extractions/${id}`)).body.preset as string;
    };
    await call('POST', '/v1/conversations', { id: 'own', user_id: 'b', policy: { preset: 'categorised' } });
    expect(await presetOf({})).toBe('standard');
    await gateway.database.query(`update tenants set default_preset = 'tiered' where name = 'team'`);
    expect(await presetOf({})).toBe('tiered');
    await call('PATCH', '/v1/users/b', { preset: 'single-fact' });
    expect(await presetOf({})).toBe('single-fact');
    expect(await presetOf({ conversation_id: 'own' })).toBe('categorised');
    expect(await presetOf({ conversation_id: 'own', preset: 'reconciled' })).toBe('reconciled');
    // A conversation that goes on, which takes another way through the database than one that begins.
    await call('PATCH', '/v1/users/b', { preset: null });
    for (let turn = 0; turn < 2; turn += 1)
      expect(await presetOf({ conversation_id: 'goes-on' })).toBe('tiered');
  });

  test('nothing is stored of a user whose memory is off, by whatever way, and what is there stays', async () => {
    await call('PATCH', '/v1/users/b%2Feve', { memory: false });
    await call('POST', '/v1/conversations', { id: 'hers', user_id: 'b/eve' });
    const before = await call('GET', '/v1/users/b%2Feve');
    const skipped = { user_id: 'b/eve', skipped: { reason: 'memory_off' } };
    for (const [path, body] of [
      ['/v1/extractions', { user_id: 'b/eve', messages: [said('secret')] }],
      ['/v1/conversations/new/messages', { user_id: 'b/eve', messages: [said('secret')], extract: 'now' }],
      ['/v1/conversations/hers/messages', { messages: [said('secret')] }],
      ['/v1/tools/memory', { user_id: 'b/eve', action: 'save', content: 'secret' }],
    ] as const) {
      const answer = await gateway.call('POST', path, { key, body, headers: { 'idempotency-key': path } });
      expect([path, answer.status, answer.body]).toMatchObject([path, 200, skipped]);
    }
    expect((await call('GET', '/v1/users/b%2Feve')).body).toEqual(before.body);
    expect((await call('GET', '/v1/memories?user_id=b%2Feve')).body.data).toHaveLength(1);
    const { count } = await gateway.database.one<{ count: number }>(
      `select count(*)::integer as count from messages where content = 'secret'`,
    );
    expect(count).toBe(0);
    await call('PATCH', '/v1/users/b%2Feve', { memory: true });
    expect((await call('POST', '/v1/conversations/hers/messages', { messages: [said('on')] })).status).toBe(
      202,
    );
  });

  test('all of them only with memory.read_all; changes only by administrators', async () => {
    const reader = await gateway.makeKey({ tenant: 'team', permissions: ['memory.read_all'] });
    const writer = await gateway.makeKey({ tenant: 'team', permissions: ['memory.read', 'memory.write'] });
    expect((await gateway.call('GET', '/v1/users', { key: reader })).status).toBe(200);
    expect((await gateway.call('GET', '/v1/users', { key: writer })).status).toBe(403);
    const patch = { key: reader, body: { memory: false } };
    expect((await gateway.call('PATCH', '/v1/users/a', patch)).status).toBe(403);
  });
});
