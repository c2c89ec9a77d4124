import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_TENANT_ID } from '@factmill/database';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

/** Stored before there was a limit for metadata. */
const OLD_METADATA = 900_000;
/** The limit of an answer, and one item more. */
const MAX_ANSWER = 4 * 1024 * 1024 + 1_100_000;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ EMBEDDING_PROVIDER: 'none' });
  for (let index = 0; index < 14; index += 1) {
    await gateway.call('POST', '/v1/memories', {
      body: { user_id: 'old', content: `Fact number ${index}.`, tier: 1 },
    });
    await gateway.call('POST', '/v1/conversations', { body: { id: `c${index}`, user_id: 'old' } });
    await gateway.call('POST', '/v1/documents', {
      body: { id: `d${index}`, user_id: 'old', content: `Text ${index}.` },
    });
    await gateway.call('POST', '/v1/extractions', {
      body: { user_id: 'old', messages: [{ role: 'user', content: `Message ${index}` }] },
    });
  }
  for (const table of ['memories', 'conversations', 'documents', 'extractions']) {
    await gateway.database.query(
      `update ${table} set metadata = jsonb_build_object('x', repeat('y', $1::integer)) where tenant_id = $2::uuid`,
      [OLD_METADATA, DEFAULT_TENANT_ID],
    );
  }
});
afterAll(async () => {
  await gateway.close();
});

/** All pages of a list: the ids in order, and the size of the largest page. */
async function readAll(path: string, query: string, idOf = (item: Record<string, unknown>) => item['id']) {
  const ids: unknown[] = [];
  let largest = 0;
  let pages = 0;
  let cursor: string | null = null;
  do {
    const position: string =
      cursor === null ? query : `cursor=${cursor}&${query.replace(/&?offset=\d+/, '')}`;
    const answer = await gateway.call('GET', `${path}?${position}`);
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, answer.text.slice(0, 200)]);
    largest = Math.max(largest, answer.text.length);
    ids.push(...answer.body.data.map(idOf));
    cursor = answer.body.next_cursor as string | null;
    pages += 1;
  } while (cursor !== null);
  return { ids, largest, pages };
}

describe('lists', () => {
  test.each([
    ['/v1/memories', 'user_id=old&limit=200', 14],
    ['/v1/memories', 'user_id=old&limit=200&offset=3', 11],
    ['/v1/memories', 'user_id=old&limit=200&sort_by=importance&order=asc', 14],
    ['/v1/conversations', 'user_id=old&limit=200', 28],
    ['/v1/documents', 'user_id=old&limit=200', 14],
    ['/v1/extractions', 'user_id=old&limit=200', 14],
  ])('%s?%s: pages are bounded in bytes, nothing is missing or twice', async (path, query, count) => {
    const { ids, largest, pages } = await readAll(path, query);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(count);
    expect(largest).toBeLessThan(MAX_ANSWER);
    expect(pages).toBeGreaterThan(1);
  });

  test('messages of a conversation', async () => {
    const message = { role: 'user', content: 'z'.repeat(190_000) };
    for (let post = 0; post < 3; post += 1) {
      const messages = Array.from({ length: 10 }, () => message);
      await gateway.call('POST', '/v1/conversations/long/messages', {
        body: { user_id: 'ada', messages, extract: 'never' },
      });
    }
    const { ids, largest, pages } = await readAll('/v1/conversations/long/messages', 'limit=500');
    expect(new Set(ids).size).toBe(30);
    expect(largest).toBeLessThan(MAX_ANSWER);
    expect(pages).toBe(2);
  });

  test('the history of a memory, and keys, come in pages too', async () => {
    const { body } = await gateway.call('POST', '/v1/memories', {
      body: { user_id: 'ada', content: 'One.' },
    });
    for (let version = 2; version <= 5; version += 1) {
      await gateway.call('PATCH', `/v1/memories/${body.id}`, { body: { content: `Version ${version}.` } });
    }
    const history = await readAll(
      `/v1/memories/${body.id}/history`,
      'user_id=ada&limit=2',
      (item) => item['number'],
    );
    expect(history).toMatchObject({ ids: [1, 2, 3, 4, 5], pages: 3 });
    for (let key = 0; key < 3; key += 1) await gateway.makeKey({ name: `page-${key}` });
    const keys = await readAll('/v1/api-keys', 'limit=2', (item) => item['name']);
    expect(keys.ids).toEqual(['page-2', 'page-1', 'page-0']);
    expect(keys.pages).toBe(2);
  });

  test('a profile is cut, and a memory of any size is readable alone', async () => {
    const profile = await gateway.call('GET', '/v1/profile?user_id=old');
    expect(profile.text.length).toBeLessThan(MAX_ANSWER);
    const { id } = profile.body.memories[0];
    expect((await gateway.call('GET', `/v1/memories/${id}`)).text.length).toBeGreaterThan(OLD_METADATA);
  });
});

describe('metadata', () => {
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) });
  test.each([
    ['/v1/memories', { content: 'x' }],
    ['/v1/conversations', {}],
    ['/v1/documents', { content: 'x' }],
    ['/v1/extractions', { messages: [{ role: 'user', content: 'x' }] }],
  ])('of %s is taken up to 64 KB', async (path, body) => {
    const post = (metadata: object) =>
      gateway.call('POST', path, { body: { ...body, user_id: 'm', metadata } });
    expect((await post(ofBytes(64 * 1024))).status).toBeLessThan(300);
    const refused = await post(ofBytes(64 * 1024 + 1));
    expect([refused.status, refused.body.code, fieldsOf(refused)]).toEqual([
      400,
      'invalid_request',
      ['metadata'],
    ]);
  });

  test('a tool call has its own limit', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: 'x'.repeat(256 * 1024) } };
    const refused = await gateway.call('POST', '/v1/conversations/t/messages', {
      body: { user_id: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [call] }] },
    });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['messages.0.tool_calls.0']]);
  });
});
