import type { RetentionDays } from '@factmill/contracts';
import {
  acceptConversations,
  countRetained,
  createPool,
  DEFAULT_TENANT_ID as TENANT,
  findErasure,
  findRetentionRun,
  insertLegalHold,
  listMessages,
  listOpenErasures,
  listOpenRetentionRuns,
  migrate,
  purge,
  replayExtractions,
  requestErasure,
  requestRetentionRun,
  updateRetention,
  updateUser,
  verifyAudit,
} from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createEraseJob } from './erase-job.ts';
import { createRetain } from './retain.ts';

const { database } = await openTestDatabase(
  { createPool, migrate },
  {
    truncate: [
      'conversations',
      'memories',
      'memory_versions',
      'users',
      'retention_policies',
      'retention_runs',
      'legal_holds',
      'erasures',
      'replays',
      'events',
      'audit_records',
      'audit_chains',
    ],
  },
);
const retain = createRetain({ database });
const never = new AbortController().signal;

const OLD = '40 days';
const MONTH: RetentionDays = {
  messages_days: 30,
  outputs_days: 30,
  versions_days: 30,
  events_days: 30,
  audit_days: 30,
};

/** Some messages of a user, extracted or waiting, of a given age, with what the model answered. */
async function said(
  userId: string,
  age: string,
  { count = 3, state = 'done' }: Readonly<{ count?: number; state?: 'done' | 'pending' }> = {},
): Promise<Readonly<{ conversationId: string; extractionId: string }>> {
  const conversationId = `${userId} ${uuidv7()}`;
  const extractionId = uuidv7();
  const messages = Array.from({ length: count }, (_, n) => ({
    id: `m${n}`,
    role: 'user' as const,
    content: `quokka ${n}`,
    name: 'quokka',
    tokenEstimate: 1,
  }));
  await accept({ userId, conversationId, extractionId, messages });
  const where = [TENANT, conversationId, age];
  await database.query(
    `update messages set received_at = now() - $3::interval where tenant_id = $1::uuid and conversation_id = $2::text`,
    where,
  );
  if (state === 'pending') return { conversationId, extractionId };
  await database.query(
    `update extractions set state = 'done', finished_at = now() - $3::interval
     where tenant_id = $1::uuid and conversation_id = $2::text`,
    where,
  );
  await database.query(
    `insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version, raw,
       created_at)
     values ($1::uuid, 1, $2::uuid, 'pinned', 'p', 'm', 'v', 'quokka', now() - $3::interval)`,
    [extractionId, TENANT, age],
  );
  return { conversationId, extractionId };
}

type Messages = Parameters<typeof acceptConversations>[1][number]['messages'];

async function accept(
  given: Readonly<{ userId: string; conversationId: string; extractionId: string; messages: Messages }>,
) {
  await acceptConversations(
    database,
    [
      {
        ...given,
        tenantId: TENANT,
        fallbackUserId: 'unknown',
        extract: 'now',
        regenerated: false,
        trigger: 'request',
        preset: 'standard',
        extractionMetadata: {},
        traceparent: null,
        idempotencyKey: null,
        requestSha256: '',
      },
    ],
    { queueLimit: 0, tenantQueueLimit: 0 },
  );
}

/** A memory with versions of these ages, oldest first. */
async function remembered(userId: string, ages: readonly string[]): Promise<string> {
  const id = uuidv7();
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
     values ($1::uuid, $2::uuid, $3::text, 'note', 'now', 'user', $4::bytea, now() - interval '90 days',
       now() - interval '90 days')`,
    [id, TENANT, userId, Buffer.from(id)],
  );
  await database.query(
    `insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, created_at)
     select m.id, g.number, m.tenant_id, m.user_id, 'UPDATE', to_jsonb(m) || '{"content": "quokka"}', to_jsonb(m),
       'test', now() - g.age::interval
     from memories m, unnest($2::text[]) with ordinality as g (age, number) where m.id = $1::uuid`,
    [id, ages],
  );
  return id;
}

/** A shadow replay, with a run in this state. */
const replayed = (age: string, state: 'done' | 'pending') =>
  database.query(
    `with made as (
       insert into replays (id, tenant_id, estimate, created_at)
       values ($1::uuid, $2::uuid, '{}', now() - $3::interval) returning *
     )
     insert into replay_runs (id, tenant_id, replay_id, user_id, kind, position, state)
     select id, tenant_id, id, 'maya', 'apply', 1, $4::text from made`,
    [uuidv7(), TENANT, age, state],
  );

const agedAudit = (count: number, age: string) =>
  database
    .query(
      `select append_audit($1::uuid, '{"actor": "test", "action": "setting.changed"}') from generate_series(1, $2::integer)`,
      [TENANT, count],
    )
    .then(() => database.transaction((tx) => ageAudit(tx, age)));

/** Makes all records older, with the hashes that they would have. */
async function ageAudit(tx: Pick<typeof database, 'query'>, age: string): Promise<void> {
  await tx.query('alter table audit_records disable trigger audit_records_keep');
  await tx.query(`do $$ declare r audit_records; h bytea := decode(repeat('00', 32), 'hex'); begin
    for r in select * from audit_records order by number loop
      r.at := r.at - interval '${age}';
      r.prev_hash := h;
      h := audit_hash(r);
      update audit_records set at = r.at, prev_hash = r.prev_hash, hash = h where number = r.number;
    end loop;
    update audit_chains set last_hash = h; end $$`);
  await tx.query('alter table audit_records enable trigger audit_records_keep');
}

async function run(): Promise<Readonly<{ id: string; counts: unknown }>> {
  const { id } = await requestRetentionRun(database, {
    id: uuidv7(),
    tenantId: TENANT,
    requestedBy: 'api',
  });
  await retain(never);
  const found = await findRetentionRun(database, TENANT, String(id));
  return { id: String(id), counts: found?.state === 'done' ? found.counts : 'not done' };
}

const messagesOf = (conversationId: string) =>
  listMessages(database, {
    tenantId: TENANT,
    conversationId,
    afterSeq: 0,
    toSeq: null,
    includeSuperseded: true,
    limit: null,
  });

async function everything(): Promise<string> {
  const { rows } = await database.query(
    `select (select jsonb_agg(t) from messages t) as a, (select jsonb_agg(t) from extraction_outputs t) as b,
       (select jsonb_agg(t) from memory_versions t) as c, (select jsonb_agg(t) from memories t) as d`,
  );
  return JSON.stringify(rows);
}

describe('retention', () => {
  beforeEach(() => updateRetention(database, TENANT, MONTH));

  test('counts what it then removes, once; what memories rest on keeps id, role and time', async () => {
    const old = await said('maya', OLD, { count: 1_203 });
    const memoryId = await remembered('maya', ['80 days', '60 days', OLD, '5 days']);
    await agedAudit(4, OLD);
    await database.query(`update events set created_at = now() - interval '${OLD}'`);
    const events = await database.query(`select from events where tenant_id = $1::uuid`, [TENANT]);
    expect(events.rowCount).toBeGreaterThan(0);
    await Promise.all([replayed(OLD, 'done'), replayed(OLD, 'pending'), replayed('5 days', 'done')]);
    const counts = {
      messages: 1_203,
      outputs: 1,
      replays: 1,
      versions: 3,
      events: events.rowCount,
      audit_records: 4,
    };
    expect(await countRetained(database, TENANT)).toEqual(counts);
    // A dry run has removed nothing.
    expect(await countRetained(database, TENANT)).toEqual(counts);

    expect(await run()).toMatchObject({ counts });
    const messages = await messagesOf(old.conversationId);
    expect(messages).toHaveLength(1_203);
    expect(messages[0]).toMatchObject({
      id: 'm0',
      role: 'user',
      content: null,
      name: null,
      removedAt: expect.any(Date),
    });
    const { rows: versions } = await database.query(
      `select number, before is null as shortened, after->>'content' as content from memory_versions
       where memory_id = $1::uuid order by number`,
      [memoryId],
    );
    // What was true 30 days ago can still be asked for.
    expect(versions).toEqual([
      { number: 3, shortened: true, content: 'now' },
      { number: 4, shortened: false, content: 'now' },
    ]);
    const { rows: known } = await database.query(
      `select id from memories_as_of($1::uuid, 'maya', now(), now() - interval '10 days')`,
      [TENANT],
    );
    expect(known).toEqual([{ id: memoryId }]);
    // The record of the cut, and of the run.
    const verified = await verifyAudit(database, TENANT, null);
    expect(verified).toMatchObject({ intact: true, first_number: 5, records: 2 });

    expect((await run()).counts).toEqual({});
    expect(await countRetained(database, TENANT)).toEqual({
      messages: 0,
      outputs: 0,
      replays: 0,
      versions: 0,
      events: 0,
      audit_records: 0,
    });
  });

  test('leaves what is younger, what waits for extraction, and what has no number of days', async () => {
    const young = await said('maya', '20 days');
    const waiting = await said('maya', OLD, { state: 'pending' });
    const before = await everything();
    expect((await run()).counts).toEqual({});
    await updateRetention(database, TENANT, { messages_days: null, outputs_days: null, versions_days: null });
    await said('maya', OLD);
    await remembered('maya', ['60 days', OLD]);
    const withOld = await everything();
    expect((await run()).counts).toEqual({});
    expect(await everything()).toBe(withOld);
    for (const { conversationId } of [young, waiting]) {
      expect((await messagesOf(conversationId)).map(({ content }) => content)).toContain('quokka 0');
    }
    expect(before).toContain('quokka');
  });

  test('an emptied message is still known by its id, and its extraction is not run again', async () => {
    const { conversationId, extractionId } = await said('maya', OLD, { count: 1 });
    await run();
    const again = { id: 'm0', role: 'user' as const, content: 'quokka 0', name: 'quokka', tokenEstimate: 1 };
    await accept({ userId: 'maya', conversationId, extractionId: uuidv7(), messages: [again] });
    expect(await messagesOf(conversationId)).toHaveLength(1);
    expect(await everything()).not.toContain('quokka');
    const replayed = await replayExtractions(
      database,
      {
        tenantId: TENANT,
        ids: [extractionId],
        state: null,
        userId: null,
        since: null,
        until: null,
        limit: 9,
      },
      { queueLimit: 0, tenantQueueLimit: 0 },
    );
    expect(replayed).toEqual([]);
  });

  test('runs by itself once a day, and leaves a receipt only when it removed something', async () => {
    await retain(never);
    await said('maya', OLD);
    await retain(never);
    const runs = () => database.query(`select counts from retention_runs`);
    expect((await runs()).rows).toEqual([]);
    await database.query(`update retention_policies set due_at = now()`);
    await retain(never);
    expect((await runs()).rows).toEqual([{ counts: { messages: 3, outputs: 1 } }]);
  });

  test('of a user has its own days for messages, also where the tenant has none', async () => {
    const set = (userId: string, days: number | null) =>
      updateUser(database, { tenantId: TENANT, userId }, { retention_days: days });
    const [longer, shorter, usual] = [
      await said('longer', OLD),
      await said('shorter', '10 days'),
      await said('maya', OLD),
    ];
    await set('longer', 90);
    await set('shorter', 5);
    expect(await countRetained(database, TENANT)).toMatchObject({ messages: 6, outputs: 2 });
    expect((await run()).counts).toMatchObject({ messages: 6 });
    const texts = async (from: typeof longer) =>
      (await messagesOf(from.conversationId)).map(({ content }) => content);
    expect(await texts(longer)).toContain('quokka 0');
    expect(await texts(shorter)).toEqual([null, null, null]);
    expect(await texts(usual)).toEqual([null, null, null]);

    await database.query('delete from retention_policies');
    await set('longer', 30);
    await retain(never);
    expect(await texts(longer)).toEqual([null, null, null]);
    await set('longer', null);
    expect(await countRetained(database, TENANT)).toEqual({});
  });

  test('goes on where a stopped run ended, and counts every row once', async () => {
    await said('maya', OLD, { count: 1_100 });
    const { id } = await requestRetentionRun(database, {
      id: uuidv7(),
      tenantId: TENANT,
      requestedBy: 'api',
    });
    const stopping = new AbortController();
    const stoppedSoon = createRetain({
      database: {
        ...database,
        transaction: async <T>(...args: Parameters<typeof database.transaction<T>>) => {
          const result = await database.transaction(...args);
          stopping.abort(new Error('stopped'));
          return result;
        },
      },
    });
    await expect(stoppedSoon(stopping.signal)).rejects.toThrow('stopped');
    expect(await listOpenRetentionRuns(database, 9)).toEqual([{ id, tenantId: TENANT }]);
    expect(await countRetained(database, TENANT)).toMatchObject({ messages: 600 });
    await Promise.all([retain(never), retain(never)]);
    const found = await findRetentionRun(database, TENANT, String(id));
    expect(found?.counts).toEqual({ messages: 1_100, outputs: 1 });
  });
});

describe('a legal hold', () => {
  const hold = (userId: string | null) =>
    insertLegalHold(database, { id: uuidv7(), tenantId: TENANT, userId, placedBy: 'test' });
  const deletedLongAgo = () =>
    database.query(`update memories set deleted_at = now() - interval '1 year' where user_id = 'maya'`);
  const purgeNow = () => purge(database, { deletedRetentionDays: 30, limit: 10 });

  test.each(['maya', null])(
    'on %j stops retention, the purge and erasure until it is lifted',
    async (whose) => {
      await updateRetention(database, TENANT, MONTH);
      await said('maya', OLD);
      await remembered('maya', ['60 days', OLD]);
      await deletedLongAgo();
      await agedAudit(2, OLD);
      const asked = { id: uuidv7(), tenantId: TENANT, userId: 'maya', requestedBy: 'test' };
      await requestErasure(database, asked);
      await hold(whose);
      const before = await everything();

      const audit_records = whose === null ? 0 : 2;
      const nothing = { messages: 0, outputs: 0, replays: 0, versions: 0, events: 0 };
      expect(await countRetained(database, TENANT)).toEqual({ ...nothing, audit_records });
      await run();
      await purgeNow();
      await expect(requestErasure(database, asked)).rejects.toMatchObject({ code: 'legal_hold' });
      expect(await listOpenErasures(database, 9)).toEqual([]);
      const erase = createEraseJob({ database });
      await erase({ tenantId: TENANT, erasureId: asked.id }, never);
      expect(await everything()).toBe(before);

      await database.query('delete from legal_holds');
      expect(await purgeNow()).toMatchObject({ memories: 1 });
      await erase({ tenantId: TENANT, erasureId: asked.id }, never);
      expect(await findErasure(database, TENANT, asked.id)).toMatchObject({ finishedAt: expect.any(Date) });
      expect(await everything()).not.toContain('quokka');
    },
  );

  test('on somebody else holds up nothing', async () => {
    await updateRetention(database, TENANT, MONTH);
    await said('maya', OLD);
    await hold('noah');
    expect((await run()).counts).toEqual({ messages: 3, outputs: 1 });
  });
});
