import { randomUUID } from 'node:crypto';
import type { ListMemoriesQuery } from '@factmill/contracts';
import { newMemory } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { violatedConstraint } from '../../pool/database-errors.ts';
import { containing } from './containing.ts';
import { findMemory, listMemories, listMemoryVersions } from './memories.ts';
import { deleteMemories, restoreMemory, updateMemory } from './memory-edits.ts';
import { insertMemories } from './memory-writes.ts';
import type { NewMemory } from './new-memory.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const ACTOR = { actor: 'test', extractionId: null };
const { database } = await openTestDatabase({ createPool, migrate });
let userId: string;

beforeEach(() => {
  userId = randomUUID();
});

async function add(fields: Partial<NewMemory> = {}): Promise<string> {
  const memory: NewMemory = {
    ...newMemory(DEFAULT_TENANT_ID, userId, randomUUID()),
    wantsEmbedding: true,
    ...fields,
  };
  await insertMemories(database, [memory], ACTOR);
  return memory.id;
}

function list(
  query: Partial<ListMemoriesQuery> = {},
  more: Partial<Parameters<typeof listMemories>[1]> = {},
) {
  return listMemories(database, {
    tenantId: DEFAULT_TENANT_ID,
    userId,
    query: { sort_by: 'created_at', order: 'desc', state: 'current', limit: 50, all_users: false, ...query },
    pattern: query.q === undefined ? null : containing(query.q),
    after: null,
    ...more,
  });
}

const target = (id: string, user: string | null = userId) => ({
  tenantId: DEFAULT_TENANT_ID,
  userId: user,
  id,
});
const contents = (rows: readonly { content: string }[]) => rows.map((row) => row.content);

describe('listMemories', () => {
  test.each(['created_at', 'updated_at', 'importance', 'category', 'key'] as const)(
    'pages by %s in either direction without gaps or repetitions, ties included',
    async (sortBy) => {
      for (let n = 0; n < 11; n += 1) {
        await add({ importance: (n % 3) / 7, category: `c${n % 2}`, key: n % 4 === 0 ? null : `k${n}` });
      }
      for (const order of ['asc', 'desc'] as const) {
        const all = contents(await list({ sort_by: sortBy, order }));
        const seen: string[] = [];
        let after: readonly [string | number, string] | null = null;
        for (;;) {
          const page = await list({ sort_by: sortBy, order, limit: 3 }, { after });
          seen.push(...contents(page));
          const last = page.at(-1);
          if (last?.more !== true) break;
          after = [last.position, last.id];
        }
        expect(seen).toEqual(all);
        expect(seen).toHaveLength(11);
      }
    },
  );

  test('filters by each field, and by text that is taken as it is', async () => {
    await add({
      content: '100% cotton_shirt',
      tags: ['clothes'],
      category: 'shopping',
      tier: 1,
      project: 'home',
    });
    await add({ content: '100 cottonXshirt', kind: 'event' });
    await add({ content: 'nothing of it', key: 'size', value: 'XL' });
    expect(contents(await list({ q: '100%' }))).toEqual(['100% cotton_shirt']);
    expect(contents(await list({ q: 'cotton_shirt' }))).toEqual(['100% cotton_shirt']);
    expect(contents(await list({ q: 'xl' }))).toEqual(['nothing of it']);
    for (const query of [
      { tag: 'clothes' },
      { category: 'shopping' },
      { tier: 1 as const },
      { project: 'home' },
    ]) {
      expect(contents(await list(query))).toEqual(['100% cotton_shirt']);
    }
    expect(contents(await list({ key: 'size' }))).toEqual(['nothing of it']);
    expect(contents(await list({ kind: 'event' }))).toEqual(['100 cottonXshirt']);
  });

  test('shows what is current of this user and tenant, and nothing else', async () => {
    await add({ content: 'mine' });
    await add({ content: 'of another', userId: randomUUID() });
    await add({ content: 'expired', expiresAt: new Date(Date.now() - 1_000) });
    await add({ content: 'history', validTo: new Date() });
    const gone = await add({ content: 'deleted' });
    await deleteMemories(database, { ...target(gone), key: null, category: null }, ACTOR);
    expect(contents(await list())).toEqual(['mine']);
    expect(await list({}, { tenantId: randomUUID() })).toEqual([]);
  });
});

describe('one memory', () => {
  test('is found by its user and tenant only', async () => {
    const id = await add();
    expect(await findMemory(database, target(id))).toMatchObject({ id });
    expect(await findMemory(database, target(id, null))).toMatchObject({ id });
    expect(await findMemory(database, target(id, 'someone'))).toBeUndefined();
    expect(await findMemory(database, { ...target(id), tenantId: randomUUID() })).toBeUndefined();
  });

  test('an edit changes what it names, keeps both states, and asks for a vector only when the text changes', async () => {
    const id = await add({ content: 'before', tags: ['a'], wantsEmbedding: false });
    const waits = async () =>
      (
        await database.one<{ waits: boolean }>(
          'select embedding_pending_since is not null as waits from memories where id = $1::uuid',
          [id],
        )
      ).waits;
    await updateMemory(database, target(id), { tags: ['b'], importance: 0.9 }, ACTOR);
    expect(await waits()).toBe(false);
    const edited = await updateMemory(database, target(id), { content: 'after', content_hash: 'ab' }, ACTOR);
    expect(edited).toMatchObject({ content: 'after', tags: ['b'], category: 'general' });
    expect(await waits()).toBe(true);
    const versions = await listMemoryVersions(database, target(id));
    expect(versions.map(({ number, operation }) => [number, operation])).toEqual([
      [1, 'ADD'],
      [2, 'UPDATE'],
      [3, 'UPDATE'],
    ]);
    expect(versions[2]).toMatchObject({ before: { content: 'before' }, after: { content: 'after' } });
    expect(await updateMemory(database, target(id, 'someone'), { content: 'theirs' }, ACTOR)).toBeUndefined();
  });

  test('deleted, it can be restored; when its key has been taken meanwhile, that is a conflict', async () => {
    const fact = { kind: 'fact' as const, key: 'home', value: 'Lisbon' };
    const id = await add(fact);
    expect(await deleteMemories(database, { ...target(id), key: null, category: null }, ACTOR)).toEqual([id]);
    expect(await deleteMemories(database, { ...target(id), key: null, category: null }, ACTOR)).toEqual([]);
    expect(await findMemory(database, target(id))).toBeUndefined();
    expect(await restoreMemory(database, target(id), ACTOR)).toMatchObject({ id, value: 'Lisbon' });
    expect(await restoreMemory(database, target(id), ACTOR)).toBeUndefined();
    await deleteMemories(database, { ...target(id), key: null, category: null }, ACTOR);
    await add({ ...fact, value: 'Porto' });
    const error: unknown = await restoreMemory(database, target(id), ACTOR).catch(
      (thrown: unknown) => thrown,
    );
    expect(violatedConstraint(error)).toBe('memories_key_key');
  });

  test('deletion by key takes the current ones, of one category if told', async () => {
    const byKey = (category: string | null) => ({ ...target(''), id: null, key: 'home', category });
    const old = await add({ key: 'home', category: 'a', validTo: new Date() });
    const inA = await add({ key: 'home', category: 'a' });
    const inB = await add({ key: 'home', category: 'b' });
    expect(await deleteMemories(database, byKey('b'), ACTOR)).toEqual([inB]);
    expect(await deleteMemories(database, byKey(null), ACTOR)).toEqual([inA]);
    expect(await findMemory(database, target(old))).toMatchObject({ id: old });
  });
});
