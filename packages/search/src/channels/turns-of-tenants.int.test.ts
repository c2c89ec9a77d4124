import { randomUUID } from 'node:crypto';
import { createPool, DEFAULT_TENANT_ID, migrate, registerEmbeddingModel } from '@factmill/database';
import { presets } from '@factmill/extraction';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { findTurnParts, type TurnTarget } from './turn-parts.ts';
import { findUnindexedTurns } from './unindexed-turns.ts';

/** Two tenants whose user and conversation have the same names; only `THEIRS` has said something. */
const { database } = await openTestDatabase({ createPool, migrate });
const THEIRS = '00000000-0000-7000-8000-00000000bbbb';
const VECTOR = [1, 0, 0];

beforeAll(async () => {
  await registerEmbeddingModel(database, 'small', 3);
  await database.query(`insert into tenants (id, name) values ($1::uuid, 'theirs')`, [THEIRS]);
  for (const [tenant, content] of [
    [DEFAULT_TENANT_ID, null],
    [THEIRS, 'The heron has caught a carp.'],
  ] as const) {
    await database.query(
      `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq, indexed_seq)
       values ($1::uuid, 'chat', 'ada', 2, 1, 1)`,
      [tenant],
    );
    if (content === null) continue;
    await database.query(
      `insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       select $1::uuid, 'chat', seq, 'm' || seq, 'user', $2::text, 5, now() from generate_series(1, 2) as seq`,
      [tenant, content],
    );
    await database.query(
      `with part as (
         insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content)
         values ($2::uuid, $1::uuid, 'ada', 'chat', 1, 0, $3::text) returning id, tenant_id, user_id
       )
       insert into turn_part_embeddings (part_id, model, tenant_id, user_id, embedding)
       select id, 'small', tenant_id, user_id, '[1,0,0]'::halfvec from part`,
      [tenant, randomUUID(), content],
    );
  }
});

const target = (tenantId: string) => ({
  tenantId,
  userId: 'ada',
  conversationIds: null,
  withPending: true,
  project: null,
  visibleToConversations: null,
  until: null,
  limit: 5,
});
const near = (of: TurnTarget & { userId: string }) =>
  findTurnParts(database, of, {
    vector: {
      ...of,
      filters: {},
      visibleToConversation: '',
      model: 'small',
      dimensions: 3,
      vector: VECTOR,
      minSimilarity: 0.5,
    },
    terms: [],
    memoryIds: [],
  });
const withWords = (of: TurnTarget) =>
  findTurnParts(database, of, { vector: null, terms: ['heron'], memoryIds: [] });

test.each<[string, (of: TurnTarget & { userId: string }) => Promise<unknown[]>]>([
  ['by meaning', (of) => near(of)],
  ['by meaning, of one conversation', (of) => near({ ...of, conversationIds: ['chat'] })],
  ['by words', (of) => withWords(of)],
  ['by words, of all users', (of) => withWords({ ...of, userId: null })],
  [
    'before they are indexed',
    (of) => findUnindexedTurns(database, { ...of, pendingOnly: false }, ['heron'], []),
  ],
])('turns of another tenant are not found: %s', async (_how, find) => {
  expect(await find(target(THEIRS))).toHaveLength(1);
  expect(await find(target(DEFAULT_TENANT_ID))).toEqual([]);
});

test.each([...presets.values()])(
  'what is said with the preset $name is visible to other conversations where its memories are: those of a $memoryScope',
  async ({ name, memoryScope }) => {
    await database.query(
      `update conversations set policy = jsonb_build_object('preset', $2::text) where tenant_id = $1::uuid`,
      [THEIRS, name],
    );
    const visibleTo = (conversation: string) =>
      findUnindexedTurns(
        database,
        { ...target(THEIRS), visibleToConversations: [conversation], pendingOnly: false },
        ['heron'],
        [],
      );
    expect(await visibleTo('chat')).toHaveLength(1);
    expect(await visibleTo('another')).toHaveLength(memoryScope === 'user' ? 1 : 0);
  },
);
