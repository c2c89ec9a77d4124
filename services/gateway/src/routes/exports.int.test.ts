import { DEFAULT_TENANT_ID as TENANT, eraseSome, findTenantId, finishErasure } from '@factmill/database';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NDJSON = { 'content-type': 'application/x-ndjson' };

const exportOf = async (user: string, key?: string) => {
  const { status, text } = await gateway.call('GET', `/v1/users/${encodeURIComponent(user)}/export`, {
    ...(key && { key }),
  });
  expect(status).toBe(200);
  return text;
};

const importOf = (user: string, raw: string, key?: string) =>
  gateway.call('POST', `/v1/users/${encodeURIComponent(user)}/import`, {
    raw,
    headers: NDJSON,
    ...(key && { key }),
  });

/** All but the first line, which has the time of the export. */
const rowsOf = (file: string) => file.slice(file.indexOf('\n'));

const endOf = (file: string) => JSON.parse(file.trimEnd().split('\n').at(-1) ?? '') as { counts: object };

async function erase(userId: string): Promise<void> {
  const { body } = await gateway.call('DELETE', `/v1/users/${encodeURIComponent(userId)}`);
  const erasure = { id: String(body.id), tenantId: TENANT, userId };
  while ((await eraseSome(gateway.database, erasure, 500)) > 0);
  expect(await finishErasure(gateway.database, erasure)).toBe(true);
}

type Said = Readonly<{ text: string; keep: boolean; calls: boolean }>;
type Someone = Readonly<{
  talks: readonly (readonly Said[])[];
  notes: readonly Readonly<{ text: string; key: boolean; fate: 'kept' | 'changed' | 'deleted' }>[];
  documents: readonly string[];
  summary: boolean;
  settings?: Readonly<{ preset: string | null; memory: boolean; retention_days: number | null }>;
}>;

const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((given) => `It is ${given}.`);
const someone: fc.Arbitrary<Someone> = fc.record({
  talks: fc.array(
    fc.array(fc.record({ text, keep: fc.boolean(), calls: fc.boolean() }), { minLength: 1, maxLength: 3 }),
    { maxLength: 2 },
  ),
  notes: fc.array(
    fc.record({ text, key: fc.boolean(), fate: fc.constantFrom('kept', 'changed', 'deleted') }),
    { maxLength: 4 },
  ),
  documents: fc.array(text, { maxLength: 2 }),
  summary: fc.boolean(),
  settings: fc.record({
    preset: fc.constantFrom(null, 'categorised'),
    memory: fc.boolean(),
    retention_days: fc.constantFrom(null, 7),
  }),
});

/** Stores what somebody has, by the API; some of it extracted, some of it waiting. */
async function store(
  user_id: string,
  { talks, notes, documents, summary, settings }: Someone,
): Promise<void> {
  const { call, database } = gateway;
  for (const [index, said] of talks.entries()) {
    const id = `${user_id} ${index}`;
    await call('POST', '/v1/conversations', { body: { id, user_id, title: 'A talk', metadata: { index } } });
    for (const { text: content, keep, calls } of said) {
      const message = {
        role: calls ? 'assistant' : 'user',
        content,
        ...(calls ? { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"n":1.0}' } }] } : {}),
      };
      await call('POST', `/v1/conversations/${encodeURIComponent(id)}/messages`, {
        body: { user_id, messages: [message], extract: keep ? 'now' : 'auto' },
      });
    }
  }
  await database.query(
    `update extractions set state = 'done', finished_at = now(), added = 1, rejections = '{"key": 1}'
     where user_id = $1::text and from_seq = 1`,
    [user_id],
  );
  for (const [index, { text: content, key, fate }] of notes.entries()) {
    const body = { user_id, ...(key ? { key: `k${index % 2}`, value: content } : { content }) };
    const { body: memory } = await call('POST', '/v1/memories', { body });
    if (fate === 'changed') await call('PATCH', `/v1/memories/${memory.id}`, { body: { importance: 0.7 } });
    if (fate === 'deleted') await call('DELETE', `/v1/memories/${memory.id}`);
  }
  for (const content of documents) await call('POST', '/v1/documents', { body: { user_id, content } });
  if (summary) await call('PUT', '/v1/summary', { body: { user_id, content: 'Has things.' } });
  if (settings) await call('PATCH', `/v1/users/${encodeURIComponent(user_id)}`, { body: settings });
}

describe('an export of a user', () => {
  test('is imported after an erasure as if nothing had happened, and again without effect', async () => {
    await fc.assert(
      fc.asyncProperty(someone, async (has) => {
        const user = `maya ${randomUUID()}`;
        await store(user, {
          ...has,
          notes: [...has.notes, { text: 'Always.', key: false, fate: 'changed' }],
        });
        const before = await exportOf(user);
        const again = await importOf(user, before);
        expect([again.status, again.body]).toEqual([200, { imported: {}, known: endOf(before).counts }]);
        expect(rowsOf(await exportOf(user))).toBe(rowsOf(before));

        await erase(user);
        expect((await gateway.call('GET', `/v1/users/${encodeURIComponent(user)}/export`)).status).toBe(404);
        const imported = await importOf(user, before);
        expect([imported.status, imported.body]).toEqual([
          200,
          { imported: endOf(before).counts, known: {} },
        ]);
        expect(rowsOf(await exportOf(user))).toBe(rowsOf(before));
      }),
      { numRuns: 5 },
    );
  });

  test('that is imported works on: what waited is due, vectors follow, deleted memories can be restored', async () => {
    const user = 'noah';
    const talk = [{ text: 'Waits.', keep: false, calls: false }];
    const notes = [{ text: 'Gone.', key: false, fate: 'deleted' as const }];
    await store(user, { talks: [talk], notes, documents: ['A text.'], summary: true });
    const file = await exportOf(user);
    await erase(user);
    await importOf(user, file);
    const { rows } = await gateway.database.query<{ due: boolean; chunks: number; memory: string }>(
      `select (select extraction_due_at is not null from conversations where user_id = $1::text) as due,
         (select count(*)::integer from document_chunks where user_id = $1::text
          and embedding_pending_since is not null) as chunks,
         (select id from memories where user_id = $1::text) as memory`,
      [user],
    );
    expect(rows[0]).toMatchObject({ due: true, chunks: 1 });
    const restored = await gateway.call('POST', `/v1/memories/${rows[0]?.memory}/restore?user_id=${user}`);
    expect(restored.body).toMatchObject({ content: 'Gone.' });
    const { body } = await gateway.call('GET', `/v1/summary?user_id=${user}`);
    expect(body).toMatchObject({ content: 'Has things.', source: 'manual' });
  });

  test('goes into another tenant, and only there', async () => {
    await store('ida', {
      talks: [],
      notes: [{ text: 'Here.', key: true, fate: 'kept' }],
      documents: [],
      summary: false,
    });
    const file = await exportOf('ida');
    const key = await gateway.makeKey({ tenant: 'elsewhere', permissions: ['admin'] });
    expect((await importOf('ida', file, key)).status).toBe(200);
    expect(rowsOf(await exportOf('ida', key))).toBe(rowsOf(file));
    const tenantId = await findTenantId(gateway.database, 'elsewhere');
    const { rows } = await gateway.database.query(
      `select distinct v.tenant_id::text as own, v.after->>'tenant_id' as said from memory_versions v
       where v.user_id = 'ida' and v.tenant_id <> $1::uuid`,
      [TENANT],
    );
    expect(rows).toEqual([{ own: tenantId, said: tenantId }]);
  });

  test.each<[string, (file: string) => string, number, RegExp]>([
    ['a changed line', (file) => file.replace('Lisbon', 'Porto'), 400, /not whole/],
    ['a cut file', (file) => file.slice(0, -20), 400, /./],
    ['another user', (file) => file.replaceAll('olga', 'olaf'), 400, /another user/],
    ['no export', () => 'hidden', 400, /not an export/],
  ])('with %s is refused as a whole', async (_what, harm, status, sentence) => {
    await store('olga', {
      talks: [[{ text: 'Lisbon.', keep: false, calls: false }]],
      notes: [{ text: 'Kept.', key: true, fate: 'kept' }],
      documents: [],
      summary: false,
    });
    const file = await exportOf('olga');
    await erase('olga');
    const refused = await importOf('olga', harm(file));
    expect([refused.status, refused.body.detail]).toEqual([status, expect.stringMatching(sentence)]);
    expect(refused.text).not.toContain('hidden');
    expect((await gateway.call('GET', '/v1/users/olga/export')).status).toBe(404);
  });

  test('does not take over what has the same id and belongs to somebody else', async () => {
    await store('paul', {
      talks: [[{ text: 'Mine.', keep: false, calls: false }]],
      notes: [],
      documents: [],
      summary: false,
    });
    const file = await exportOf('paul');
    await erase('paul');
    await gateway.call('POST', '/v1/conversations', { body: { id: 'paul 0', user_id: 'mary' } });
    const refused = await importOf('paul', file);
    expect([refused.status, refused.body.code]).toEqual([409, 'state_conflict']);
    expect((await gateway.call('GET', '/v1/users/paul/export')).status).toBe(404);
  });

  test('as Markdown is the files of a vault', async () => {
    await store('rosa', {
      talks: [],
      notes: [{ text: 'Blue.', key: false, fate: 'kept' }],
      documents: [],
      summary: false,
    });
    const answer = await gateway.call('GET', '/v1/users/rosa/export?format=markdown');
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.text).toMatch(
      /^<!-- rosa\/entries\/global\/facts\/[\dTZ-]+__[0-9a-f-]{36}\.md -->\n---\nid: [^]*user_id: rosa\n[^]*---\n\nIt is Blue\.|Blue\.\n/,
    );
  });

  test('is for administrators', async () => {
    const key = await gateway.makeKey({});
    for (const [method, path] of [
      ['GET', '/v1/users/rosa/export'],
      ['POST', '/v1/users/rosa/import'],
      ['GET', '/v1/export'],
      ['POST', '/v1/import'],
    ] as const) {
      expect([path, (await gateway.call(method, path, { key })).status]).toEqual([path, 403]);
    }
    const html = await gateway.call('POST', '/v1/import', {
      raw: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(html.status).toBe(400);
  });
});

test('a tenant goes into an empty one whole', async () => {
  const admin = await gateway.makeKey({ tenant: 'from', permissions: ['admin'] });
  for (const user_id of ['a', 'b']) {
    await gateway.call('POST', '/v1/memories', { key: admin, body: { user_id, content: `Of ${user_id}.` } });
  }
  const { text: file } = await gateway.call('GET', '/v1/export', { key: admin });
  const into = await gateway.makeKey({ tenant: 'into', permissions: ['admin'] });
  const imported = await gateway.call('POST', '/v1/import', { raw: file, headers: NDJSON, key: into });
  expect(imported.body).toEqual({ imported: { user: 2, memory: 2, memory_version: 2 }, known: {} });
  expect(rowsOf((await gateway.call('GET', '/v1/export', { key: into })).text)).toBe(rowsOf(file));
  expect((await importOf('a', file, into)).body.detail).toMatch(/whole tenant/);
});
