import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { profileSchema, summarySchema } from '@factmill/contracts';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

const get = (path: string, key?: string) => gateway.call('GET', path, key === undefined ? {} : { key });
const put = (body: unknown, key?: string) =>
  gateway.call('PUT', '/v1/summary', key === undefined ? { body } : { body, key });

describe('/v1/summary', () => {
  test('is empty until it is written, and holds what was put', async () => {
    const none = { content: null, source: null, updated_at: null, stale: false };
    expect(await get('/v1/summary?user_id=ada')).toMatchObject({
      status: 200,
      body: { user_id: 'ada', conversation_id: null, ...none },
    });
    const written = await put({ user_id: 'ada', content: 'Ada lives in Utrecht.' });
    expect(written).toMatchObject({
      status: 200,
      body: { user_id: 'ada', content: 'Ada lives in Utrecht.', source: 'manual', stale: false },
    });
    expect(summarySchema.parse(written.body).updated_at).not.toBeNull();
    await put({ user_id: 'ada', content: 'Ada lives in Delft.' });
    expect((await get('/v1/summary?user_id=ada')).body.content).toBe('Ada lives in Delft.');
    expect((await get('/v1/summary?user_id=eve')).body).toEqual({
      user_id: 'eve',
      conversation_id: null,
      ...none,
    });
  });

  test('of a conversation is its own, and goes with it', async () => {
    await gateway.call('POST', '/v1/conversations/c1/messages', {
      body: { user_id: 'ada', messages: [said('Blue tiles, then.')] },
    });
    expect(await put({ conversation_id: 'c1', content: 'They chose tiles.' })).toMatchObject({
      status: 200,
      body: { user_id: 'ada', conversation_id: 'c1', content: 'They chose tiles.' },
    });
    expect((await get('/v1/summary?conversation_id=c1')).body.content).toBe('They chose tiles.');
    expect((await get('/v1/summary?conversation_id=c1&user_id=eve')).status).toBe(404);
    expect((await put({ conversation_id: 'c1', user_id: 'eve', content: 'x' })).status).toBe(404);
    expect((await get('/v1/summary?conversation_id=nowhere')).status).toBe(404);
    await gateway.call('DELETE', '/v1/conversations/c1');
    const { count } = await gateway.database.one<{ count: number }>(
      `select count(*)::integer as count from summaries where conversation_id = 'c1'`,
    );
    expect(count).toBe(0);
  });

  test('of another tenant is neither read nor replaced', async () => {
    const theirs = await gateway.makeKey({ tenant: 'theirs', permissions: ['admin'] });
    await put({ user_id: 'shared', content: 'Ours.' });
    expect((await get('/v1/summary?user_id=shared', theirs)).body.content).toBeNull();
    await put({ user_id: 'shared', content: 'Theirs.' }, theirs);
    expect((await get('/v1/summary?user_id=shared')).body.content).toBe('Ours.');
    await gateway.call('POST', '/v1/conversations/c2/messages', {
      body: { user_id: 'shared', messages: [said('hello')] },
    });
    expect((await get('/v1/summary?conversation_id=c2', theirs)).status).toBe(404);
    expect((await put({ conversation_id: 'c2', content: 'x' }, theirs)).status).toBe(404);
  });

  test('needs the permission, a text and a user', async () => {
    const reader = await gateway.makeKey({ permissions: ['memory.read'] });
    expect((await get('/v1/summary?user_id=ada', reader)).status).toBe(200);
    expect((await put({ user_id: 'ada', content: 'x' }, reader)).status).toBe(403);
    expect(fieldsOf(await put({ user_id: 'ada', content: ' ' }))).toEqual(['content']);
    expect(fieldsOf(await put({ user_id: 'ada', text: 'x', content: 'x' }))).toEqual(['text']);
    expect(fieldsOf(await put({ user_id: 'ada', content: 'x'.repeat(8_001) }))).toEqual(['content']);
    const skipped = { user_id: 'unknown', content: null, skipped: { reason: 'unknown_user' } };
    expect((await get('/v1/summary?user_id=unknown')).body).toMatchObject(skipped);
    expect((await put({ user_id: 'unknown', content: 'x' })).body).toMatchObject(skipped);
  });
});

test('/v1/profile is what is in tier 1, as memories and as text', async () => {
  for (const body of [
    { content: 'Ada lives\nin Utrecht.', tier: 1 },
    { key: 'name', value: 'Ada', tier: 1, importance: 0.9 },
    { content: 'Ada likes fado.', tier: 2 },
  ]) {
    await gateway.call('POST', '/v1/memories', { body: { user_id: 'profiled', ...body } });
  }
  const { status, body } = await get('/v1/profile?user_id=profiled');
  expect(status).toBe(200);
  const profile = profileSchema.parse(body);
  expect(profile.user_id).toBe('profiled');
  expect(profile.memories.map(({ tier, key }) => [tier, key])).toEqual([
    [1, 'name'],
    [1, null],
  ]);
  expect(profile.text).toBe(`- The user's name is Ada.\n- Ada lives in Utrecht.`);
  expect((await get('/v1/profile?user_id=nobody-yet')).body).toMatchObject({ memories: [], text: '' });
  expect((await get('/v1/profile?user_id=unknown')).body).toMatchObject({
    memories: [],
    skipped: { reason: 'unknown_user' },
  });
});

test('how many memories a conversation keeps is part of its policy', async () => {
  const make = (max_entries: unknown) =>
    gateway.call('POST', '/v1/conversations', { body: { user_id: 'ada', policy: { max_entries } } });
  expect(await make(50)).toMatchObject({ status: 201, body: { policy: { max_entries: 50 } } });
  expect(fieldsOf(await make(-1))).toEqual(['policy.max_entries']);
});
