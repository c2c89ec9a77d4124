import {
  asTenant,
  createPool,
  DEFAULT_TENANT_ID,
  findRelevantMemories,
  migrate,
  registerEmbeddingModel,
  type Sql,
} from '@factmill/database';
import { MAX_QUERY_TERMS } from '@factmill/ranking';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { rarestTerms } from '../rarest-terms.ts';
import { DIMENSIONS, direction, fillMemories, indexesReadBy, storeMemory } from '../search.fixture.ts';
import { searchByDate } from './by-date.ts';
import { searchByFullText } from './by-full-text.ts';
import { searchByProject } from './by-project.ts';
import { searchBySpelling } from './by-spelling.ts';
import { searchBySubstring } from './by-substring.ts';
import { searchByVector } from './by-vector.ts';
import { searchRecent } from './recent.ts';
import { findTurnParts } from './turn-parts.ts';

// A policy keeps statements out of indexes with operators that might leak. So each search has to show that it reads them
// all the same, and finds nothing of others through them.

const {
  database: owner,
  serviceUrl,
  beforeClose,
} = await openTestDatabase({ createPool, migrate }, { max: 2 });
const service = createPool({
  connectionString: serviceUrl,
  max: 1,
  applicationName: 'factmill-test',
  rowSecurity: 'always',
  logger: { info: () => undefined, warn: () => undefined },
});
beforeClose(() => service.close());

const THEIRS = '00000000-0000-7000-8000-00000000bbbb';
const CONTENT = 'the only xylophone, of 16 May 2023';

beforeAll(async () => {
  await registerEmbeddingModel(owner, 'tiny', DIMENSIONS);
  await fillMemories(owner);
  await owner.query(`insert into tenants (id, name) values ($1::uuid, 'theirs')`, [THEIRS]);
  await storeMemory(owner, { userId: 'large', content: CONTENT, project: 'Orchard' });
  await owner.query(
    `insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq, indexed_seq)
     values ($1::uuid, 'talk', 'large', 2000, 2000, 2000)`,
    [DEFAULT_TENANT_ID],
  );
  await owner.query(
    `with said as (
       insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       select $1::uuid, 'talk', n, 'm' || n, 'user', case n when 7 then 'A xylophone' else 'Turn ' || n end, 5, now()
       from generate_series(1, 2000) as n returning tenant_id, conversation_id, seq, content
     )
     insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content)
     select gen_random_uuid(), tenant_id, 'large', conversation_id, seq, 0, content from said`,
    [DEFAULT_TENANT_ID],
  );
  await owner.query(
    `insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
     select id, 'tiny', tenant_id, user_id, content_hash,
       (select array_agg(random() - 0.5) from generate_series(1, $1::integer) where m.id is not null)::real[]::halfvec
     from memories m where user_id in ('medium', 'user77', 'user78') `,
    [DIMENSIONS],
  );
  await owner.query('analyze memories, memory_embeddings, turn_parts, messages');
});

const MAY_16 = { from: new Date('2023-05-16'), until: new Date('2023-05-17'), anyYear: false };
const commonWords = Array.from({ length: MAX_QUERY_TERMS + 5 }, (_, n) => `word${'x'.repeat(20)}${n + 10}`);
const turnsOf = (tenantId: string) => ({
  tenantId,
  userId: 'large',
  conversationIds: null,
  withPending: true,
  project: null,
  visibleToConversations: null,
  until: null,
  limit: 5,
});

type Search = (sql: Sql, tenantId: string) => Promise<readonly unknown[]>;
const of = (tenantId: string) => ({ tenantId, userId: 'large', filters: {}, limit: 5 });

/** What each search reads, of the indexes that matter to it, and the search. All find the xylophone. */
const SEARCHES: Readonly<Record<string, readonly [string, Search]>> = {
  words: [
    'memories_words_idx',
    async (sql, id) => (await searchByFullText(sql, { ...of(id), terms: ['xylophone'], query: '' })).rows,
  ],
  'words of all users': [
    'memories_words_idx',
    async (sql, id) =>
      (await searchByFullText(sql, { ...of(id), userId: null, terms: ['xylophone'], query: '' })).rows,
  ],
  'misspelt words': [
    'memories_words_idx',
    (sql, id) => searchBySpelling(sql, { ...of(id), meant: [{ word: 'xylophon', similarity: 1 }] }),
  ],
  dates: ['memories_words_idx', (sql, id) => searchByDate(sql, { ...of(id), periods: [MAY_16] })],
  'parts of words': [
    'memories_search_text_trgm',
    (sql, id) => searchBySubstring(sql, { ...of(id), phrase: null, terms: ['ylopho'] }),
  ],
  'names in a conversation': [
    'memories_search_text_trgm',
    (sql, id) =>
      findRelevantMemories(sql, {
        tenantId: id,
        userId: 'large',
        conversationId: '',
        extractionId: randomUUID(),
        model: null,
        vectors: [],
        names: ['xylophone'],
        limit: 5,
      }),
  ],
  'words of turns': [
    'turn_parts_words_idx',
    (sql, id) => findTurnParts(sql, turnsOf(id), { vector: null, terms: ['xylophone'], memoryIds: [] }),
  ],
  'rare words of a long query': [
    'turn_parts_words_idx',
    async (sql, id) => {
      const query = `${commonWords.join(' ')} xylophone`;
      const terms = await rarestTerms(sql, { tenantId: id, userId: 'large' }, query);
      // Of words that nothing has, the first of the query are taken.
      return terms.filter((term) => term === 'xylophone');
    },
  ],
  vectors: [
    'memory_embeddings_near_idx',
    (sql, id) =>
      searchByVector(sql, {
        ...of(id),
        model: 'tiny',
        dimensions: DIMENSIONS,
        vector: direction(0),
        minSimilarity: 0.5,
      }),
  ],
  projects: ['memories_project_idx', (sql, id) => searchByProject(sql, { ...of(id), query: 'the orchard' })],
  'the latest': ['memories_stated_idx', (sql, id) => searchRecent(sql, of(id))],
};

test.each(Object.keys(SEARCHES))(
  '%s: the same indexes as for the owner, and the same results',
  async (name) => {
    const [index, search] = SEARCHES[name] ?? ['', () => Promise.resolve([])];
    const asService = <T>(run: () => Promise<T>) => asTenant(DEFAULT_TENANT_ID, run);
    const ofOwner = await indexesReadBy(owner, (sql) => search(sql, DEFAULT_TENANT_ID));
    const ofService = await asService(() => indexesReadBy(service, (sql) => search(sql, DEFAULT_TENANT_ID)));
    expect(ofOwner).toContain(index);
    expect(ofService).toEqual(ofOwner);
    const found = await search(owner, DEFAULT_TENANT_ID);
    expect(found.length).toBeGreaterThan(0);
    expect(await asService(() => search(service, DEFAULT_TENANT_ID))).toEqual(found);
    // Another tenant, and one that asks for ours.
    expect(await asTenant(THEIRS, () => search(service, THEIRS))).toEqual([]);
    expect(await asTenant(THEIRS, () => search(service, DEFAULT_TENANT_ID))).toEqual([]);
  },
);
