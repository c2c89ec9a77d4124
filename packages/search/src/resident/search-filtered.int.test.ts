import { createPool, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, expect, test } from '@jest/globals';
import { searchBySubstring } from '../channels/by-substring.ts';
import { explainAll } from '../search.fixture.ts';
import { untilPassed } from '../transactions.fixture.ts';
import { expectSameFiltered, FILTERED, LEARNED_IN_C1, varyMemories } from './filtered-searches.fixture.ts';
import { contentOf, vectorOf } from './resident.fixture.ts';
import { createResidentIndexes, type ResidentIndexes } from './resident-indexes.ts';
import { ann, fillTwoUsers, residentSearches } from './resident-searches.fixture.ts';

const { database: pool } = await openTestDatabase({ createPool, migrate });
let residents: ResidentIndexes;
const { open, load } = residentSearches(pool, () => residents);

beforeEach(async () => {
  await fillTwoUsers(pool);
  await varyMemories(pool);
  await untilPassed(pool);
  residents = createResidentIndexes({ database: pool, now: () => performance.now() });
  await load();
});

test('filters and scopes find from an index what the statements find', async () => {
  for (const asked of FILTERED) await expectSameFiltered(pool, open, asked);
  expect(residents.get(ann)).toBeDefined();
});

test('parts of words are found among the few memories that pass, until something is written', async () => {
  let few = 0;
  for (const asked of FILTERED) {
    const search = {
      ...ann,
      filters: {},
      ...asked,
      phrase: 'number7',
      terms: ['umber31', 'ienn'],
      limit: 1_000,
    };
    const expected = await searchBySubstring(pool, search);
    const { vocabulary } = await open(pool, { ...asked, terms: search.terms, limit: 1_000 }).fullText();
    const given = await searchBySubstring(pool, { ...search, among: vocabulary?.among ?? null });
    expect(given).toEqual(expected);
    if (vocabulary?.among) few += 1;
  }
  expect(few).toBeGreaterThan(3);
  await pool.query(`update memories set tags = '{rare,even}' where user_id = 'ann' and content = $1::text`, [
    contentOf(7),
  ]);
  const changed = open(pool, { filters: { tags: ['rare'] }, terms: ['umber7'] });
  expect((await changed.fullText()).vocabulary?.among).toBeNull();
});

test('they are answered by one statement that reads the best by their ids', async () => {
  // What a term is, is asked once.
  await open(pool, { terms: ['red'] }).fullText();
  const plans = await explainAll(pool, async (explained) => {
    const first = open(explained, { vector: vectorOf(4), terms: ['red'], filters: { tags: ['even'] } });
    expect(await first.vector()).toHaveLength(10);
    expect((await first.fullText()).rows).toHaveLength(10);
  });
  expect(plans).toHaveLength(1);
  expect(plans[0]).not.toMatch(/Seq Scan|memories_words_idx|memories_user_idx/);
});

test.each([
  `tags = '{}'`,
  `tags = '{rare,even}'`,
  `kind = 'qa'`,
  `category = 'home'`,
  `tier = 3`,
  `project = 'Apollo'`,
  `scope = 'conversation', conversation_id = 'c1'`,
  `scope = 'global', conversation_id = ''`,
  `extraction_id = '${LEARNED_IN_C1}'`,
  `extraction_id = null`,
])('what is changed to %s is seen at once', async (change) => {
  await pool.query(`update memories set ${change} where user_id = 'ann' and content = any($1::text[])`, [
    [0, 7, 11, 16, 33, 39, 316].map(contentOf),
  ]);
  for (const asked of FILTERED) await expectSameFiltered(pool, open, asked, { scores: false });
  expect(residents.get(ann)).toBeDefined();
});
