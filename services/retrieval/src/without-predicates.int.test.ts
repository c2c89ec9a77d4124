import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DatabasePool, DEFAULT_TENANT_ID, replaceSummary } from '@factmill/database';
import { waitFor, withoutPredicates } from '@factmill/testkit';
import { isDeepStrictEqual } from 'node:util';
import type { Retrieval } from './create-retrieval.ts';
import { createKey, openRetrievalUnderTest } from './retrieval.fixture.ts';

// The service with the predicate forgotten in every statement: what keeps tenants apart is the policies alone. The same
// service as the owner of the tables, to whom no policy applies, shows that nothing else does.

const THEIRS = '00000000-0000-7000-8000-00000000bbbb';
const CANARY = 'quillabert';
const QUERY = 'What was the bird in the garden called on 16 May 2023?';

let under: Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let service: Retrieval;
let unprotected: Retrieval;
const keys = { ours: '', theirs: '' };
/** What each service has asked the database. */
const asked = { service: new Set<string>(), unprotected: new Set<string>() };

beforeAll(async () => {
  under = await openRetrievalUnderTest();
  const { database } = under;
  await database.query(`insert into tenants (id, name) values ($1::uuid, 'theirs')`, [THEIRS]);
  for (const [name, id] of [
    ['ours', DEFAULT_TENANT_ID],
    ['theirs', THEIRS],
  ] as const) {
    keys[name] = await createKey(database, name, ['memory.read', 'memory.read_all'], id);
  }
  // The same user and the same conversation are in both tenants.
  const bird = { kind: 'fact', key: 'bird', value: CANARY, project: 'garden' } as const;
  await under.remember('ada', [
    {
      ...bird,
      content: `The bird in the garden was called ${CANARY} on 16 May 2023.`,
      statedAt: new Date('2023-05-16'),
    },
    { content: `The bird in the garden, ${CANARY}, was a heron.`, tier: 1 },
  ]);
  await under.remember('ada', [{ tenantId: THEIRS, content: 'The garden has a pond.' }]);
  await under.say('ada', 'chat', [{ id: 'm1', role: 'user', content: `We called the bird ${CANARY}.` }]);
  await database.query(
    `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq) values ($1::uuid, 'own', 'ada', 0, 0)`,
    [THEIRS],
  );
  const narrative = { content: `Has a bird called ${CANARY}.`, actor: 'test' };
  for (const conversationId of [null, 'chat']) {
    const owner = { tenantId: DEFAULT_TENANT_ID, userId: 'ada', conversationId };
    await replaceSummary(database, owner, narrative);
  }
  const start = (name: keyof typeof asked, pool: DatabasePool) =>
    under.start(
      { AUTH: 'required' },
      { pool: withoutPredicates(pool, (statement) => asked[name].add(statement)) },
    );
  service = await start('service', under.serving);
  unprotected = await start('unprotected', database);
});
afterAll(() => under.close());

type Name = keyof typeof keys;
type Path = readonly [path: string, body: Readonly<Record<string, unknown>>];

const SEARCHES: readonly Readonly<Record<string, unknown>>[] = [
  ...['fused', 'enhanced', 'classic', 'vector'].map((mode) => ({ mode })),
  ...['vector', 'text', 'trigram', 'key', 'project', 'recent'].map((channel) => ({ channels: [channel] })),
  { include_turns: true, include_pending: true, fill: true, limit: 200 },
  { scopes: ['chat', 'global'], include_turns: true },
  { as_of: '2100-01-01T00:00:00Z' },
  { filters: { project: 'garden' } },
  { filters: { conversation_id: 'chat' }, include_turns: true },
];
const CONTEXTS = [
  ...['facts', 'section', 'summary', 'augmented', 'preset'].map((format) => ({ format })),
  { format: 'augmented', conversation_id: 'chat', preset: 'tiered' },
];
const PATHS: readonly Path[] = [
  ...SEARCHES.flatMap((search): Path[] => [
    ['/v1/memories/search', { query: QUERY, user_id: 'ada', ...search }],
    ['/v1/memories/search', { query: QUERY, all_users: true, ...search }],
  ]),
  // Dates are looked for among what one user has.
  ['/v1/memories/search', { query: QUERY, user_id: 'ada', channels: ['date'] }],
  ...CONTEXTS.map((context): Path => ['/v1/context', { query: QUERY, user_id: 'ada', ...context }]),
];

async function answerOf({ url }: Retrieval, [path, body]: Path, name: Name): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[name]}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect([path, body, response.status, text]).toEqual([path, body, 200, text]);
  return text;
}

/** What ask functions that run as the owner of the tables, which look at the tenant themselves. */
const GUARDED = [
  { all_users: true, channels: ['text'] },
  { all_users: true, channels: ['trigram'] },
  { all_users: true, filters: { conversation_id: 'chat' }, include_turns: true },
  { user_id: 'ada', channels: ['date'] },
].map((body) => ({ query: QUERY, ...body }));

test.each(PATHS)('%s %j: nothing of another tenant', async (...path) => {
  expect(await answerOf(service, path, 'ours')).toContain(CANARY);
  expect(await answerOf(service, path, 'theirs')).not.toContain(CANARY);
  const isGuarded = GUARDED.some((body) => isDeepStrictEqual(body, path[1]));
  expect((await answerOf(unprotected, path, 'theirs')).includes(CANARY)).toBe(!isGuarded);
});

describe('from the index of a user in the memory of the process', () => {
  const FUSED: Path = ['/v1/memories/search', { query: QUERY, user_id: 'ada' }];

  /** An answer that was made with it. */
  const fromIndex = (name: keyof typeof asked, from: Retrieval) =>
    waitFor(
      async () => {
        asked[name].clear();
        const answer = await answerOf(from, FUSED, 'theirs');
        return [...asked[name]].some((text) => text.includes('delta as materialized')) && answer;
      },
      { describe: 'the index to be loaded' },
    );

  test('nothing of another tenant, loaded or written since', async () => {
    expect(await fromIndex('service', service)).not.toContain(CANARY);
    expect(await fromIndex('unprotected', unprotected)).toContain(CANARY);
    await under.remember('ada', ['The new bird in the garden is called pendragora.']);
    expect(await answerOf(service, FUSED, 'ours')).toContain('pendragora');
    expect(await fromIndex('service', service)).not.toContain('pendragora');
    expect(await fromIndex('unprotected', unprotected)).toContain('pendragora');
  });
});

test('no statement asks for a tenant by itself', () => {
  for (const statements of Object.values(asked)) {
    expect([...statements].filter((text) => /tenant_id = \$/.test(text))).toEqual([]);
  }
});
