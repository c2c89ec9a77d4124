import { eventSchema } from '@factmill/contracts';
import { DEFAULT_TENANT_ID, recordUsage, type UsageEntry } from '@factmill/database';
import { extractJobId } from '@factmill/queue';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
let admin: string;
beforeAll(async () => {
  gateway = await startGateway();
  admin = await gateway.makeKey({ permissions: ['admin'] });
});
afterAll(() => gateway.close());

const TENANT = `/v1/tenants/${DEFAULT_TENANT_ID}`;
const patch = (budgets: readonly object[]) => gateway.call('PATCH', TENANT, { body: { budgets } });

const entry = (fields: Partial<UsageEntry>): UsageEntry => ({
  userId: 'ada',
  model: 'small',
  purpose: 'extraction',
  calls: 1,
  inputTokens: 90,
  outputTokens: 10,
  cost: 0.25,
  ...fields,
});

test('usage is grouped, filtered and paged; what was done for nobody known names nobody', async () => {
  await gateway.call('POST', '/v1/memories', { body: { user_id: 'ada', content: 'x' } });
  await recordUsage(gateway.database, DEFAULT_TENANT_ID, [
    entry({}),
    entry({ outputTokens: 30 }),
    entry({ model: 'large', purpose: 'summary', cost: null }),
    entry({ userId: 'gone', purpose: 'chat' }),
  ]);
  const usage = async (query: string) =>
    (await gateway.call('GET', `/v1/usage?${query}`, { key: admin })).body;
  expect((await usage('group_by=model,purpose')).data).toEqual([
    { model: 'large', purpose: 'summary', calls: 1, input_tokens: 90, output_tokens: 10, cost: null },
    { model: 'small', purpose: 'chat', calls: 1, input_tokens: 90, output_tokens: 10, cost: 0.25 },
    { model: 'small', purpose: 'extraction', calls: 2, input_tokens: 180, output_tokens: 40, cost: 0.5 },
  ]);
  expect((await usage('group_by=user')).data).toMatchObject([
    { user_id: 'ada', calls: 3 },
    { user_id: null, calls: 1 },
  ]);
  expect((await usage('group_by=day&purpose=chat')).data).toMatchObject([
    { day: expect.any(String), calls: 1 },
  ]);
  expect((await usage(`group_by=user&until=2020-01-01`)).data).toEqual([]);
  expect((await usage(`group_by=tenant&user_id=ada&since=2020-01-01&until=9999-01-01`)).data).toMatchObject([
    { tenant_id: DEFAULT_TENANT_ID, calls: 3 },
  ]);
  const page = await usage('group_by=purpose&limit=2');
  expect(page.data).toHaveLength(2);
  const rest = await usage(`group_by=purpose&limit=2&cursor=${page.next_cursor}`);
  expect(rest).toMatchObject({ data: [{ purpose: 'summary' }], next_cursor: null });
});

test('other tenants are for operators', async () => {
  const theirs = await gateway.makeKey({ tenant: 'theirs', permissions: ['admin'] });
  const status = async (query: string, key?: string) =>
    (await gateway.call('GET', `/v1/usage?${query}`, key === undefined ? {} : { key })).status;
  expect((await gateway.call('GET', '/v1/usage', { key: theirs })).body.data).toEqual([]);
  expect(await status(`tenant_id=${DEFAULT_TENANT_ID}`, theirs)).toBe(403);
  expect(await status('all_tenants=true', theirs)).toBe(403);
  const { tenantId } = await gateway.database.one<{ tenantId: string }>(
    `select id as "tenantId" from tenants where name = 'theirs'`,
  );
  await recordUsage(gateway.database, tenantId, [entry({ calls: 7 })]);
  const calls = async (query: string) =>
    (await gateway.call('GET', `/v1/usage?${query}`)).body.data.map((row: { calls: number }) => row.calls);
  expect((await calls('all_tenants=true&group_by=tenant')).toSorted()).toEqual([4, 7]);
  expect(await calls(`tenant_id=${tenantId}&group_by=tenant`)).toEqual([7]);
  expect(await status('group_by=colour')).toBe(400);
  expect(await status('', await gateway.makeKey({ permissions: ['memory.read_all'] }))).toBe(403);
});

test('budgets are set whole, show what is spent, and need prices when they are in cost', async () => {
  const day = { period: 'day', unit: 'tokens', amount: 1_000 };
  const set = await patch([day, { ...day, period: 'month', amount: 5_000 }]);
  // The chat does not count.
  expect(set.body.budgets).toMatchObject([
    { ...day, spent: 320 },
    { period: 'month', amount: 5_000, spent: 320 },
  ]);
  expect(Date.parse(set.body.budgets[0].resets_at) % 86_400_000).toBe(0);
  expect((await patch([day])).body.budgets).toHaveLength(1);
  const refused = await patch([{ ...day, unit: 'cost' }]);
  expect([refused.status, fieldsOf(refused)]).toEqual([400, ['budgets.0.unit']]);
  expect((await patch([day, day])).status).toBe(400);
  expect((await patch([{ ...day, amount: -1 }])).status).toBe(400);
  expect((await gateway.call('GET', TENANT)).body.budgets).toMatchObject([{ ...day, spent: 320 }]);
  expect((await patch([])).body.budgets).toEqual([]);
});

test('a deferred extraction says until when and why, and is queued again when the budget is raised', async () => {
  const day = { period: 'day', unit: 'tokens', amount: 0 };
  await patch([day]);
  const body = { user_id: 'ada', messages: [said('I live in Lisbon.')] };
  const { id } = (await gateway.call('POST', '/v1/extractions', { body })).body;
  const [claim] = (
    await gateway.database.query<{ claim: object }>(
      `select claim_extraction($1::uuid, $2::uuid, 'worker', 1000, 0, 'llm:x', 1000) as claim`,
      [DEFAULT_TENANT_ID, id],
    )
  ).rows;
  expect(claim).toEqual({ claim: { kind: 'deferred' } });
  const row = async () => (await gateway.call('GET', `/v1/extractions/${id}`)).body;
  const { budgets } = (await gateway.call('GET', TENANT)).body;
  expect(await row()).toMatchObject({
    state: 'pending',
    attempts: 0,
    reason: 'budget_tokens_day',
    deferred_until: budgets[0].resets_at,
  });
  // Still too little: nothing goes on.
  await patch([{ ...day, amount: 1 }]);
  expect((await row()).deferred_until).not.toBeNull();
  const jobId = extractJobId({ id, generation: 0 });
  await gateway.queues.remove('extract', [jobId]);
  await patch([{ ...day, amount: 1_000_000 }]);
  expect(await row()).toMatchObject({ state: 'pending', reason: null, deferred_until: null });
  expect(await gateway.queues.missing('extract', [jobId])).toEqual([]);
});

const BUDGET_EVENTS = 'budget.warning,budget.exceeded';

test('80 and 100 % of a budget are events', async () => {
  const spent = async () => (await gateway.call('GET', TENANT)).body.budgets[0].spent as number;
  await patch([{ period: 'month', unit: 'tokens', amount: 1 }]);
  const amount = (await spent()) + 1_000;
  await patch([{ period: 'month', unit: 'tokens', amount }]);
  const { next_cursor } = (await gateway.call('GET', '/v1/events?after=now')).body;
  const spend = (inputTokens: number) =>
    recordUsage(gateway.database, DEFAULT_TENANT_ID, [entry({ inputTokens, outputTokens: 0 })]);
  await spend(900);
  await spend(50);
  await spend(100);
  await spend(1_000);
  // Transactions of any database of the server hold events back, those of earlier tests too: only this budget's count.
  const data = await waitFor(
    async () => {
      const { body } = await gateway.call('GET', `/v1/events?types=${BUDGET_EVENTS}&after=${next_cursor}`);
      const events = body.data.filter((event: { data: { amount: number } }) => event.data.amount === amount);
      return events.length > 1 ? events : undefined;
    },
    { timeoutMs: 60_000, describe: 'both events' },
  );
  for (const event of data) expect(eventSchema.parse(event)).toEqual(event);
  const budget = { period: 'month', unit: 'tokens', amount };
  expect(data).toMatchObject([
    { type: 'budget.warning', data: { ...budget, level: 80, spent: amount - 100 } },
    { type: 'budget.exceeded', data: { ...budget, level: 100, spent: amount + 50 } },
  ]);
  await patch([]);
});
