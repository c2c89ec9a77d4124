import {
  acceptConversations,
  changeTenant,
  createTenant,
  listBudgets,
  listUsage,
  type UsageFilter,
} from '@factmill/database';
import { extractJob } from '@factmill/queue';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from './extractor.fixture.ts';

const TENANTS = 5;
const EACH = 50;
/** Calls that are paid from one day's budget, more or less. */
const CALLS_A_DAY = 12;
const EXTRACTORS = 2;
const CONCURRENCY = 3;
const IN_FLIGHT = EXTRACTORS * CONCURRENCY;
const PATIENCE = { timeoutMs: 60_000 };

let under: ExtractorUnderTest;
beforeAll(async () => {
  under = await openExtractorUnderTest({
    env: {
      EMBEDDING_PROVIDER: 'none',
      EMBEDDING_MODEL: '',
      EXTRACTOR_CONCURRENCY: String(CONCURRENCY),
      MODEL_PRICES: '{"scripted-*": {"input": 1000000, "output": 1000000}}',
    },
  });
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content: '{"facts": {}}' } : undefined));
  for (let started = 0; started < EXTRACTORS; started += 1) await under.start();
});
afterAll(() => under.close());

/** Accepts extractions as a gateway does, and leaves them to the queue. */
async function accept(tenantId: string, count: number, preset = 'facts-and-context'): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, index) => ({
    tenantId,
    userId: `user-${index % 3}`,
    fallbackUserId: 'unknown',
    conversationId: uuidv7(),
    messages: [{ id: 'm', role: 'user' as const, content: 'I live in Lisbon.', tokenEstimate: 4 }],
    extract: 'now' as const,
    regenerated: false,
    extractionId: uuidv7(),
    trigger: 'request',
    preset,
    extractionMetadata: {},
    traceparent: null,
    idempotencyKey: null,
    requestSha256: '',
  }));
  await acceptConversations(under.database, requests, { queueLimit: 0, tenantQueueLimit: 0 });
  const ids = requests.map(({ extractionId }) => extractionId);
  // A queue that is slow to answer is left to the sweeper, as by a gateway.
  const jobs = ids.map((id) => extractJob({ id, tenantId, generation: 0 }));
  await under.queues.enqueue(jobs).catch(() => undefined);
  return ids;
}

/** Waits until every extraction is done or waits for a budget. */
const settled = () =>
  waitFor(
    async () => {
      const { open } = await under.database.one<{ open: number }>(
        `select count(*)::integer as open from extractions
         where state = 'active' or (state = 'pending' and (deferred_until is null or deferred_until <= now()))`,
      );
      return open === 0;
    },
    { ...PATIENCE, describe: 'every extraction to be done or deferred' },
  );

/** A day passes: what has happened on it, happened on an earlier one. */
async function passADay(number: number): Promise<void> {
  for (const table of ['spending', 'usage']) {
    const earlier = `update ${table} set day = day - 1000 * $1::integer where day > current_date - 500`;
    await under.database.query(earlier, [number]);
  }
  await under.database.query(
    `update extractions set deferred_until = deferred_until - interval '1 day',
       next_attempt_at = next_attempt_at - interval '1 day' where deferred_until is not null`,
  );
}

async function usageOf(tenantId: string, groupBy: UsageFilter['groupBy']) {
  const any = { since: null, until: null, userId: null, model: null, purpose: null, offset: 0, limit: 1_000 };
  return listUsage(under.database, { ...any, tenantId, groupBy });
}

const spentOf = async (tenantId: string) => (await listBudgets(under.database, tenantId))[0]?.spent ?? 0;

/** How often each tenant was warned. */
const warnings = (percent: number) => under.log().split(`"percent":${percent}`).length - 1;

const byOf = (tenantId: string) => ({ tenantId, actor: 'operator', requestId: null });

test('work over a budget waits for the next day; all of it is done in the end, and paid once', async () => {
  const [first = ''] = await accept(TENANT, 1);
  const { promptTokens, completionTokens } = await under.ledger(first);
  const aCall = (promptTokens ?? 0) + (completionTokens ?? 0);
  expect(aCall).toBeGreaterThan(0);

  const amount = CALLS_A_DAY * aCall;
  const tenants: string[] = [];
  for (let index = 0; index < TENANTS; index += 1) {
    const budgets = [{ period: 'day', unit: 'tokens', amount }] as const;
    const made = { id: uuidv7(), name: `budget-${index}`, defaultPreset: null, limits: {}, budgets };
    tenants.push((await createTenant(under.database, made, byOf(made.id)))?.id ?? '');
  }
  await Promise.all(tenants.map((id) => accept(id, EACH)));
  await settled();
  expect([warnings(80), warnings(100)]).toEqual([TENANTS, TENANTS]);
  const { rows: deferred } = await under.database.query<Record<string, unknown>>(
    `select distinct state, attempts, reason, error_class,
       deferred_until = (date_trunc('day', now() at time zone 'utc') + interval '1 day') at time zone 'utc' as tomorrow
     from extractions where deferred_until is not null`,
  );
  expect(deferred).toEqual([
    { state: 'pending', attempts: 0, reason: 'budget_tokens_day', error_class: null, tomorrow: true },
  ]);

  let days = 1;
  for (; ; days += 1) {
    for (const id of tenants) expect(await spentOf(id)).toBeLessThan(amount + IN_FLIGHT * aCall);
    const { rows: waiting } = await under.database.query<{ id: string }>(
      `select distinct tenant_id as id from extractions where state = 'pending'`,
    );
    if (waiting.length === 0) break;
    // Whose work ended today may have needed less than a day's budget for the rest of it.
    for (const { id } of waiting) expect(await spentOf(id)).toBeGreaterThanOrEqual(amount);
    await passADay(days);
    await settled();
  }
  expect(days).toBeGreaterThanOrEqual(EACH / (CALLS_A_DAY + IN_FLIGHT));
  const { rows: ends } = await under.database.query(
    'select state, sum(attempts)::integer as attempts, count(*)::integer as count from extractions group by state',
  );
  expect(ends).toEqual([{ state: 'done', attempts: 1 + TENANTS * EACH, count: 1 + TENANTS * EACH }]);
  expect(under.model.callCount).toBe(1 + TENANTS * EACH);
  for (const id of tenants) {
    const [all] = await usageOf(id, ['purpose']);
    expect(all).toMatchObject({ purpose: 'extraction', calls: EACH });
    expect((all?.input_tokens ?? 0) + (all?.output_tokens ?? 0)).toBe(EACH * aCall);
    expect(all?.cost).toBe(EACH * aCall);
    expect(await usageOf(id, ['user'])).toHaveLength(3);
  }
});

test('a raised budget lets everything go on at once; summaries and what is spent on them count too', async () => {
  const budgets = [{ period: 'month', unit: 'cost', amount: 0 }] as const;
  const made = { id: uuidv7(), name: 'raised', defaultPreset: null, limits: {}, budgets };
  const id = (await createTenant(under.database, made, byOf(made.id)))?.id ?? '';
  under.model.setReply(({ endpoint, body }) => {
    if (endpoint !== 'chat') return undefined;
    const isSummary = !JSON.stringify(body['messages']).includes('I live in Lisbon.');
    const items = [{ category: 'home', key: 'city', value: 'Lisbon', source: 'user_explicit' }];
    return { content: isSummary ? 'Lives in Lisbon.' : JSON.stringify(items) };
  });
  const ids = await accept(id, 3, 'categorised');
  await settled();
  expect(await usageOf(id, ['purpose'])).toEqual([]);
  const raised = await changeTenant(
    under.database,
    id,
    { budgets: [{ ...budgets[0], amount: 1e9 }] },
    byOf(id),
  );
  expect(raised?.resumed.map((extraction) => extraction.id)).toEqual(ids);
  await waitFor(
    async () => {
      const usage = await usageOf(id, ['purpose']);
      return usage.some(({ purpose }) => purpose === 'summary') && usage;
    },
    { ...PATIENCE, describe: 'a summary' },
  );
  await settled();
  const { done } = await under.database.one<{ done: number }>(
    `select count(*)::integer as done from extractions where tenant_id = $1::uuid and state = 'done'`,
    [id],
  );
  expect(done).toBe(3);
  // In one statement, because another summary may be counted meanwhile.
  const { used, spent } = await under.database.one<{ used: string; spent: string }>(
    `select (select sum(cost) from usage where tenant_id = $1::uuid) as used,
       (select sum(cost) from spending where tenant_id = $1::uuid) as spent`,
    [id],
  );
  expect(Number(used)).toBeGreaterThan(0);
  expect(spent).toBe(used);
});
