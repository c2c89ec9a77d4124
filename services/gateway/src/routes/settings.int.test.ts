import { settingSchema } from '@factmill/contracts';
import { readSettings } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startUpstream, type UpstreamUnderTest } from '../chat/upstream.fixture.ts';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let upstream: UpstreamUnderTest;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    CHAT_BASE_URL: upstream.url,
    QUEUE_LIMIT: '9',
    RETRIEVAL_URL: 'http://127.0.0.1:1',
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function inForce(): Promise<Record<string, string>> {
  const { body } = await gateway.call('GET', '/v1/settings');
  const settings = settingSchema.array().parse(body.data);
  return Object.fromEntries(settings.map(({ key, value, source }) => [key, `${value} ${source}`]));
}

describe('settings of run time', () => {
  test('are listed with their origin, changed, and given back', async () => {
    expect(await inForce()).toMatchObject({
      'queue.limit': '9 environment',
      'extraction.enabled': 'true environment',
      'chat.memory.default': 'of-preset environment',
    });
    const set = await gateway.call('PUT', '/v1/settings/queue.limit', { body: { value: 60 } });
    expect([set.status, set.body]).toEqual([
      200,
      { key: 'queue.limit', value: 60, source: 'run_time', rule: 'a whole number from 0 to 999999999' },
    ]);
    expect(await inForce()).toMatchObject({ 'queue.limit': '60 run_time' });
    expect(await readSettings(gateway.database)).toEqual({ 'queue.limit': 60 });
    const unset = await gateway.call('DELETE', '/v1/settings/queue.limit');
    expect([unset.status, unset.body]).toEqual([
      200,
      expect.objectContaining({ value: 9, source: 'environment' }),
    ]);
    expect(await readSettings(gateway.database)).toEqual({});
  });

  test.each([
    ['PUT', '/v1/settings/queue.limit', { value: 'many' }, 400, ['value']],
    ['PUT', '/v1/settings/queue.limit', { value: 1, more: 2 }, 400, ['more']],
    ['PUT', '/v1/settings/chat.memory.other', { value: true }, 404, []],
    ['DELETE', '/v1/settings/constructor', undefined, 404, []],
  ])('%s %s with %j is refused', async (method, path, body, status, fields) => {
    const answer = await gateway.call(method, path, { body });
    expect([answer.status, fieldsOf(answer)]).toEqual([status, fields]);
    expect(await readSettings(gateway.database)).toEqual({});
  });

  test('belong to operators: an administrator of a tenant neither reads nor changes them', async () => {
    const key = await gateway.makeKey({ permissions: ['admin'] });
    const answers = await Promise.all([
      gateway.call('GET', '/v1/settings', { key }),
      gateway.call('PUT', '/v1/settings/queue.limit', { key, body: { value: 1 } }),
      gateway.call('DELETE', '/v1/settings/queue.limit', { key }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await readSettings(gateway.database)).toEqual({});
  });
});

describe('the memory flag of a chat upstream (A22)', () => {
  const messages = [{ role: 'user', content: 'I live in Lisbon.' }];
  const chat = () =>
    gateway.call('POST', '/v1/chat/completions', { body: { model: 'm', user: 'maya', messages } });
  const untilMemoryIs = (state: string) =>
    waitFor(async () => (await chat()).headers.get('x-factmill-memory') === state, {
      describe: `memory to be ${state}`,
    });
  const turns = async () =>
    (await gateway.database.query(`select from conversations where user_id = 'maya'`)).rowCount;

  test('is turned on and off while the gateway runs, for chats and in /health', async () => {
    const before = await chat();
    expect(before.headers.get('x-factmill-memory')).toBe('off');
    expect(await turns()).toBe(0);
    await gateway.call('PUT', '/v1/settings/chat.memory.default', { body: { value: true } });
    // There is no retrieval service here: memory is on, and says that it found nothing.
    await untilMemoryIs('degraded');
    await waitFor(async () => (await turns()) > 0, { describe: 'the turn to be stored' });
    expect((await gateway.call('GET', '/health')).body.chat).toEqual([{ name: 'default', memory: true }]);
    await gateway.call('DELETE', '/v1/settings/chat.memory.default');
    await untilMemoryIs('off');
  });
});
