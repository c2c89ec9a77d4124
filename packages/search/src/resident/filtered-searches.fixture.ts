import { type DatabasePool, DEFAULT_TENANT_ID } from '@factmill/database';
import { expect } from '@jest/globals';
import { searchByFullText } from '../channels/by-full-text.ts';
import { searchExactly } from '../channels/by-vector.ts';
import { DIMENSIONS, vectorOf } from './resident.fixture.ts';
import { ann, type Asked, type Open } from './resident-searches.fixture.ts';

export const LEARNED_IN_C1 = '00000000-0000-7000-8000-00000000cccc';

/**
 * Gives Ann's memories different values by their numbers. The conversation `c1` has some of its own, and some were
 * learned in it.
 */
export async function varyMemories(pool: DatabasePool): Promise<void> {
  await pool.query(
    `insert into conversations (tenant_id, id, user_id) values ($1::uuid, 'c1', 'ann') on conflict do nothing`,
    [DEFAULT_TENANT_ID],
  );
  await pool.query(
    `insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, state, trigger, preset)
     values ($1::uuid, $2::uuid, 'ann', 'c1', 1, 1, 'done', 'request', 'standard') on conflict do nothing`,
    [LEARNED_IN_C1, DEFAULT_TENANT_ID],
  );
  await pool.query(
    `update memories m set tier = 1 + n % 3, kind = case n % 4 when 0 then 'fact' when 1 then 'qa' else 'note' end,
       category = case when n % 6 = 0 then 'home' else 'general' end,
       tags = array_remove(array[case when n % 2 = 0 then 'even' end, case when n % 300 = 16 then 'rare' end], null),
       project = case when n % 9 = 0 then 'Apollo' end,
       scope = case when n % 11 = 0 then 'conversation' else 'global' end,
       conversation_id = case n % 33 when 0 then 'c1' when 11 then 'c2' when 22 then 'c3' else '' end,
       extraction_id = case when n % 13 = 0 then $1::uuid end
     from (select id, substring(content from 'number([0-9]+)')::integer as n from memories where user_id = 'ann') as o
     where o.id = m.id`,
    [LEARNED_IN_C1],
  );
}

/** Filters and scopes of all kinds; some leave many of the memories, some few, one none. */
export const FILTERED: readonly Asked[] = [
  { filters: { tags: ['even'] } },
  { filters: { tags: ['rare', 'even'] } },
  { filters: { tags: ['unheard'] } },
  { filters: { kinds: ['fact', 'qa'] } },
  { filters: { categories: ['home'] } },
  { filters: { tiers: [1, 3], tags: ['even'] } },
  { filters: { project: 'Apollo' } },
  { filters: { conversation_id: 'c1' } },
  { scope: { conversationId: 'c1' } },
  { scope: 'global' },
  { scope: 'global', filters: { tags: ['rare'] } },
  { visibleToConversation: 'c1' },
  { visibleToConversation: '' },
];

/**
 * What an index finds is what the statements for everyone else find.
 *
 * @param scores false once something was written: document frequencies are a little out of date then, and with them the
 *   order by terms
 */
export async function expectSameFiltered(
  pool: DatabasePool,
  open: Open,
  asked: Asked,
  { scores = true } = {},
): Promise<void> {
  const target = { ...ann, filters: {}, ...asked };
  for (const terms of [
    ['red', 'number7'],
    ['house', 'vienna', 'unheard'],
  ]) {
    const limit = 1_000;
    const expected = await searchByFullText(pool, { ...target, terms, query: terms.join(' '), limit });
    const given = await open(pool, { ...asked, terms, limit }).fullText();
    const idsOf = (rows: readonly { id: string }[]) => {
      const ids = rows.map(({ id }) => id);
      return scores ? ids : ids.toSorted();
    };
    expect(idsOf(given.rows)).toEqual(idsOf(expected.rows));
    expect(given.unknownTerms).toEqual(expected.unknownTerms);
  }
  for (const n of [3, 8]) {
    const [vector, limit] = [vectorOf(n, 0.1), 40];
    const exact = { ...target, model: 'signed', dimensions: DIMENSIONS, vector, minSimilarity: -1, limit };
    const expected = (await searchExactly(pool, exact)).map(({ id }) => id);
    const given = (await open(pool, { ...asked, vector, limit }).vector()).map(({ id }) => id);
    expect(given.slice(0, 10)).toEqual(expected.slice(0, 10));
    expect(given).toHaveLength(expected.length);
  }
}
