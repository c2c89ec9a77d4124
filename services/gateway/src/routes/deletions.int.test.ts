import { retentionDaysSchema, retentionRunSchema } from '@factmill/contracts';
import { DEFAULT_TENANT_ID as TENANT } from '@factmill/database';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const WORD = 'quokka';

/** The tables in which a row has the word, the audit included. */
async function tablesWith(word: string): Promise<string[]> {
  const { rows } = await gateway.database.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { hits } = await gateway.database.one<{ hits: boolean }>(
      `select exists (select from "${name}" t where t::text ilike '%' || $1::text || '%') as hits`,
      [word],
    );
    if (hits) found.push(name);
  }
  return found;
}

/** A conversation that was extracted into a memory, with all that quotes it. */
async function learn(user_id: string, word: string) {
  const { call, database } = gateway;
  const id = `talk of ${user_id}`;
  const posted = await call('POST', `/v1/conversations/${encodeURIComponent(id)}/messages`, {
    body: { user_id, messages: [{ role: 'user', content: `I keep a ${word}.` }], extract: 'now' },
  });
  const extraction = posted.body.extraction.id;
  const { body: memory } = await call('POST', '/v1/memories', {
    body: { user_id, key: 'pet', value: word },
  });
  await call('PATCH', `/v1/memories/${memory.id}`, { body: { topic: word } });
  await database.query(
    `with ended as (
       update extractions set state = 'done', finished_at = now() where id = $1::uuid
     ), learned as (
       update memories set extraction_id = $1::uuid where id = $2::uuid
     ), answer as (
       insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version, raw)
       values ($1::uuid, 1, $3::uuid, 'pinned', 'p', 'm', 'v', $4::text)
     ), run as (
       insert into compression_runs (id, tenant_id, user_id, kind, period, until_at, plan, finished_at, state)
       values (gen_random_uuid(), $3::uuid, $5::text, 'daily', '2026-01-01', now(), to_jsonb($4::text), now(), 'done')
     )
     insert into summaries (tenant_id, user_id, content, source, refreshed_by, version)
     values ($3::uuid, $5::text, $4::text, 'model', 'model', 1)`,
    [extraction, memory.id, TENANT, word, user_id],
  );
  return { conversation: encodeURIComponent(id), memory: String(memory.id) };
}

test('a purged memory leaves only the message that it was made from, and no way back', async () => {
  const { call } = gateway;
  const { memory, conversation } = await learn('maya', WORD);
  expect(await tablesWith(WORD)).toEqual(
    expect.arrayContaining([
      'compression_runs',
      'extraction_outputs',
      'memories',
      'memory_versions',
      'summaries',
    ]),
  );
  await call('DELETE', `/v1/memories/${memory}`);
  expect((await call('DELETE', `/v1/memories/${memory}?purge=true&user_id=maya`)).status).toBe(204);
  expect(await tablesWith(WORD)).toEqual(['messages']);
  expect((await call('POST', `/v1/memories/${memory}/restore`)).status).toBe(404);
  expect((await call('DELETE', `/v1/memories/${memory}?purge=true`)).status).toBe(404);
  const { body: summary } = await call('GET', '/v1/summary?user_id=maya');
  expect(summary).toMatchObject({ content: null, stale: true });
  await call('DELETE', `/v1/conversations/${conversation}`);
  expect(await tablesWith(WORD)).toEqual([]);
});

test('a purged conversation takes along what was learned from it; a key its former values', async () => {
  const { call } = gateway;
  const { conversation } = await learn('noah', 'numbat');
  expect((await call('DELETE', `/v1/conversations/${conversation}?purge=true`)).status).toBe(204);
  expect(await tablesWith('numbat')).toEqual([]);

  for (const value of ['bilby one', 'bilby two']) {
    await call('POST', '/v1/memories', { body: { user_id: 'noah', key: 'pet', value } });
  }
  const purged = await call('DELETE', '/v1/memories?user_id=noah&key=pet&purge=true');
  expect(purged.body).toEqual({ deleted: 2 });
  expect(await tablesWith('bilby')).toEqual([]);
});

test('a deleted summary is gone with its versions, once', async () => {
  const { call } = gateway;
  for (const content of ['Likes a potoroo.', 'Has no pet.']) {
    await call('PUT', '/v1/summary', { body: { user_id: 'ida', content } });
  }
  expect((await call('DELETE', '/v1/summary?user_id=ida')).status).toBe(204);
  expect(await tablesWith('potoroo')).toEqual([]);
  expect((await call('GET', '/v1/summary?user_id=ida')).body.content).toBeNull();
  expect((await call('DELETE', '/v1/summary?user_id=ida')).status).toBe(404);
});

test('a legal hold refuses everything that removes, until it is lifted', async () => {
  const { call } = gateway;
  const { memory, conversation } = await learn('olga', 'wombat');
  await call('POST', '/v1/documents', { body: { id: 'held', user_id: 'olga', content: 'A wombat.' } });
  const placed = await call('POST', '/v1/legal-holds', { body: { user_id: 'olga' } });
  expect([placed.status, placed.body.user_id]).toEqual([201, 'olga']);
  expect((await call('POST', '/v1/legal-holds', { body: { user_id: 'olga' } })).status).toBe(409);
  const before = await tablesWith('wombat');
  const removals = [
    ['DELETE', '/v1/users/olga'],
    ['DELETE', `/v1/memories/${memory}?purge=true`],
    ['DELETE', `/v1/conversations/${conversation}`],
    ['DELETE', `/v1/conversations/${conversation}?purge=true`],
    ['DELETE', '/v1/documents/held'],
    ['DELETE', '/v1/summary?user_id=olga'],
    ['POST', '/v1/memories/clear'],
  ] as const;
  for (const [method, path] of removals) {
    const body = method === 'POST' ? { user_id: 'olga', confirm: 'olga' } : undefined;
    const { status, body: problem } = await call(method, path, { body });
    expect([path, status, problem?.code]).toEqual([path, 409, 'legal_hold']);
  }
  expect(await tablesWith('wombat')).toEqual(before);
  const { body: holds } = await call('GET', '/v1/legal-holds');
  expect(holds).toEqual({ data: [placed.body], next_cursor: null });
  expect((await call('DELETE', `/v1/legal-holds/${placed.body.id}`)).status).toBe(204);
  expect((await call('DELETE', `/v1/legal-holds/${placed.body.id}`)).status).toBe(404);
  expect((await call('DELETE', `/v1/conversations/${conversation}?purge=true`)).status).toBe(204);
});

test('retention is set by field, counted without effect, and run once at a time', async () => {
  const { call } = gateway;
  const kept = {
    messages_days: null,
    outputs_days: null,
    versions_days: null,
    events_days: null,
    audit_days: null,
  };
  expect(retentionDaysSchema.parse((await call('GET', '/v1/retention')).body)).toEqual(kept);
  const set = await call('PATCH', '/v1/retention', { body: { messages_days: 30, audit_days: 365 } });
  expect(set.body).toEqual({ ...kept, messages_days: 30, audit_days: 365 });
  expect((await call('PATCH', '/v1/retention', { body: { audit_days: null } })).body).toEqual({
    ...kept,
    messages_days: 30,
  });
  for (const body of [{ messages_days: 0 }, { days: 1 }, {}]) {
    expect((await call('PATCH', '/v1/retention', { body })).status).toBe(400);
  }
  const dry = await call('POST', '/v1/retention/runs', { body: { dry_run: true } });
  expect(retentionRunSchema.parse(dry.body)).toMatchObject({
    id: null,
    state: 'done',
    counts: { messages: 0 },
  });
  const run = await call('POST', '/v1/retention/runs', { body: {} });
  expect(run.status).toBe(202);
  expect((await call('POST', '/v1/retention/runs', { body: {} })).body).toEqual(run.body);
  expect((await call('GET', `/v1/retention/runs/${run.body.id}`)).body).toEqual(run.body);
  expect((await call('GET', '/v1/retention/runs')).body).toEqual({ data: [run.body], next_cursor: null });
  expect(await gateway.queues.missing('purge', [`purge-${run.body.id}`])).toEqual([]);
  const stranger = await gateway.makeKey({ tenant: 'elsewhere', permissions: ['admin'] });
  expect((await call('GET', '/v1/retention', { key: stranger })).body).toEqual(kept);
  expect((await call('GET', `/v1/retention/runs/${run.body.id}`, { key: stranger })).status).toBe(404);
});
