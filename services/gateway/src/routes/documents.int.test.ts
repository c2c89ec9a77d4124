import { documentSchema, documentWithContentSchema, MAX_DOCUMENT_LENGTH } from '@factmill/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
const put = (body: Record<string, unknown>, key?: string) =>
  gateway.call('POST', '/v1/documents', { body, ...(key === undefined ? {} : { key }) });
const ids = async (query: string): Promise<string[]> =>
  (await gateway.call('GET', `/v1/documents?${query}`)).body.data.map(({ id }: { id: string }) => id);

type Chunk = Readonly<{ id: string; content: string; pending: boolean; vectors: number }>;
async function chunksOf(document: string): Promise<Chunk[]> {
  const { rows } = await gateway.database.query<Chunk>(
    `select c.id, c.content, c.embedding_pending_since is not null as pending,
       (select count(*)::integer from document_chunk_embeddings e where e.chunk_id = c.id) as vectors
     from document_chunks c where c.document_id = $1::text order by c.position`,
    [document],
  );
  return rows;
}

/** As the extractor does. */
async function embedAll(document: string): Promise<void> {
  await gateway.database.query(
    `insert into embedding_models (id, dimensions) values ('m', 3) on conflict do nothing`,
  );
  await gateway.database.query(
    `with done as (
       update document_chunks set embedding_pending_since = null where document_id = $1::text returning *)
     insert into document_chunk_embeddings (chunk_id, model, tenant_id, user_id, embedding)
     select id, 'm', tenant_id, user_id, '[1,0,0]' from done`,
    [document],
  );
}

const PARAGRAPHS = Array.from(
  { length: 30 },
  (_, n) =>
    `Paragraph ${n} says where the key number ${n} is kept: in the drawer under the ${n}th window of the hall.`,
);

describe('posting', () => {
  test('a document has all its fields, comes back as it was, and is cut for the embedding model', async () => {
    const content = `${PARAGRAPHS.join('\n\n')}\n`;
    const metadata = { a: [1, { b: null }] };
    const { status, body } = await put({
      id: 'handbook',
      user_id: someone(),
      title: 'Handbook',
      content,
      metadata,
    });
    expect(status).toBe(201);
    const chunks = await chunksOf('handbook');
    expect(documentSchema.parse(body)).toMatchObject({
      id: 'handbook',
      title: 'Handbook',
      conversation_id: null,
      project: null,
      metadata,
      characters: content.length,
      chunks: chunks.length,
    });
    expect(chunks.map((chunk) => chunk.content).join('')).toBe(content);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.every((chunk) => chunk.pending)).toBe(true);
    const read = await gateway.call('GET', '/v1/documents/handbook');
    expect(documentWithContentSchema.parse(read.body)).toEqual({ ...body, content });
    expect(gateway.logged()).not.toContain('drawer');
  });

  test('the same again changes nothing; other content replaces it and keeps the vectors of what stayed', async () => {
    const user = someone();
    const document = { id: 'rules', user_id: user, content: PARAGRAPHS.join('\n\n') };
    const first = await put(document);
    await embedAll('rules');
    const before = await chunksOf('rules');
    const again = await put(document);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await chunksOf('rules')).toEqual(before);

    const titled = await put({ ...document, title: 'Rules' });
    expect(titled.body.title).toBe('Rules');
    expect(titled.body.updated_at > first.body.updated_at).toBe(true);
    expect(await chunksOf('rules')).toEqual(before);

    const changed = [...PARAGRAPHS.slice(0, 20), 'A new paragraph about the cellar and what is in it.'];
    const replaced = await put({ ...document, content: changed.join('\n\n') });
    expect(replaced.status).toBe(200);
    expect(replaced.body.created_at).toBe(first.body.created_at);
    const after = await chunksOf('rules');
    expect(after.map((chunk) => chunk.content).join('')).toBe(changed.join('\n\n'));
    const old = new Set(before.map((chunk) => chunk.content));
    for (const chunk of after)
      expect([chunk.content, chunk.vectors]).toEqual([chunk.content, old.has(chunk.content) ? 1 : 0]);
    expect(after.filter((chunk) => chunk.vectors === 1).length).toBeGreaterThan(5);
    expect(after.filter((chunk) => chunk.pending).length).toBeGreaterThan(0);
  });

  test('ten at once of one id leave one document and its chunks', async () => {
    const user = someone();
    const contents = Array.from({ length: 10 }, (_, n) => `Version ${n}. ${PARAGRAPHS.join('\n\n')}`);
    const answers = await Promise.all(contents.map((content) => put({ id: 'race', user_id: user, content })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    const { content } = (await gateway.call('GET', '/v1/documents/race')).body;
    expect(contents).toContain(content);
    expect((await chunksOf('race')).map((chunk) => chunk.content).join('')).toBe(content);
  });

  test('text in any script, of white space for the most part, or the longest there may be, is cut without loss', async () => {
    const user = someone();
    for (const content of [
      '我住在北京。'.repeat(2_000),
      `a${' \n'.repeat(50_000)}b`,
      '👩‍👩‍👧'.repeat(3_000),
      'x'.repeat(MAX_DOCUMENT_LENGTH),
    ]) {
      const { status, body } = await put({ user_id: user, content });
      expect(status).toBe(201);
      const chunks = await chunksOf(body.id);
      expect(chunks.map((chunk) => chunk.content).join('') === content).toBe(true);
      expect(chunks.every((chunk) => chunk.content.trim() !== '')).toBe(true);
    }
  });

  test('what cannot be is refused by name', async () => {
    const user_id = someone();
    for (const [body, field] of [
      [{}, 'content'],
      [{ content: '  ' }, 'content'],
      [{ content: 7 }, 'content'],
      [{ content: 'x'.repeat(MAX_DOCUMENT_LENGTH + 1) }, 'content'],
      [{ content: 'a\u0000b' }, 'content'],
      [{ content: 'text', title: '' }, 'title'],
      [{ content: 'text', id: 'a\nb' }, 'id'],
      [{ content: 'text', metadata: [] }, 'metadata'],
      [{ content: 'text', conversation_id: 'c', project: 'p' }, 'project'],
      [{ content: 'text', text: 'text' }, 'text'],
    ] as const) {
      const answer = await put({ user_id, ...body });
      expect([field, answer.status, fieldsOf(answer)]).toEqual([field, 400, [field]]);
    }
    expect(await ids(`user_id=${user_id}`)).toEqual([]);
    expect((await gateway.call('GET', '/v1/documents?limit=0')).status).toBe(400);
    expect((await gateway.call('GET', `/v1/documents?user_id=${user_id}&cursor=bogus`)).status).toBe(400);
  });

  test('a long document has all its chunks, in order', async () => {
    const content = Array.from({ length: 2_400 }, (_, n) =>
      PARAGRAPHS[n % 30]?.replace('Paragraph', `${n}.`),
    ).join('\n\n');
    const { body } = await put({ id: 'long', user_id: someone(), content });
    const chunks = await chunksOf('long');
    expect(chunks.map((chunk) => chunk.content).join('')).toBe(content);
    expect(body.chunks).toBe(chunks.length);
    expect(chunks.length).toBeGreaterThan(1_000);
    const { rows } = await gateway.database.query<{ last: number }>(
      `select max(position) as last from document_chunks where document_id = 'long'`,
    );
    expect(rows).toEqual([{ last: chunks.length - 1 }]);
  });

  test('a user has room for so many chunks, and an id belongs to one user', async () => {
    const user = someone();
    await put({ id: 'mine', user_id: user, content: 'text' });
    const taken = await put({ id: 'mine', user_id: someone(), content: 'text' });
    expect([taken.status, taken.body.code]).toEqual([409, 'document_user_mismatch']);
    await gateway.database.query(`update documents set chunk_count = 19999 where id = 'mine'`);
    expect((await put({ user_id: user, content: 'one chunk more' })).status).toBe(201);
    const full = await put({ user_id: user, content: 'and one more' });
    expect([full.status, full.body.code]).toEqual([409, 'document_limit']);
    expect((await put({ id: 'mine', user_id: user, content: 'shorter' })).status).toBe(200);
  });

  test('for the unknown user nothing is stored, and the answer says so', async () => {
    const anonymous = await gateway.call('POST', '/v1/documents', {
      body: { user_id: 'unknown', content: 'text' },
    });
    expect(anonymous).toMatchObject({ status: 200, body: { id: null, skipped: { reason: 'unknown_user' } } });
    const { body } = await gateway.call('GET', '/v1/documents?user_id=unknown');
    expect(body).toMatchObject({ data: [], skipped: { reason: 'unknown_user' } });
    const { stored } = await gateway.database.one<{ stored: number }>(
      `select count(*)::integer as stored from documents where user_id = 'unknown'`,
    );
    expect(stored).toBe(0);
  });
});

describe('attached', () => {
  test('to a conversation, which is created when missing and takes its documents along', async () => {
    const user = someone();
    await put({ id: 'of-chat', user_id: user, content: 'text', conversation_id: 'chat-a' });
    expect((await gateway.call('GET', '/v1/conversations/chat-a')).body.user_id).toBe(user);
    const later = await put({ id: 'of-chat-2', content: 'more text', conversation_id: 'chat-a' });
    expect(later.body).toMatchObject({ user_id: user, conversation_id: 'chat-a' });
    const foreign = await put({ user_id: someone(), content: 'text', conversation_id: 'chat-a' });
    expect([foreign.status, foreign.body.code]).toEqual([409, 'conversation_user_mismatch']);

    expect((await gateway.call('DELETE', '/v1/conversations/chat-a')).status).toBe(204);
    expect((await gateway.call('GET', '/v1/documents/of-chat')).status).toBe(404);
    expect(await chunksOf('of-chat')).toEqual([]);
  });

  test('to a project, and moved from one place to another', async () => {
    const user = someone();
    await put({ id: 'moving', user_id: user, content: 'text', project: 'tower' });
    expect(await ids(`user_id=${user}&project=tower`)).toEqual(['moving']);
    await put({ id: 'moving', user_id: user, content: 'text', conversation_id: 'chat-b' });
    expect(await ids(`user_id=${user}&project=tower`)).toEqual([]);
    expect(await ids(`user_id=${user}&conversation_id=chat-b`)).toEqual(['moving']);
    expect((await put({ id: 'moving', user_id: user, content: 'text' })).body.conversation_id).toBeNull();
  });
});

test('lists are paged, newest first, without text', async () => {
  const user = someone();
  for (let n = 0; n < 5; n += 1) await put({ id: `list-${n}`, user_id: user, content: `text ${n}` });
  const pages: string[][] = [];
  let cursor = '';
  do {
    const { body } = await gateway.call('GET', `/v1/documents?user_id=${user}&limit=2${cursor}`);
    pages.push(body.data.map((one: { id: string }) => one.id));
    expect(JSON.stringify(body.data)).not.toContain('content');
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  expect(pages).toEqual([['list-4', 'list-3'], ['list-2', 'list-1'], ['list-0']]);
});

test('deleting takes chunks and vectors along, once', async () => {
  await put({ id: 'gone', user_id: someone(), content: PARAGRAPHS.join('\n\n') });
  await embedAll('gone');
  expect((await gateway.call('DELETE', '/v1/documents/gone?user_id=somebody-else')).status).toBe(404);
  expect((await gateway.call('DELETE', '/v1/documents/gone')).status).toBe(204);
  expect(await chunksOf('gone')).toEqual([]);
  expect((await gateway.call('DELETE', '/v1/documents/gone')).status).toBe(404);
});

test('another tenant sees nothing of it, and may use the same id; each call needs its permission', async () => {
  const theirs = await gateway.makeKey({ tenant: 'theirs' });
  const reader = await gateway.makeKey({ permissions: ['memory.read'] });
  const writer = await gateway.makeKey({ permissions: ['memory.write'] });
  const user = someone();
  await put({ id: 'shared-name', user_id: user, content: 'ours', conversation_id: 'shared-chat' });
  for (const [method, path] of [
    ['GET', '/v1/documents/shared-name'],
    ['DELETE', '/v1/documents/shared-name'],
  ] as const) {
    expect((await gateway.call(method, path, { key: theirs })).status).toBe(404);
  }
  expect((await gateway.call('GET', `/v1/documents?user_id=${user}`, { key: theirs })).body.data).toEqual([]);
  const own = await put(
    { id: 'shared-name', user_id: user, content: 'theirs', conversation_id: 'shared-chat' },
    theirs,
  );
  expect(own.status).toBe(201);
  expect((await gateway.call('GET', '/v1/documents/shared-name')).body.content).toBe('ours');

  expect((await put({ user_id: user, content: 'text' }, reader)).status).toBe(403);
  expect((await gateway.call('DELETE', '/v1/documents/shared-name', { key: reader })).status).toBe(403);
  expect((await gateway.call('GET', '/v1/documents/shared-name', { key: writer })).status).toBe(403);
  expect((await gateway.call('GET', '/v1/documents', { key: null })).status).toBe(401);
});
