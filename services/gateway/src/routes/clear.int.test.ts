import { clearedMemoriesSchema } from '@factmill/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

/** Everything that can be kept of a user. */
async function fill(user: string): Promise<void> {
  const post = (path: string, body: object) =>
    gateway.call('POST', path, { body: { user_id: user, ...body } });
  await post('/v1/memories', { key: 'home', value: 'Delft' });
  await post('/v1/memories', { key: 'home', value: 'Utrecht' });
  await post('/v1/documents', { content: 'The bins go out on Tuesdays.' });
  await post(`/v1/conversations/${user}/messages`, { messages: [said('I sail.')], extract: 'now' });
  await post('/v1/compressions', { kind: 'daily', dry_run: true });
  await gateway.call('PUT', '/v1/summary', { body: { user_id: user, content: 'Lives in Utrecht.' } });
}

/** Rows of a user in every table that has users, but deleted memories and what says that there was something. */
async function rowsOf(user: string): Promise<Record<string, number>> {
  const { rows: tables } = await gateway.database.query<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = 'user_id'
       and c.relname not in ('api_keys', 'memory_versions', 'memory_embeddings', 'events', 'users')`,
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const alive = name === 'memories' ? 'and deleted_at is null' : '';
      const { rowCount } = await gateway.database.query(
        `select from ${name} where user_id = $1::text ${alive}`,
        [user],
      );
      return [name, rowCount] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

beforeEach(async () => {
  await gateway.database.query(
    'truncate memories, conversations, documents, summaries, compression_runs cascade',
  );
  await Promise.all([fill('maya'), fill('noah')]);
});

const clear = (body: object, key?: string) =>
  gateway.call('POST', '/v1/memories/clear', key === undefined ? { body } : { body, key });

describe('POST /v1/memories/clear (A21)', () => {
  test('removes everything of a user, and of nobody else; memories can be restored', async () => {
    const noah = await rowsOf('noah');
    expect(Object.keys(await rowsOf('maya')).sort()).toEqual(Object.keys(noah).sort());
    const answer = await clear({ user_id: 'maya', confirm: 'maya' });
    expect([answer.status, clearedMemoriesSchema.parse(answer.body)]).toEqual([
      200,
      { user_id: 'maya', memories: 2, conversations: 1, documents: 1, summaries: 1 },
    ]);
    expect(await rowsOf('maya')).toEqual({});
    expect(await rowsOf('noah')).toEqual(noah);

    const { rows } = await gateway.database.query<{ id: string }>(
      `select memory_id as id from memory_versions where user_id = 'maya' and operation = 'DELETE' order by id desc`,
    );
    expect(rows).toHaveLength(2);
    const restored = await gateway.call('POST', `/v1/memories/${rows[0]?.id}/restore?user_id=maya`);
    expect([restored.status, restored.body.key]).toEqual([200, 'home']);
    const again = await clear({ user_id: 'maya', confirm: 'maya' });
    expect(again.body).toMatchObject({ memories: 1, conversations: 0 });
  });

  test.each([[{ user_id: 'maya', confirm: 'noah' }], [{ user_id: 'maya', confirm: 'Maya' }]])(
    '%j is not confirmed, and removes nothing',
    async (body) => {
      const before = await rowsOf('maya');
      const answer = await clear(body);
      expect([answer.status, answer.body.code, fieldsOf(answer)]).toEqual([
        409,
        'state_conflict',
        ['confirm'],
      ]);
      expect(await rowsOf('maya')).toEqual(before);
    },
  );

  test('needs memory.write, and with a locked key is for its own user', async () => {
    const before = [await rowsOf('maya'), await rowsOf('noah')];
    const reader = await gateway.makeKey({ permissions: ['memory.read'] });
    const locked = await gateway.makeKey({ userId: 'noah', userLocked: true });
    expect((await clear({ user_id: 'maya', confirm: 'maya' }, reader)).status).toBe(403);
    expect((await clear({ user_id: 'maya', confirm: 'maya' }, locked)).body.code).toBe('user_locked');
    expect((await clear({ confirm: 'maya' }, locked)).status).toBe(409);
    expect([await rowsOf('maya'), await rowsOf('noah')]).toEqual(before);
    const stranger = await gateway.makeKey({ tenant: 'theirs' });
    expect((await clear({ user_id: 'maya', confirm: 'maya' }, stranger)).body).toMatchObject({ memories: 0 });
    expect([await rowsOf('maya'), await rowsOf('noah')]).toEqual(before);
  });

  test('nobody is nobody, and confirm has to be there', async () => {
    expect((await clear({ user_id: 'unknown', confirm: 'unknown' })).body).toMatchObject({
      memories: 0,
      skipped: { reason: 'unknown_user' },
    });
    const answer = await clear({ user_id: 'maya' });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['confirm']]);
  });
});
