import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ PRESET: 'facts-and-context' });
});
afterAll(async () => {
  await gateway.close();
});

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, body === undefined ? {} : { body });

async function begin(policy?: unknown): Promise<string> {
  const { status, body } = await call('POST', '/v1/conversations', { user_id: 'ada', policy });
  expect(status).toBe(201);
  return body.id as string;
}

const say = async (id: string, count: number, more: object = {}) =>
  (
    await call('POST', `/v1/conversations/${id}/messages`, {
      user_id: 'ada',
      messages: Array.from({ length: count }, (_, n) => said(`I like book ${n}.`)),
      ...more,
    })
  ).body;

describe('a policy (A3, A4)', () => {
  test('is kept, shown, listed, and decides when messages are extracted', async () => {
    // Without the daily flush: the test may run at any hour.
    const policy = { min_turns: 3, quiet_gap_s: 0, idle_timeout_s: 60, daily_flush: false };
    const id = await begin(policy);
    expect((await say(id, 2)).extraction).toBeNull();
    const shown = (await call('GET', `/v1/conversations/${id}`)).body;
    expect(shown).toMatchObject({ policy, message_count: 2 });
    const inMs = Date.parse(shown.extraction_due_at as string) - Date.now();
    expect(inMs).toBeGreaterThan(30_000);
    expect(inMs).toBeLessThanOrEqual(60_000);
    expect((await say(id, 1)).extraction).toMatchObject({ state: 'pending' });
    const listed = (await call('GET', '/v1/conversations?user_id=ada')).body.data as { id: string }[];
    expect(listed.find((conversation) => conversation.id === id)).toMatchObject({
      policy,
      extraction_due_at: null,
    });
  });

  test('of a conversation that is there stays as it is until it is patched', async () => {
    const id = await begin({ min_turns: 9 });
    const again = await call('POST', '/v1/conversations', {
      id,
      user_id: 'ada',
      title: 'Another',
      policy: { min_turns: 1 },
    });
    expect(again).toMatchObject({ status: 200, body: { id, title: null, policy: { min_turns: 9 } } });
    const patched = await call('PATCH', `/v1/conversations/${id}`, {
      title: 'Books',
      project: 'reading',
      policy: { preset: 'tiered', quiet_gap_s: 5 },
      metadata: { a: 1 },
    });
    expect(patched).toMatchObject({
      status: 200,
      body: {
        title: 'Books',
        project: 'reading',
        policy: { preset: 'tiered', quiet_gap_s: 5 },
        metadata: { a: 1 },
      },
    });
    const cleared = await call('PATCH', `/v1/conversations/${id}`, { title: null });
    expect(cleared.body).toMatchObject({ title: null, project: 'reading', policy: { preset: 'tiered' } });
  });

  test.each([
    [{ min_turns: -1 }, 'policy.min_turns'],
    [{ quiet_gap_s: 1.5 }, 'policy.quiet_gap_s'],
    [{ scope: 'everything' }, 'policy.scope'],
    [{ preset: 'none' }, 'policy.preset'],
    [{ colour: 'red' }, 'policy.colour'],
  ])('%j is refused', async (policy, field) => {
    for (const answer of [
      await call('POST', '/v1/conversations', { user_id: 'ada', policy }),
      await call('PATCH', `/v1/conversations/${await begin()}`, { policy }),
    ]) {
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toContain(field);
    }
  });

  test('cannot be changed by another user, nor for a missing conversation', async () => {
    const id = await begin();
    expect(await call('PATCH', `/v1/conversations/${id}`, { user_id: 'bob', title: 'x' })).toMatchObject({
      status: 404,
    });
    expect(await call('PATCH', `/v1/conversations/${randomUUID()}`, { title: 'x' })).toMatchObject({
      status: 404,
    });
  });
});

describe('the preset of an extraction', () => {
  test('is the request’s, else the conversation’s, else the deployment’s', async () => {
    const presetOf = async (id: string) => (await call('GET', `/v1/extractions/${id}`)).body.preset as string;
    const plain = await say(await begin(), 1, { extract: 'now' });
    expect(await presetOf(plain.extraction.id)).toBe('facts-and-context');
    const own = await begin({ preset: 'categorised' });
    expect(await presetOf((await say(own, 1, { extract: 'now' })).extraction.id)).toBe('categorised');
    const { body } = await call('POST', '/v1/extractions', {
      user_id: 'ada',
      conversation_id: own,
      preset: 'standard',
      messages: [said('I like maps.')],
    });
    expect(await presetOf(body.id as string)).toBe('standard');
  });
});

describe('more than max_turns in one go (A4)', () => {
  test('is named whole in the answer, by either call, and again when it is repeated', async () => {
    const id = await begin({ max_turns: 2 });
    const { extraction } = await say(id, 5, { extract: 'now' });
    expect(extraction.part_ids).toHaveLength(3);
    expect(extraction.part_ids.at(-1)).toBe(extraction.id);
    expect(
      await gateway.queues.missing(
        'extract',
        (extraction.part_ids as string[]).map((part) => `${part}_0`),
      ),
    ).toEqual([]);
    const request = {
      headers: { 'idempotency-key': randomUUID() },
      body: {
        user_id: 'ada',
        conversation_id: id,
        messages: Array.from({ length: 3 }, (_, n) => said(`I own map ${n}.`)),
      },
    };
    const first = await gateway.call('POST', '/v1/extractions', request);
    expect(first.body.part_ids).toEqual([expect.any(String), first.body.id]);
    expect((await gateway.call('POST', '/v1/extractions', request)).body).toEqual(first.body);
  });

  test('is not mentioned when there is one', async () => {
    expect((await say(await begin({ max_turns: 2 }), 2, { extract: 'now' })).extraction).not.toHaveProperty(
      'part_ids',
    );
  });
});
