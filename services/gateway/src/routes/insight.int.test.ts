import {
  extractionAnswerSchema,
  extractionCountsSchema,
  extractionSeriesSchema,
  extractionStepSchema,
  memoryNeighboursSchema,
  memorySourcesSchema,
  tenantStatisticsSchema,
} from '@factmill/contracts';
import { findTenantId, registerEmbeddingModel, saveEmbeddings } from '@factmill/database';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
let admin: string;
beforeAll(async () => {
  gateway = await startGateway();
  admin = await gateway.makeKey({ tenant: 'insight', permissions: ['admin'] });
});
afterAll(async () => {
  await gateway.close();
});

const get = (path: string, key = admin) => gateway.call('GET', path, { key });

/** Accepts messages of a user, and makes of their extraction what the ledger would have after a while. */
async function extraction(userId: string, becomes: string): Promise<string> {
  const body = { user_id: userId, messages: [said('I live in Utrecht.')] };
  const { body: accepted } = await gateway.call('POST', '/v1/extractions', { body, key: admin });
  await gateway.database.query(`update extractions set ${becomes} where id = $1::uuid`, [accepted.id]);
  return accepted.id;
}

const at = (time: string) => `timestamptz '2026-03-01T${time}Z'`;
const accepted = (time: string) => `accepted_at = ${at(time)}`;

describe('the ledger', () => {
  let done: string;
  let failed: string;
  beforeAll(async () => {
    done = await extraction(
      'ada',
      `${accepted('10:00:00')}, state = 'done', started_at = ${at('10:00:01')}, claimed_at = ${at('10:00:03')},
       finished_at = ${at('10:00:04')}, apply_ms = 7, added = 2, rejected = 3, model_calls = 2,
       rejections = '{"secret": 2, "instruction": 1}', prompt_tokens = 100, completion_tokens = 20`,
    );
    failed = await extraction(
      'ada',
      `${accepted('10:30:00')}, state = 'failed', started_at = ${at('10:30:01')}, claimed_at = ${at('10:30:01')},
       finished_at = ${at('10:30:02')}, error_class = 'bad_reply', error_message = 'Not JSON.', trigger = 'idle'`,
    );
    await extraction('ada', `${accepted('12:00:00')}, state = 'done', finished_at = ${at('12:00:01')}`);
    await extraction(
      'bo',
      `${accepted('12:10:00')}, state = 'dropped', reason = 'queue_limit', finished_at = now()`,
    );
    await extraction(
      'bo',
      `${accepted('12:20:00')}, reason = 'budget_tokens_day', deferred_until = now() + interval '1 hour'`,
    );
    await extraction('bo', `${accepted('12:30:00')}, next_attempt_at = ${at('12:31:00')}`);
    await gateway.database.query(
      `insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version, raw,
         prompt_tokens, completion_tokens, created_at)
       select $1::uuid, n, tenant_id, case n when 1 then 'rejected' else 'pinned' end, 'llm', 'm', 'v1', 'reply ' || n,
         50, 10, ${at('10:00:02')} + (n - 1) * interval '1.5 s'
       from extractions, generate_series(1, 2) as n where id = $1::uuid`,
      [done],
    );
  });

  const DAY = 'since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z&all_users=true';

  test('counts a period by state, reason, error, trigger and refusals', async () => {
    const counts = extractionCountsSchema.parse((await get(`/v1/extractions/counts?${DAY}`)).body);
    expect(counts).toEqual({
      by_state: { pending: 2, active: 0, done: 2, failed: 1, dropped: 1, skipped: 0 },
      by_reason: { queue_limit: 1, budget_tokens_day: 1 },
      by_error: { bad_reply: 1 },
      by_trigger: { request: 5, idle: 1 },
      rejections: { secret: 2, instruction: 1 },
    });
    const ofBo = await get('/v1/extractions/counts?user_id=bo&since=2026-03-01T12:15:00Z');
    expect(ofBo.body).toMatchObject({ by_state: { pending: 2, dropped: 0 } });
  });

  test('as a series: every interval, by what was accepted in it', async () => {
    const period = 'since=2026-03-01T09:59:00Z&until=2026-03-01T13:00:00Z&all_users=true';
    const series = extractionSeriesSchema.parse((await get(`/v1/extractions/series?${period}`)).body);
    expect(series.data.map((point) => [point.at, point.accepted])).toEqual([
      ['2026-03-01T09:00:00.000Z', 0],
      ['2026-03-01T10:00:00.000Z', 2],
      ['2026-03-01T11:00:00.000Z', 0],
      ['2026-03-01T12:00:00.000Z', 4],
    ]);
    expect(series.data[1]).toMatchObject({
      done: 1,
      failed: 1,
      latency_p50_ms: 4_000,
      latency_p95_ms: 4_000,
      model_calls: 2,
      prompt_tokens: 100,
      completion_tokens: 20,
    });
    expect(series.data[3]).toMatchObject({
      done: 1,
      dropped: 1,
      deferred: 1,
      waiting: 1,
      latency_p50_ms: 1_000,
    });
    expect(series.data[0]).toMatchObject({ latency_p50_ms: null });
    const days = await get(`/v1/extractions/series?${DAY}&interval=day&user_id=ada`);
    expect(days.body.data).toMatchObject([{ at: '2026-03-01T00:00:00.000Z', accepted: 3 }]);
    const latest = await get('/v1/extractions/series?interval=minute&all_users=true');
    expect(latest.body.data).toHaveLength(60);
  });

  test.each([
    ['since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z', 'since'],
    ['since=2026-03-01T00:00:00Z&until=2026-03-08T00:00:00Z&interval=minute', 'interval'],
    ['interval=second', 'interval'],
  ])('refuses the series %s', async (query, field) => {
    const answer = await get(`/v1/extractions/series?${query}&all_users=true`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  test('tells what happened to one, without text, and for who may see it what was replied', async () => {
    const steps = (await get(`/v1/extractions/${done}/timeline`)).body.data;
    expect(steps.map((step: unknown) => extractionStepSchema.parse(step).step)).toEqual([
      'accepted',
      'claimed',
      'answered',
      'claimed_again',
      'answered',
      'applied',
    ]);
    expect(steps[2]).toMatchObject({ answer: { purpose: 'extract', status: 'rejected', model: 'm' } });
    expect(steps[5]).toMatchObject({ took_ms: 7, counts: { added: 2, rejected: 3 } });
    expect(JSON.stringify(steps)).not.toContain('reply');
    const ends = (await get(`/v1/extractions/${failed}/timeline`)).body.data.at(-1);
    expect(ends).toMatchObject({ step: 'failed', error: { class: 'bad_reply' } });
    const answers = (await get(`/v1/extractions/${done}/answers`)).body.data;
    expect(answers.map((one: unknown) => extractionAnswerSchema.parse(one).raw)).toEqual([
      'reply 1',
      'reply 2',
    ]);
    const reader = await gateway.makeKey({
      tenant: 'insight',
      permissions: ['memory.read', 'memory.read_all'],
    });
    expect((await get(`/v1/extractions/${done}/answers`, reader)).status).toBe(403);
    expect((await get(`/v1/extractions/${done}/timeline`, reader)).status).toBe(200);
  });

  test('says what one waits for', async () => {
    const { body } = await get('/v1/extractions?user_id=bo&state=pending');
    const ends = await Promise.all(
      body.data.map(async ({ id }: { id: string }) =>
        (await get(`/v1/extractions/${id}/timeline`)).body.data.at(-1),
      ),
    );
    expect(ends).toMatchObject([
      { step: 'waits', at: '2026-03-01T12:31:00.000Z' },
      { step: 'waits', reason: 'budget_tokens_day' },
    ]);
  });

  test.each([
    ['state=failed&error_class=bad_reply', 1],
    ['state=dropped&reason=queue_limit', 1],
    ['state=failed&reason=queue_limit', 0],
    ['trigger=idle', 1],
    ['state=done&until=2026-03-01T11:00:00Z', 1],
    ['reason=budget_tokens_day', 1],
  ])('lists %s', async (filter, number) => {
    const { body } = await get(`/v1/extractions?all_users=true&${filter}`);
    expect(body.data).toHaveLength(number);
    for (const row of body.data) expect(row).toMatchObject({ first_seq: 1, last_seq: 1 });
  });

  test('counts a tenant, and only that', async () => {
    const own = tenantStatisticsSchema.parse((await get('/v1/stats/tenant')).body);
    expect(own).toMatchObject({
      users: 2,
      conversations: 6,
      documents: 0,
      extractions: { pending: 2, active: 0, deferred: 1, oldest_waiting_at: '2026-03-01T12:30:00.000Z' },
      at_least: [],
      budgets: [],
    });
    const reader = await gateway.makeKey({ tenant: 'empty', permissions: ['memory.read_all'] });
    const other = (await get('/v1/stats/tenant', reader)).body;
    expect(other).toMatchObject({ users: 0, memories: 0, extractions: { pending: 0 } });
    expect(other).not.toHaveProperty('budgets');
    await gateway.database.query(
      `insert into provider_breakers (provider, opened_at, failures, reason, next_probe_at)
       values ('llm:http://10.1.2.3/v1', now(), 1, 'model_unavailable', now())`,
    );
    const down = (await get('/v1/stats/tenant', reader)).text;
    expect(JSON.parse(down).providers_down).toMatchObject([{ kind: 'llm', reason: 'model_unavailable' }]);
    expect(down).not.toContain('10.1.2.3');
  });
});

describe('a memory', () => {
  const ask = (method: string, path: string, body?: object) =>
    gateway.call(method, path, { key: admin, body });
  async function save(body: object): Promise<string> {
    return (await ask('POST', '/v1/memories', { user_id: 'eve', ...body })).body.id;
  }
  const stateOf = async (id: string) =>
    (await get(`/v1/memories/${id}?include_deleted=true`)).body as {
      state: string;
      superseded_by: string | null;
    };
  const listed = async (state: string) =>
    (await get(`/v1/memories?user_id=eve&limit=200&state=${state}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );

  test('says where it is in its life, is listed by that, and comes back', async () => {
    const [former, present] = [
      await save({ key: 'city', value: 'Delft' }),
      await save({ key: 'city', value: 'Utrecht' }),
    ];
    const [archived, deleted] = [await save({ content: 'A boat.' }), await save({ content: 'A bike.' })];
    expect((await ask('POST', `/v1/memories/${archived}/archive`)).body).toMatchObject({
      state: 'archived',
      archived: true,
    });
    expect((await ask('POST', `/v1/memories/${archived}/archive`)).status).toBe(404);
    await ask('DELETE', `/v1/memories/${deleted}`);
    expect(await stateOf(former)).toMatchObject({ state: 'superseded', superseded_by: present });
    expect(await stateOf(present)).toMatchObject({ state: 'current', superseded_by: null });
    expect(await stateOf(deleted)).toMatchObject({ state: 'deleted' });
    expect((await get(`/v1/memories/${deleted}`)).status).toBe(404);
    expect(await listed('current')).toEqual([present]);
    expect(await listed('superseded')).toEqual([former]);
    expect(await listed('archived')).toEqual([archived]);
    expect(await listed('deleted')).toEqual([deleted]);
    expect(new Set(await listed('all'))).toEqual(new Set([former, present, archived, deleted]));
    const history = (await get(`/v1/memories/${archived}/history`)).body.data;
    expect(history.map(({ operation }: { operation: string }) => operation)).toEqual(['ADD', 'ARCHIVE']);
    await ask('POST', `/v1/memories/${archived}/restore`);
    expect(await stateOf(archived)).toMatchObject({ state: 'current' });
    const another = await gateway.makeKey({ tenant: 'insight', userId: 'bo', userLocked: true });
    for (const path of ['sources', 'neighbours']) {
      expect((await get(`/v1/memories/${present}/${path}`, another)).status).toBe(404);
    }
  });

  test('shows the messages that it rests on, among those around them', async () => {
    const messages = Array.from({ length: 12 }, (_, n) => said(`Message ${n}.`, { id: `m${n}` }));
    await ask('POST', '/v1/conversations/talk/messages', { user_id: 'eve', messages, extract: 'now' });
    const [{ id: extractionId }] = (await get('/v1/extractions?conversation_id=talk')).body.data;
    const id = await save({ content: 'Rests on two.' });
    expect((await get(`/v1/memories/${id}/sources`)).body).toEqual({
      conversation_id: null,
      extraction_id: null,
      messages: [],
    });
    await gateway.database.query(
      `update memories set extraction_id = $2::uuid, message_ids = '{m1,m8,gone}' where id = $1::uuid`,
      [id, extractionId],
    );
    const sources = memorySourcesSchema.parse((await get(`/v1/memories/${id}/sources`)).body);
    expect(sources).toMatchObject({ conversation_id: 'talk', extraction_id: extractionId });
    expect(sources.messages.map((message) => message.id)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `m${n}`),
    );
    expect(sources.messages.filter((message) => message.is_source).map(({ content }) => content)).toEqual([
      'Message 1.',
      'Message 8.',
    ]);
  });

  test('has neighbours by its vector', async () => {
    const texts = ['Rows a boat.', 'Sails a boat.', 'Bakes bread.'];
    const ids = await Promise.all(texts.map((content) => save({ content })));
    const [rows = '', sails, bakes] = ids;
    expect((await get(`/v1/memories/${rows}/neighbours`)).body).toEqual({ data: [], has_vector: false });
    await registerEmbeddingModel(gateway.database, 'test-model', 2);
    const tenantId = (await findTenantId(gateway.database, 'insight')) ?? '';
    const vectors = [
      [1, 0],
      [0.8, 0.6],
      [0, 1],
    ];
    await saveEmbeddings(
      gateway.database,
      'test-model',
      ids.map((memoryId, n) => ({
        tenantId,
        memoryId,
        content: texts[n] ?? '',
        vector: vectors[n] ?? [],
      })),
    );
    const near = memoryNeighboursSchema.parse((await get(`/v1/memories/${rows}/neighbours?limit=2`)).body);
    expect(near.data.map(({ memory }) => memory.id)).toEqual([sails, bakes]);
    expect(near.data[0]?.similarity).toBeCloseTo(0.8, 2);
    // One that is not current is no neighbour, and has neighbours all the same.
    await ask('POST', `/v1/memories/${rows}/archive`);
    const around = async (id = '') =>
      (await get(`/v1/memories/${id}/neighbours`)).body.data as { memory: { id: string } }[];
    expect((await around(sails)).map(({ memory }) => memory.id)).toEqual([bakes]);
    expect((await around(rows)).map(({ memory }) => memory.id)).toEqual([sails, bakes]);
  });
});
