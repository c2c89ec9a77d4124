import {
  createPool,
  DEFAULT_TENANT_ID,
  migrate,
  recordAccesses,
  type Sql,
  toVectorText,
} from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { searchRequestSchema } from '@factmill/contracts';
import { searchByFullText } from '../channels/by-full-text.ts';
import { chooseMeant, findMeantWords, spellingChannel } from '../channels/by-spelling.ts';
import { searchBySubstring, substringChannel } from '../channels/by-substring.ts';
import { openFirstStage } from '../first-stage.ts';
import { explainAll } from '../search.fixture.ts';
import { settingsOf } from '../settings.ts';
import { untilPassed, whileOpen } from '../transactions.fixture.ts';
import { expectSameFiltered } from './filtered-searches.fixture.ts';
import { contentOf, DIMENSIONS, randomChanges, vectorOf, write } from './resident.fixture.ts';
import { createResidentIndexes, type ResidentIndexes } from './resident-indexes.ts';
import { ann, type Asked, fillTwoUsers, residentSearches } from './resident-searches.fixture.ts';

const { database: pool } = await openTestDatabase({ createPool, migrate });
let residents: ResidentIndexes;

beforeEach(async () => {
  await fillTwoUsers(pool);
  residents = createResidentIndexes({ database: pool, now: () => performance.now() });
});

const { open, idsByVector, byTerms, contentsOf, load } = residentSearches(pool, () => residents);

async function nearest(vector: readonly number[], limit = 10): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select m.id from memories m join memory_embeddings e on e.memory_id = m.id
     where m.user_id = 'ann' and m.is_current and (m.expires_at is null or m.expires_at > now())
     order by (e.embedding <=> $1::halfvec) + 0, m.id limit $2::integer`,
    [toVectorText(vector), limit],
  );
  return rows.map((row) => row.id);
}

async function expectTheNearest(vectors = Array.from({ length: 20 }, (_, n) => vectorOf(n, 0.1))) {
  for (const vector of vectors) expect(await idsByVector(vector)).toEqual(await nearest(vector));
}

const ASKED = [
  ['red'],
  ['house', 'vienna'],
  ['boat', 'amber', 'number42'],
  ['blue', 'painted', 'oslo', 'mirrors', 'unheard'],
  ['the', 'garden'],
  ['number7', 'number8', 'number599'],
  ['number14', 'well-being'],
  ['harbour'],
  ['unheard', 'of'],
];

/** What an index finds by terms is what the statement for everyone else finds. */
async function expectTheSame(asked = ASKED): Promise<void> {
  for (const terms of asked) {
    const given = await byTerms(terms);
    const expected = await searchByFullText(pool, {
      ...ann,
      filters: {},
      terms,
      query: terms.join(' '),
      limit: 20,
    });
    expect(given.rows.map((row) => [row.id, row.content])).toEqual(
      expected.rows.map((row) => [row.id, row.content]),
    );
    given.rows.forEach((row, at) => {
      expect(row.textScore).toBeCloseTo(expected.rows[at]?.textScore ?? 0, 10);
    });
    expect(given.unknownTerms).toEqual(expected.unknownTerms);
    expect(given.mayNameProject).toBe(expected.mayNameProject);
  }
}

/**
 * Once something was written, document frequencies are a little out of date, and with them scores. What is found, and
 * which terms are unknown, is not.
 */
async function expectTheSameHits(terms: readonly string[]): Promise<void> {
  const limit = 1_000;
  const given = await byTerms(terms, { limit });
  const query = terms.join(' ');
  const expected = await searchByFullText(pool, { ...ann, filters: {}, terms, query, limit });
  const scores = new Map(expected.rows.map((row) => [row.id, row.textScore]));
  expect(given.rows.map((row) => row.id).toSorted()).toEqual([...scores.keys()].toSorted());
  for (const { id, textScore } of given.rows) {
    expect(Math.abs(textScore - (scores.get(id) ?? 0))).toBeLessThan(0.2 * Math.max(textScore, 1));
  }
  expect(given.unknownTerms).toEqual(expected.unknownTerms);
}

/** An index that is outdated by now is loaded again: only an index says something of words. */
async function keepResident(): Promise<void> {
  await contentsOf('red');
  await residents.idle();
  if (residents.get(ann) !== undefined) return;
  await untilPassed(pool);
  await load();
}

/** Parts of words, and misspelt ones, that no memory has as a word. */
const UNHEARD = ['kettel', 'ndow', 'zeppeln', 'gardn', 'unheard'];

/** What an index says of words is what the statements for everyone else find. */
async function expectTheSameWords(): Promise<void> {
  const { unknownTerms, vocabulary } = await byTerms(UNHEARD);
  expect(unknownTerms).toEqual(UNHEARD);
  if (vocabulary === undefined) throw new Error('Nothing is said of words.');
  const { stemOf, spelt, mayHave, mayContain } = vocabulary;
  const meant = await chooseMeant(UNHEARD, UNHEARD.map(stemOf), [...spelt()]);
  expect(meant).toEqual(await findMeantWords(pool, ann, UNHEARD));
  for (const { word } of meant) expect(mayHave(word)).toBe(true);
  for (const term of UNHEARD) {
    const rows = await searchBySubstring(pool, {
      ...ann,
      filters: {},
      phrase: null,
      terms: [term],
      limit: 1,
    });
    expect([term, mayContain(term)]).toEqual([term, rows.length > 0]);
  }
}

const setOf = async (change: string, content: string | undefined) =>
  pool.query(`update memories set ${change} where user_id = 'ann' and content = $1::text`, [content]);

describe('a user whose index is resident', () => {
  beforeEach(load);

  test('is searched by vector and by terms in one statement that reads the best by their ids', async () => {
    await expectTheNearest();
    await expectTheSame();
    const plans = await explainAll(pool, async (explained) => {
      const first = open(explained, { vector: vectorOf(3, 0.1), terms: ['red', 'house'] });
      expect((await first.vector()).map((row) => row.id)).toEqual(await nearest(vectorOf(3, 0.1)));
      expect((await first.fullText()).rows).toHaveLength(10);
    });
    expect(plans).toHaveLength(1);
    for (const index of ['memories_pkey', 'memory_embeddings_pkey', 'memories_written_idx']) {
      expect(plans[0]).toContain(index);
    }
    expect(plans[0]).not.toMatch(/Seq Scan|memories_words_idx/);
  });

  test('words that no memory has, and related ones, cost no statement of their own', async () => {
    await expectTheSameWords();
    const request = searchRequestSchema.parse({ query: 'number14 unheard' });
    const terms = ['number14', 'unheard'];
    const asked = { terms, relatedTerms: ['boat', 'never'], limit: 20 };
    await open(pool, asked).related();
    const plans = await explainAll(pool, async (database) => {
      const first = open(database, asked);
      const target = { ...ann, filters: {} };
      const settings = settingsOf(request, 'fused');
      const queryVector = () => Promise.resolve(null);
      const search = {
        database,
        target,
        request,
        settings,
        terms,
        periods: [],
        limit: 20,
        queryVector,
        first,
      };
      expect(await substringChannel(search)).toEqual([]);
      expect(await spellingChannel(search)).toBeNull();
      const related = await searchByFullText(pool, {
        ...target,
        terms: asked.relatedTerms,
        query: '',
        limit: 20,
      });
      expect((await first.related()).rows.map(({ id, textScore }) => [id, textScore.toFixed(9)])).toEqual(
        related.rows.map(({ id, textScore }) => [id, textScore.toFixed(9)]),
      );
      expect((await first.fullText()).rows.map(({ content }) => content)).toEqual([contentOf(14)]);
    });
    expect(plans).toHaveLength(1);
  });

  test('words of what is written since are known', async () => {
    await setOf(`content = 'Two zeppelins'`, contentOf(5));
    await write(pool, 'ann', 2_000, 20);
    await expectTheSameWords();
    const { vocabulary } = await byTerms(['zeppelni']);
    expect([...(vocabulary?.spelt() ?? [])]).toContain('zeppelin');
    expect(['epp', 'two z', 'three z'].map((text) => vocabulary?.mayContain(text))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('what is written, replaced, archived and removed since is seen at once', async () => {
    await write(pool, 'ann', 2_000, 60);
    await expectTheNearest();
    const [first = '', second = '', third = '', fourth = ''] = await nearest(vectorOf(7, 0.1));
    await pool.query(
      `update memory_embeddings set embedding = $2::halfvec where memory_id = any($1::uuid[])`,
      [[first, second], toVectorText(vectorOf(8, 0.1))],
    );
    await pool.query('update memories set archived_at = now() where id = $1::uuid', [third]);
    await pool.query('delete from memories where id = $1::uuid', [fourth]);
    const found = await idsByVector(vectorOf(8, 0.1));
    expect(found.slice(0, 2)).toEqual([first, second].toSorted());
    await expectTheNearest();
    for (const terms of ASKED) await expectTheSameHits(terms);
    expect(residents.get(ann)).toBeDefined();
  });

  test('a vector that is stored in a later transaction than its memory is found', async () => {
    const [id = ''] = await write(pool, 'ann', 3_000, 1, { withVectors: false });
    await expect(contentsOf('number3000')).resolves.toEqual([contentOf(3_000)]);
    await residents.idle();
    residents.evict(ann);
    await load();
    await pool.query(
      `insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
       select id, 'signed', tenant_id, user_id, content_hash, $2::halfvec from memories where id = $1::uuid`,
      [id, toVectorText(vectorOf(9_999, 3))],
    );
    expect((await idsByVector(vectorOf(9_999, 3)))[0]).toBe(id);
    await expect(contentsOf('number3000')).resolves.toEqual([contentOf(3_000)]);
    expect(residents.get(ann)).toBeDefined();
  });

  test('what is archived, deleted or expired is not found, and found again when it is back', async () => {
    const [archived, deleted, expired, superseded] = [11, 12, 13, 14].map(contentOf);
    const found = () => contentsOf('number11', 'number12', 'number13', 'number14');
    await setOf('archived_at = now()', archived);
    await setOf('deleted_at = now()', deleted);
    await setOf(`expires_at = now() - interval '1 second'`, expired);
    await setOf('valid_to = now()', superseded);
    await expect(found()).resolves.toEqual([]);
    // Loaded while they are gone, and brought back.
    residents.evict(ann);
    await load();
    await expect(found()).resolves.toEqual([]);
    await setOf('archived_at = null', archived);
    await setOf('deleted_at = null', deleted);
    await setOf('expires_at = null', expired);
    await setOf('valid_to = null', superseded);
    expect((await found()).toSorted()).toEqual([archived, deleted, expired, superseded].toSorted());
    await expectTheNearest([11, 12, 13, 14].map((n) => vectorOf(n)));
    expect(residents.get(ann)).toBeDefined();
  });

  test('a memory that begins to hold is found from then on, though nothing is written', async () => {
    const content = contentOf(21);
    await setOf(`valid_from = now() + interval '1 hour', stated_at = now()`, content);
    residents.evict(ann);
    await load();
    await expect(contentsOf('number21')).resolves.toEqual([]);
    await setOf(`valid_from = now() - interval '1 second'`, content);
    await expect(contentsOf('number21')).resolves.toEqual([content]);
    await expectTheNearest([vectorOf(21)]);
    expect(residents.get(ann)).toBeDefined();
  });

  test('words written since are found and known', async () => {
    await write(pool, 'ben', 1_000, 30);
    await setOf(`content = 'A zeppelin'`, contentOf(5));
    await expect(contentsOf('zeppelin')).resolves.toEqual(['A zeppelin']);
    await expect(contentsOf('number5', 'zeppelin')).resolves.toEqual(['A zeppelin']);
    expect((await byTerms(['zeppelin', 'unheard'])).unknownTerms).toEqual(['unheard']);
  });

  test.each([
    ['the next ones are read, some at a time', { alike: 600, query: vectorOf(0, 0.1), byId: 3, scans: 0 }],
    ['of too many, an exact scan follows', { alike: 1_200, query: vectorOf(1), byId: 1, scans: 1 }],
  ])('where bit codes tell too little, %s', async (_what, { alike, query, byId, scans }) => {
    await pool.query(
      `update memory_embeddings set embedding = $1::halfvec where memory_id in (
         select id from memories where user_id = 'ann' order by id limit $2::integer)`,
      [toVectorText(vectorOf(0)), alike],
    );
    residents.evict(ann);
    await untilPassed(pool);
    await load();
    const plans = await explainAll(pool, async (explained) => {
      const rows = await open(explained, { vector: query }).vector();
      expect(rows.map((row) => row.id)).toEqual(await nearest(query));
    });
    expect(plans).toHaveLength(byId + scans);
    expect(plans.filter((plan) => plan.includes('CTE owned'))).toHaveLength(scans);
  });

  test('when more of the best is gone than was overfetched, Postgres is asked and the index loaded again', async () => {
    await pool.query(
      `update memories set archived_at = now() where user_id = 'ann' and content like '% red %' and content !~ '[05] in'`,
    );
    await expectTheSame();
    await residents.idle();
    expect(residents.get(ann)?.size).toBeLessThan(1_200);
  });

  test('when much was written since, the index is loaded again', async () => {
    await write(pool, 'ann', 2_000, 201);
    await untilPassed(pool);
    await expectTheNearest([vectorOf(4, 0.1)]);
    await residents.idle();
    expect(residents.get(ann)?.size).toBe(1_401);
    await expect(contentsOf('number2100')).resolves.toEqual([contentOf(2_100)]);
    await expectTheSame();
  });

  test('counted accesses are no writes, and a table that is written anew changes nothing', async () => {
    const { rows } = await byTerms(['red']);
    await recordAccesses(
      pool,
      rows.map(({ id }) => ({ tenantId: DEFAULT_TENANT_ID, memoryId: id, count: 1, lastAt: new Date() })),
    );
    await pool.query('vacuum full memories');
    await pool.query('vacuum full memory_embeddings');
    await expectTheSame();
    await expectTheNearest();
    const { rows: delta } = await pool.query('select from memories where written >= $1::xid8', [
      residents.get(ann)?.watermark,
    ]);
    expect(delta).toEqual([]);
  });

  test('a term of several lexemes is asked of Postgres, beside the index', async () => {
    const plans = await explainAll(pool, async (explained) => {
      const first = open(explained, { vector: vectorOf(2), terms: ['well-being'] });
      expect((await first.fullText()).rows).toHaveLength(10);
      expect(await first.vector()).toHaveLength(10);
    });
    expect(plans).toHaveLength(3);
  });

  test('other moments and all users are asked of Postgres', async () => {
    const plans = await explainAll(pool, (explained) =>
      open(explained, { terms: ['red'], userId: null }).fullText(),
    );
    expect(plans.at(-1)).not.toContain('memories_written_idx');
    const asOf = { validAt: new Date(), knownAt: new Date() };
    expect((await byTerms(['red'], { asOf })).rows).toEqual([]);
  });

  test('whether the user has turns that could be found is said, also of those stored since', async () => {
    const mayHaveTurns = (more: Asked = {}) => open(pool, { terms: ['red'], ...more }).mayHaveTurns();
    expect(await mayHaveTurns()).toBe(false);
    expect(await mayHaveTurns({ userId: 'ben' })).toBe(true);
    await pool.query(
      `with said as (insert into conversations (tenant_id, id, user_id) values ($1::uuid, 'talk', 'ann')),
         stored as (insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
           values ($1::uuid, 'talk', 1, 'm1', 'user', 'A red okapi', 3, now()))
       insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content)
       values (gen_random_uuid(), $1::uuid, 'ann', 'talk', 1, 0, 'A red okapi')`,
      [DEFAULT_TENANT_ID],
    );
    expect(await mayHaveTurns()).toBe(true);
    await pool.query('truncate conversations cascade');
  });

  test('another user finds nothing of it', async () => {
    const { rows } = await byTerms(['number1'], { userId: 'ben', limit: 1 });
    expect(rows).toHaveLength(1);
    await residents.idle();
    await pool.query(`delete from memories where user_id = 'ann'`);
    await write(pool, 'ben', 3_000, 10);
    await expect(contentsOf('red', 'number3001')).resolves.toEqual([]);
    await expect(idsByVector(vectorOf(1))).resolves.toEqual([]);
  });

  test('an index of another model is loaded again', async () => {
    const first = open(pool, { vector: vectorOf(1), terms: ['red'] });
    const other = openFirstStage({
      database: pool,
      residents,
      target: { ...ann, filters: {} },
      vector: async () => ({
        search: {
          ...ann,
          filters: {},
          model: 'other',
          dimensions: DIMENSIONS,
          vector: vectorOf(1),
          minSimilarity: -1,
          limit: 10,
        },
        cutoff: -1,
        reads: () => true,
      }),
      text: null,
      relatedTerms: [],
    });
    const before = residents.get(ann);
    expect(await first.vector()).toHaveLength(10);
    expect(await other.vector()).toEqual([]);
    await residents.idle();
    expect([undefined, before]).not.toContain(residents.get(ann));
  });

  test('a statement that fails is replaced by one for each channel', async () => {
    const failing: Sql = {
      ...pool,
      query: (text, values, options) =>
        options?.name?.startsWith('search_resident') === true
          ? Promise.reject(new Error('refused'))
          : pool.query(text, values, options),
    };
    const first = open(failing, { vector: vectorOf(1), terms: ['red'] });
    expect((await first.vector()).map((row) => row.id)).toEqual(await nearest(vectorOf(1)));
    expect((await first.fullText()).rows).toHaveLength(10);
  });
});

test('a memory that was restored from a server that had counted further is old', async () => {
  await pool.query(`update memories set written = '9000000000000'::xid8 where user_id = 'ann'`);
  await pool.query(`alter table memory_embeddings disable trigger all`);
  await pool.query(`update memory_embeddings set written = '9000000000000'::xid8 where user_id = 'ann'`);
  await pool.query(`alter table memory_embeddings enable trigger all`);
  await load();
  await expectTheSame();
  await expectTheNearest();
  expect(residents.get(ann)).toBeDefined();
});

test('a transaction that was open when the index was loaded is seen when it ends', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ann', 2_000, 40),
    async () => {
      await write(pool, 'ann', 2_040, 40);
      await load();
      await expectTheNearest();
      await expect(contentsOf('number2001', 'number2044')).resolves.toEqual([contentOf(2_044)]);
    },
  );
  await expectTheNearest();
  const found = await contentsOf('number2001', 'number2044');
  expect(found.toSorted()).toEqual([contentOf(2_001), contentOf(2_044)]);
  expect(residents.get(ann)).toBeDefined();
});

test('while a long transaction makes much count as written since, nothing is resident', async () => {
  await whileOpen(
    pool,
    (tx) => write(tx, 'ben', 2_000, 1),
    async () => {
      await write(pool, 'ann', 2_000, 201);
      for (const _ of [1, 2, 3]) {
        await contentsOf('red');
        await residents.idle();
      }
      expect(residents.get(ann)).toBeUndefined();
      await expectTheNearest([vectorOf(3, 0.1)]);
    },
  );
});

test('all users have no index', async () => {
  for (const _ of [1, 2, 3]) {
    await byTerms(['red'], { userId: null });
    await residents.idle();
  }
  expect(residents.get(ann)).toBeUndefined();
});

test('a project that the query names is said, of memories written since as well', async () => {
  await setOf(`project = 'Hermes'`, contentOf(1));
  await untilPassed(pool);
  await load();
  const namesProject = async (query: string) => (await byTerms(['red'], { query })).mayNameProject;
  expect(await namesProject('what is red in hermes?')).toBe(true);
  expect(await namesProject('what is red in Apollo?')).toBe(false);
  await setOf(`project = 'apollo'`, contentOf(0));
  expect(await namesProject('what is red in Apollo?')).toBe(true);
});

test('600 random changes, after each of which an index finds what the statements find', async () => {
  await pool.query(`delete from memories where user_id = 'ann' and content !~ 'number[0-3]'`);
  await untilPassed(pool);
  await load();
  let resident = 0;
  for await (const { n, terms } of randomChanges(pool, 600)) {
    await expectTheSameHits(terms);
    await expectTheNearest([vectorOf(n, 0.1)]);
    if (n % 20 === 0) await keepResident();
    if (n % 20 === 0) await expectTheSameWords();
    if (n % 20 === 0) await expectSameFiltered(pool, open, { filters: { tags: ['odd'] } }, { scores: false });
    await residents.idle();
    if (residents.get(ann) !== undefined) resident += 1;
    else await keepResident();
  }
  expect(resident).toBeGreaterThan(540);
}, 600_000);
