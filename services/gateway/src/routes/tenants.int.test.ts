import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PERMISSIONS } from '@factmill/contracts';
import { waitFor, withoutPredicates } from '@factmill/testkit';
import { createHash } from 'node:crypto';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
let ours: string;
let theirs: string;
async function start(between?: Parameters<typeof startGateway>[2]): Promise<void> {
  gateway = await startGateway({}, undefined, between);
  ours = await gateway.makeKey({ tenant: 'ours', permissions: ['admin'], name: 'ours' });
  theirs = await gateway.makeKey({ tenant: 'theirs', permissions: ['admin'], name: 'theirs' });
}
beforeAll(() => start());
afterAll(async () => {
  await gateway.close();
});

describe('with the predicate forgotten in every statement', () => {
  beforeAll(async () => {
    await gateway.close();
    await start(withoutPredicates);
  });
  afterAll(async () => {
    await gateway.close();
    await start();
  });
  describeAnotherTenant();
});

describeAnotherTenant();

function describeAnotherTenant(): void {
  describe('another tenant', () => {
    test('sees and changes nothing of ours, by whatever id', async () => {
      const call = (method: string, path: string, body?: unknown) =>
        gateway.call(method, path, { body, key: ours });
      const memory = (await call('POST', '/v1/memories', { user_id: 'ada', key: 'city', value: 'Utrecht' }))
        .body;
      const accepted = (
        await call('POST', '/v1/conversations/shared-name/messages', {
          user_id: 'ada',
          extract: 'now',
          messages: [said('ours', { id: 'm1' })],
        })
      ).body;
      const extraction = accepted.extraction.id as string;
      await gateway.database.query(
        `update extractions set state = 'failed', finished_at = now() where id = $1::uuid`,
        [extraction],
      );

      const foreign = (method: string, path: string, body?: unknown) =>
        gateway.call(method, path, { body, key: theirs });
      for (const [method, path, body] of [
        ['GET', `/v1/memories/${memory.id}`],
        ['GET', `/v1/memories/${memory.id}/history`],
        ['PATCH', `/v1/memories/${memory.id}`, { value: 'Rome' }],
        ['DELETE', `/v1/memories/${memory.id}`],
        ['POST', `/v1/memories/${memory.id}/restore`],
        ['GET', '/v1/conversations/shared-name'],
        ['GET', '/v1/conversations/shared-name/messages'],
        ['DELETE', '/v1/conversations/shared-name'],
        ['POST', '/v1/conversations/shared-name/flush'],
        ['GET', `/v1/extractions/${extraction}`],
        ['POST', `/v1/extractions/${extraction}/replay`],
      ] as const) {
        expect([method, path, (await foreign(method, path, body)).status]).toEqual([method, path, 404]);
      }
      for (const path of [
        '/v1/memories?user_id=ada',
        '/v1/memories?all_users=true',
        '/v1/conversations?user_id=ada',
        '/v1/extractions',
      ]) {
        expect([path, (await foreign('GET', path)).body.data]).toEqual([path, []]);
      }
      expect((await foreign('POST', '/v1/extractions/replay', { state: 'failed' })).body).toEqual({
        replayed: 0,
        ids: [],
      });
      expect((await foreign('DELETE', '/v1/memories?user_id=ada&key=city')).body).toEqual({ deleted: 0 });

      // The same conversation, message and fact again, theirs this time.
      const copy = await foreign('POST', '/v1/conversations/shared-name/messages', {
        user_id: 'eve',
        extract: 'now',
        messages: [said('theirs', { id: 'm1' })],
      });
      expect(copy).toMatchObject({ status: 202, body: { user_id: 'eve', message_ids: ['m1'] } });
      expect(copy.body.extraction.id).not.toBe(extraction);
      const fact = await foreign('POST', '/v1/memories', { user_id: 'ada', key: 'city', value: 'Utrecht' });
      expect(fact.body.id).not.toBe(memory.id);
      const messages = (await call('GET', '/v1/conversations/shared-name/messages')).body.data;
      expect(messages.map((message: { content: string }) => message.content)).toEqual(['ours']);
      expect((await call('GET', `/v1/memories/${memory.id}`)).body).toEqual(memory);
    });

    test('has API keys of its own', async () => {
      const mine = (await gateway.call('GET', '/v1/api-keys', { key: ours })).body.data as {
        id: string;
        name: string;
      }[];
      expect(mine.map(({ name }) => name)).toEqual(['ours']);
      expect((await gateway.call('DELETE', `/v1/api-keys/${mine[0]?.id}`, { key: theirs })).status).toBe(404);
    });
  });
}

describe('/v1/api-keys', () => {
  test('a key is shown once, stored as a hash, works, and is revoked at once', async () => {
    const created = await gateway.call('POST', '/v1/api-keys', {
      key: ours,
      body: {
        name: 'reader',
        permissions: ['memory.read'],
        user_id: 'ada',
        expires_at: '2099-01-01T00:00:00Z',
      },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'reader',
        permissions: ['memory.read'],
        user_id: 'ada',
        revoked: false,
        revoked_at: null,
        expires_at: '2099-01-01T00:00:00.000Z',
      },
    });
    const { id, key } = created.body as { id: string; key: string };
    const secret = key.slice(`fm_${id}_`.length);
    const stored = await gateway.database.one<{ row: string; hash: Buffer }>(
      'select api_keys::text as row, secret_sha256 as hash from api_keys where id = $1::text',
      [id],
    );
    expect(stored.hash).toEqual(createHash('sha256').update(secret).digest());
    expect(stored.row).not.toContain(secret);

    expect((await gateway.call('GET', '/v1/memories', { key })).status).toBe(200);
    expect((await gateway.call('POST', '/v1/memories', { key, body: { content: 'x' } })).status).toBe(403);
    const listed = await gateway.call('GET', '/v1/api-keys', { key: ours });
    expect(listed.text).not.toContain(secret);
    // Its use is noted beside the requests.
    const { key: _key, last_used_at: unused, ...shown } = created.body as Record<string, unknown>;
    expect(unused).toBeNull();
    expect(listed.body.data).toContainEqual(expect.objectContaining(shown));

    expect((await gateway.call('DELETE', `/v1/api-keys/${id}`, { key: ours })).status).toBe(204);
    expect((await gateway.call('GET', '/v1/memories', { key })).status).toBe(401);
    expect((await gateway.call('DELETE', `/v1/api-keys/${id}`, { key: ours })).status).toBe(404);
    expect(gateway.logged()).not.toContain(secret);
  });

  test('names are taken until they are free again', async () => {
    const make = () => gateway.call('POST', '/v1/api-keys', { key: ours, body: { name: 'once' } });
    const first = await make();
    expect(first.body.permissions).toEqual(['memory.read', 'memory.write', 'chat']);
    expect(await make()).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    await gateway.call('DELETE', `/v1/api-keys/${first.body.id}`, { key: ours });
    expect((await make()).status).toBe(201);
  });

  test('no key grants more than it has, or revokes the keys of others', async () => {
    const make = (key: string, permissions: string[]) =>
      gateway.call('POST', '/v1/api-keys', { key, body: { name: `p-${permissions.join()}`, permissions } });
    const everything = PERMISSIONS.filter((permission) => permission !== 'operator');
    expect((await make(ours, everything)).status).toBe(201);
    const refused = await make(ours, ['memory.read', 'operator']);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(refused.body.errors).toEqual([
      { field: 'permissions', message: 'operator is more than this key has' },
    ]);

    const operator = await gateway.makeKey({ tenant: 'ours', permissions: ['admin', 'operator'] });
    const made = await make(operator, ['operator']);
    expect(made).toMatchObject({ status: 201, body: { permissions: ['operator'] } });
    const revoke = (key: string) => gateway.call('DELETE', `/v1/api-keys/${made.body.id}`, { key });
    expect((await revoke(ours)).status).toBe(404);
    expect((await make(made.body.key, ['operator'])).status).toBe(403);
    expect((await revoke(operator)).status).toBe(204);
  });

  test('a locked key needs a user and cannot reach beyond it', async () => {
    const make = (body: object) =>
      gateway.call('POST', '/v1/api-keys', {
        key: ours,
        body: { name: 'locked', user_locked: true, ...body },
      });
    for (const body of [
      {},
      { user_id: 'ada', permissions: ['admin'] },
      { user_id: 'ada', permissions: ['memory.read', 'memory.read_all'] },
    ]) {
      const answer = await make(body);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['user_locked']]);
    }
    expect(await make({ user_id: 'ada' })).toMatchObject({
      status: 201,
      body: { user_id: 'ada', user_locked: true },
    });
    const { data } = (await gateway.call('GET', '/v1/api-keys', { key: ours })).body;
    expect(data).toContainEqual(expect.objectContaining({ name: 'locked', user_locked: true }));
  });

  test('a rotated key is shown once, keeps its id, and its old secret works for a while', async () => {
    const { id, key: old } = (
      await gateway.call('POST', '/v1/api-keys', { key: ours, body: { name: 'turning', user_id: 'ada' } })
    ).body;
    const rotate = (body: object, by = ours) =>
      gateway.call('POST', `/v1/api-keys/${id}/rotate`, { key: by, body });
    const status = async (key: string) => (await gateway.call('GET', '/v1/memories', { key })).status;
    expect(await status(old)).toBe(200);
    const rotated = await rotate({ overlap_seconds: 3_600 });
    expect(rotated).toMatchObject({ status: 200, body: { id, name: 'turning', user_id: 'ada' } });
    expect([await status(rotated.body.key), await status(old)]).toEqual([200, 200]);
    const noticed = await gateway.call('GET', '/v1/memories', { key: old });
    expect(noticed.headers.get('x-factmill-key-expires')).toBe(rotated.body.previous_secret_until);
    const plain = await gateway.call('GET', '/v1/memories', { key: rotated.body.key });
    expect(plain.headers.get('x-factmill-key-expires')).toBeNull();

    const again = await rotate({ overlap_seconds: 0 });
    expect([await status(again.body.key), await status(rotated.body.key), await status(old)]).toEqual([
      200, 401, 401,
    ]);
    const isUseNoted = async () => {
      const { data } = (await gateway.call('GET', '/v1/api-keys', { key: ours })).body;
      const found = (data as { id: string; last_used_at: string | null }[]).find((entry) => entry.id === id);
      return found?.last_used_at != null;
    };
    await waitFor(isUseNoted, { describe: 'the use of the key to be noted' });
    expect((await rotate({ overlap_seconds: -1 })).status).toBe(400);
    expect((await rotate({}, theirs)).status).toBe(404);
    await gateway.call('DELETE', `/v1/api-keys/${id}`, { key: ours });
    expect((await rotate({})).status).toBe(404);
  });

  test('only for administrators', async () => {
    const key = await gateway.makeKey({
      tenant: 'ours',
      permissions: ['memory.read', 'memory.write', 'queue.write'],
    });
    expect((await gateway.call('POST', '/v1/api-keys', { key, body: { name: 'x' } })).status).toBe(403);
    expect((await gateway.call('GET', '/v1/api-keys', { key })).status).toBe(403);
  });
});

describe('/v1/tenants', () => {
  const call = (method: string, path: string, body?: unknown) => gateway.call(method, path, { body });

  test('are created once, listed by name, and changed', async () => {
    const made = await call('POST', '/v1/tenants', {
      name: 'acme',
      default_preset: 'tiered',
      limits: { key_per_second: 5, tenant_per_second: null },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'acme', default_preset: 'tiered', limits: { key_per_second: 5 } },
    });
    expect(await call('POST', '/v1/tenants', { name: 'acme' })).toMatchObject({ status: 409 });
    const path = `/v1/tenants/${made.body.id}`;
    const patched = await call('PATCH', path, { name: 'acme & co', limits: { key_per_second: null } });
    expect(patched.body).toEqual({ ...made.body, name: 'acme & co', limits: {} });
    expect((await call('GET', path)).body).toEqual(patched.body);
    expect(await call('PATCH', path, { name: 'ours' })).toMatchObject({
      status: 409,
      body: { errors: [{ field: 'name' }] },
    });
    const names: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `/v1/tenants?limit=1${cursor}`);
      names.push(...(body.data as { name: string }[]).map(({ name }) => name));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['acme & co', 'default', 'ours', 'theirs']));
    expect((await call('GET', '/v1/tenants/0199f3a0-0000-7000-8000-000000000001')).status).toBe(404);
    expect((await gateway.call('GET', '/v1/tenants', { key: ours })).status).toBe(403);
  });

  test('a tenant has rates of its own', async () => {
    const { id } = (await call('POST', '/v1/tenants', { name: 'slow', limits: { key_per_second: 1 } })).body;
    const key = await gateway.makeKey({ tenant: 'slow' });
    const policy = async () =>
      (await gateway.call('GET', '/v1/memories', { key })).headers.get('ratelimit-policy') ?? '';
    const limited = async () => (await policy()).includes('"key";q=1;');
    await waitFor(limited, { describe: 'the rate of the tenant' });
    expect(await policy()).toContain('"tenant";q=1000');
    await call('PATCH', `/v1/tenants/${id}`, { limits: { key_per_second: 0 } });
    await waitFor(async () => !(await policy()).includes('"key"'), { describe: 'no limit for a key' });
  });
});

describe('conversations', () => {
  const create = (body: unknown) => gateway.call('POST', '/v1/conversations', { body });

  test('are created once, listed last active first, and deleted with their messages', async () => {
    const made = await create({
      id: 'c1',
      user_id: 'lister',
      project: 'p',
      title: 'Tea',
      metadata: { a: 1 },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { id: 'c1', project: 'p', title: 'Tea', metadata: { a: 1 }, message_count: 0 },
    });
    expect(await create({ id: 'c1', user_id: 'lister' })).toMatchObject({
      status: 200,
      body: { title: 'Tea' },
    });
    expect((await create({ user_id: 'lister' })).body.id).toMatch(/^[0-9a-f-]{36}$/);
    await gateway.call('POST', '/v1/conversations/c1/messages', { body: { messages: [said('a')] } });
    const { body } = await gateway.call('GET', '/v1/conversations?user_id=lister');
    expect(body.data).toHaveLength(2);
    expect(body.data[0]).toMatchObject({ id: 'c1', message_count: 1 });
    expect((await gateway.call('GET', '/v1/conversations?user_id=lister&project=p')).body.data).toHaveLength(
      1,
    );
    const kept = (
      await gateway.call('POST', '/v1/memories', { body: { user_id: 'lister', content: 'stays' } })
    ).body;
    expect((await gateway.call('GET', '/v1/conversations/c1?user_id=another')).status).toBe(404);
    expect((await gateway.call('DELETE', '/v1/conversations/c1')).status).toBe(204);
    expect((await gateway.call('GET', '/v1/conversations/c1/messages')).status).toBe(404);
    expect((await gateway.call('GET', `/v1/memories/${kept.id}`)).status).toBe(200);
  });

  test('and messages come page by page, none lost and none twice', async () => {
    // All within one millisecond, apart only by microseconds.
    await gateway.database.query(
      `insert into conversations (tenant_id, id, user_id, last_active_at)
       select '00000000-0000-7000-8000-000000000001', 'p' || n, 'pager',
         timestamptz '2026-01-01T00:00:00Z' + (n % 7) * interval '1 microsecond' from generate_series(1, 23) n`,
    );
    const walk = async (path: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await gateway.call('GET', `${path}${cursor}`);
        seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
        if (body.next_cursor === null) return seen;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    const conversations = await walk('/v1/conversations?user_id=pager&limit=4');
    expect(conversations).toHaveLength(23);
    expect(new Set(conversations).size).toBe(23);
    const ids = Array.from({ length: 11 }, (_, index) => `m${index}`);
    await gateway.call('POST', '/v1/conversations/p1/messages', {
      body: { extract: 'now', messages: ids.map((id) => said('x', { id })) },
    });
    expect(await walk('/v1/conversations/p1/messages?limit=3')).toEqual(ids);
    for (const id of ids.slice(0, 7)) {
      await gateway.call('POST', '/v1/extractions', { body: { user_id: 'pager', messages: [said(id)] } });
    }
    const extractions = await walk('/v1/extractions?user_id=pager&limit=2');
    expect(new Set(extractions).size).toBe(8);
    expect(extractions).toHaveLength(8);
  });
});
