import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import {
  createPool,
  DEFAULT_TENANT_ID,
  hasUnindexedTurn,
  insertMemories,
  isExtractionOpen,
  listMemoryVersions,
  migrate,
  recordUsage,
  registerEmbeddingModel,
  scheduleDueConversations,
  takeUnattended,
} from '@factmill/database';
import {
  collectPlans,
  createTestDatabase,
  explainEverything,
  newMemory,
  NO_QUEUE_LIMITS,
  rowsReadBy,
} from '@factmill/testkit';
import { serve } from './day-of-a-user.fixture.ts';

// What others have stored does not make a user's statements read more, whatever the planner knew of the tables when it
// made their plans: nothing, that nothing was open, or all of it.

const pool = {
  max: 1,
  applicationName: 'factmill-test',
  logger: { info: () => undefined, warn: () => undefined },
};
const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { ...pool, ...how }) });
const owner = createPool({ ...pool, connectionString: own.connectionString });
await registerEmbeddingModel(owner, 'tiny', 3);
// As in operation: a statement gets a plan for all its parameters after five runs, if that looks no dearer.
await explainEverything(owner, 'auto');
const { rows: tables } = await owner.query<{ name: string }>(
  `select oid::regclass::text as name from pg_class
   where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
);
// Statistics are taken when the test says so.
for (const { name } of tables) await owner.query(`alter table ${name} set (autovacuum_enabled = off)`);
const service = createPool({ ...pool, connectionString: own.connectionString });
const plans = collectPlans(service);
afterAll(async () => {
  await service.close();
  await owner.close();
  await own.drop();
});

const kept = newMemory(DEFAULT_TENANT_ID, 'a user', 'The user keeps a heron.');
await insertMemories(service, [kept], { actor: 'test', extractionId: null });

/** Of each table so many rows come from others. A statement of one user may read a tenth. */
const OTHERS = 1_500;

/** Others bring a conversation each, with all that there is about it. */
async function fill(state: 'done' | 'pending') {
  await owner.query(
    `with brought as (
       insert into conversations (tenant_id, id, user_id, last_seq, scheduled_seq, extracted_seq, indexed_seq,
         extraction_due_at)
       select $1::uuid, gen_random_uuid()::text, 'other ' || gen_random_uuid(), 2, 1, 1, 2,
         case when $3::text = 'pending' then now() end from generate_series(1, $2::integer) returning id, user_id
     ), said as (
       insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       select $1::uuid, id, 1, id, 'user', 'A heron stood there.', 5, now() from brought
     ), parts as (
       insert into turn_parts (id, tenant_id, user_id, conversation_id, seq, position, content)
       select new_uuid_v7(), $1::uuid, user_id, id, 1, 0, 'A heron stood there.' from brought
     ), kept as (
       insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from,
         superseded_by)
       select new_uuid_v7(), $1::uuid, user_id, 'fact', 'A heron stood there.', 'test', '\\x00', now(), now(),
         gen_random_uuid() from brought
     )
     insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset, state,
       started_at)
     select new_uuid_v7(), $1::uuid, user_id, id, 1, 1, 'request', 'standard', $3::text, now() from brought`,
    [DEFAULT_TENANT_ID, OTHERS, state],
  );
}

const SCHEDULE = {
  preset: 'standard',
  presets: {},
  daily_flush_at: '03:00',
  time_zone: 'Europe/Berlin',
  stale_after_s: 1_800,
};

/** Statements of some days that read many rows, and how many of which tables. */
async function greedyStatements() {
  plans.length = 0;
  for (let day = 0; day < 7; day += 1) await serveAndIdle();
  expect(plans.length).toBeGreaterThan(700);
  const greedy = plans
    .map((plan) => ({ text: plan['Query Text'], read: rowsReadBy(plan) }))
    .filter(({ read }) => Object.values(read).some((rows) => rows > OTHERS / 10));
  return new Map(greedy.map(({ text, read }) => [text, read]));
}

/** A day of a user, and what an extractor asks meanwhile. */
async function serveAndIdle() {
  await serve(service, DEFAULT_TENANT_ID);
  await recordUsage(service, DEFAULT_TENANT_ID, [
    {
      userId: `user ${randomUUID()}`,
      model: 'tiny',
      purpose: 'extraction',
      calls: 1,
      inputTokens: 1,
      outputTokens: 1,
      cost: null,
    },
  ]);
  await listMemoryVersions(service, { tenantId: DEFAULT_TENANT_ID, userId: null, id: kept.id });
  await scheduleDueConversations(service, { most: 1, limits: NO_QUEUE_LIMITS, schedule: SCHEDULE });
  await takeUnattended(service, { graceMs: 0, limit: 1 });
  await isExtractionOpen(service);
  await hasUnindexedTurn(service);
}

/** Erasures and counts of what was found: they come in batches, and the first statistics within a minute. */
const BATCHES = /^(delete from|with given as [^]* update memories m set access_count)/u;

test('a user reads what is theirs after others have filled the tables', async () => {
  const none = new Map();
  expect(await greedyStatements()).toEqual(none);
  await fill('done');
  const withPlansForEmptyTables = await greedyStatements();
  for (const text of withPlansForEmptyTables.keys()) {
    if (BATCHES.test(text)) withPlansForEmptyTables.delete(text);
  }
  expect(withPlansForEmptyTables).toEqual(none);
  await owner.query('analyze');
  const whileNothingIsOpen = await greedyStatements();
  expect(whileNothingIsOpen).toEqual(none);
  await fill('pending');
  const inABurst = await greedyStatements();
  expect(inABurst).toEqual(none);
  await owner.query('analyze');
  const withABacklog = await greedyStatements();
  expect(withABacklog).toEqual(none);
});
