import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import { generateApiKey } from '@factmill/auth';
import { DEFAULT_TENANT_ID, insertApiKey } from '@factmill/database';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';
import { answerJson, startUpstream, type UpstreamUnderTest } from './upstream.fixture.ts';

let upstream: UpstreamUnderTest;
let retrieval: UpstreamUnderTest;
let answer: object;
let user: string;
let number = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  retrieval = await startUpstream();
  retrieval.answerWith((_request, response) => answerJson(response, answer));
});
afterAll(async () => {
  await upstream.close();
  await retrieval.close();
});
beforeEach(() => {
  number += 1;
  user = `user-${number}`;
  retrieval.received.length = 0;
  answer = { blocks: [], memories: [] };
});

/** What was asked of retrieval. */
const contexts = () => retrieval.received.map((request) => request.json());
const QUESTION = { role: 'user', content: 'Where do I live?' };

async function withGateway<T>(
  environment: Readonly<Record<string, string>>,
  work: (gateway: GatewayUnderTest) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway({
    CHAT_BASE_URL: upstream.url,
    CHAT_MEMORY: 'true',
    RETRIEVAL_URL: retrieval.origin,
    // On a busy machine retrieval answers late.
    CHAT_MEMORY_TIMEOUT_MS: '30000',
    ...environment,
  });
  return work(gateway).finally(() => gateway.close());
}

const chat = (gateway: GatewayUnderTest, more: object = {}, key?: string) =>
  gateway.call('POST', '/v1/chat/completions', {
    body: { model: 'm', user, messages: [QUESTION], ...more },
    ...(key === undefined ? {} : { key }),
  });

/** The policies of the user's conversations, once there is one. */
const policies = (gateway: GatewayUnderTest) =>
  waitFor(
    async () => {
      const { rows } = await gateway.database.query<{ id: string; policy: object }>(
        'select id, policy from conversations where user_id = $1 order by id',
        [user],
      );
      return rows.length > 0 && rows;
    },
    { describe: 'the conversation' },
  );

describe('what is remembered', () => {
  const messages = [{ role: 'system', content: 'Be brief.' }, QUESTION];

  test.each([
    ['message', [messages[0], { role: 'user', content: 'TEXT' }]],
    ['postfix', [messages[0], { role: 'user', content: 'Where do I live?\nTEXT' }]],
    ['system', [messages[0], { role: 'system', content: 'TEXT' }, QUESTION]],
  ])('goes to its place: %s', async (place, expected) => {
    answer = { blocks: [{ place, text: 'TEXT' }], memories: [] };
    await withGateway({}, (gateway) => chat(gateway, { messages }));
    expect(upstream.received.at(-1)?.json()['messages']).toEqual(expected);
  });

  test('goes to two places', async () => {
    answer = {
      blocks: [
        { place: 'system', text: 'PROFILE' },
        { place: 'message', text: 'KNOWLEDGE' },
      ],
    };
    await withGateway({}, (gateway) => chat(gateway));
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([
      { role: 'system', content: 'PROFILE' },
      { role: 'user', content: 'KNOWLEDGE' },
    ]);
  });

  test.each([
    ['facts', [{ role: 'user', content: 'Where do I live?\nTEXT' }]],
    ['section', [{ role: 'system', content: 'TEXT' }, QUESTION]],
    ['summary', [{ role: 'system', content: 'TEXT' }, QUESTION]],
    ['augmented', [{ role: 'user', content: 'TEXT' }]],
  ])('is written as CHAT_CONTEXT_FORMAT says: %s', async (format, expected) => {
    answer = { text: 'TEXT', memories: [] };
    await withGateway({ CHAT_CONTEXT_FORMAT: format }, (gateway) => chat(gateway));
    expect(contexts()).toMatchObject([{ format }]);
    expect(upstream.received.at(-1)?.json()['messages']).toEqual(expected);
  });

  test('the answer says what was not applied', async () => {
    answer = { blocks: [], memories: [], degraded: 'min_relevance_ignored' };
    const { headers } = await withGateway({}, (gateway) => chat(gateway));
    expect(headers.get('x-factmill-degraded')).toBe('min_relevance_ignored');
  });
});

describe('the preset of a chat', () => {
  const presets = () => contexts().map(({ preset }) => preset);

  test('is that of the deployment, unless the upstream has one; a conversation keeps that', async () => {
    const more = [
      { name: 'other', base_url: upstream.url, models: ['other'], memory: true, preset: 'single-fact' },
    ];
    await withGateway({ PRESET: 'tiered', CHAT_UPSTREAMS: JSON.stringify(more) }, async (gateway) => {
      await chat(gateway);
      expect(await policies(gateway)).toMatchObject([{ policy: {} }]);
      await chat(gateway, { model: 'other', memory_id: `other-${number}` });
      await waitFor(async () => (await policies(gateway)).length === 2, { describe: 'both conversations' });
      expect(await policies(gateway)).toContainEqual({
        id: `other-${number}`,
        policy: { preset: 'single-fact' },
      });
      await chat(gateway, { memory_id: `other-${number}` });
    });
    expect(presets()).toEqual(['tiered', 'single-fact', 'single-fact']);
  });

  test('CHAT_PRESET is that of the first upstream', async () => {
    await withGateway({ PRESET: 'tiered', CHAT_PRESET: 'categorised' }, (gateway) => chat(gateway));
    expect(presets()).toEqual(['categorised']);
  });

  test('an API key has one before the upstream, a conversation before both', async () => {
    await withGateway({ CHAT_PRESET: 'categorised' }, async (gateway) => {
      const { id, key, secretSha256 } = generateApiKey();
      await insertApiKey(gateway.database, {
        id,
        tenantId: DEFAULT_TENANT_ID,
        secretSha256,
        name: 'tiered',
        permissions: ['chat', 'memory.read', 'memory.write'],
        userId: null,
        expiresAt: null,
        preset: 'tiered',
      });
      await chat(gateway, {}, key);
      const policy = { preset: 'single-fact' };
      await gateway.call('POST', '/v1/conversations', {
        body: { id: `own-${number}`, user_id: user, policy },
      });
      await chat(gateway, { memory_id: `own-${number}` }, key);
    });
    expect(presets()).toEqual(['tiered', 'single-fact']);
  });

  test('after them that of the user counts, then that of the tenant', async () => {
    await withGateway({ PRESET: 'standard' }, async (gateway) => {
      const ofUser = 'insert into users (tenant_id, user_id, preset) values ($1::uuid, $2::text, $3::text)';
      await gateway.database.query(ofUser, [DEFAULT_TENANT_ID, user, 'tiered']);
      await gateway.database.query(`update tenants set default_preset = 'categorised'`);
      await chat(gateway);
      await chat(gateway, { user: `${user}-other` });
      // What is not the conversation's own may change later, so that it keeps none of it.
      expect(await policies(gateway)).toMatchObject([{ policy: {} }]);
    });
    expect(presets()).toEqual(['tiered', 'categorised']);
  });

  test('a user whose memory is off gets nothing, and nothing of theirs is stored', async () => {
    answer = { blocks: [{ place: 'system', text: 'TEXT' }], memories: [] };
    await withGateway({}, async (gateway) => {
      const off = 'insert into users (tenant_id, user_id, memory) values ($1::uuid, $2::text, false)';
      await gateway.database.query(off, [DEFAULT_TENANT_ID, user]);
      const { headers } = await chat(gateway, { memory_id: `off-${number}` });
      expect(headers.get('x-factmill-memory')).toBe('off');
      const { count } = await gateway.database.one<{ count: number }>(
        'select count(*)::integer as count from messages',
      );
      expect(count).toBe(0);
    });
    expect(contexts()).toEqual([]);
    expect(upstream.received.at(-1)?.json()['messages']).toEqual([QUESTION]);
  });

  test('says whether turns compete', async () => {
    const ask = async (PRESET: string) => {
      await withGateway({ PRESET }, (gateway) => chat(gateway, { memory_id: `turns-${PRESET}-${number}` }));
      return contexts().at(-1)?.['include_turns'];
    };
    expect(await ask('standard')).toBe(true);
    expect(await ask('facts-and-context')).toBeUndefined();
  });
});

describe('where conversations keep what they know to themselves', () => {
  const off = { PRESET: 'reconciled', CHAT_MEMORY: '' };

  test('memory is on, and a chat that names no conversation belongs to `default`', async () => {
    await withGateway(off, async (gateway) => {
      expect((await chat(gateway)).headers.get('x-factmill-memory')).toBe('on');
      expect((await policies(gateway)).map(({ id }) => id)).toEqual(['default']);
    });
    expect(contexts()).toMatchObject([{ conversation_id: 'default', include_turns: true }]);
  });

  test('CHAT_MEMORY=false turns it off', async () => {
    await withGateway({ ...off, CHAT_MEMORY: 'false' }, async (gateway) => {
      expect((await chat(gateway)).headers.get('x-factmill-memory')).toBe('off');
    });
  });

  test('a chat without any user belongs to the user `default`; one of the unknown user has no memory', async () => {
    await withGateway({ ...off, AUTH: 'none' }, async (gateway) => {
      const ask = (more: object) => chat(gateway, more, 'foreign');
      expect((await ask({ user: undefined })).headers.get('x-factmill-memory')).toBe('on');
      const unknown = await ask({ user: 'unknown', memory_id: 'zz' });
      expect(unknown.headers.get('x-factmill-memory')).toBe('unknown_user');
    });
    expect(contexts().map(({ user_id }) => user_id)).toEqual(['default']);
  });
});
