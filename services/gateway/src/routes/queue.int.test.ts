import { readFile } from 'node:fs/promises';
import { DEFAULT_TENANT_ID } from '@factmill/database';
import {
  createSimulatedExtractors,
  type SimulatedScaling,
  type SimulatedStep,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.makeKey({ permissions: ['queue.read'] });
});
afterAll(() => gateway.close());
beforeEach(() =>
  gateway.database.query('truncate conversations, provider_breakers, budgets, settings cascade'),
);

const pressure = async (query = '') =>
  (await gateway.call('GET', `/v1/queue/pressure${query}`, { key })).body;

/** An extraction of a conversation, with columns as SQL. */
async function extraction(conversation: string, columns: Readonly<Record<string, string>> = {}) {
  const tenant = columns['tenant_id'] ?? `'${DEFAULT_TENANT_ID}'`;
  await gateway.database.query(
    `insert into conversations (tenant_id, id, user_id) values (${tenant}, $1::text, 'ada') on conflict do nothing`,
    [conversation],
  );
  const given = { tenant_id: tenant, ...columns };
  await gateway.database.query(
    `insert into extractions (id, user_id, conversation_id, from_seq, to_seq, trigger, preset, ${Object.keys(given).join(', ')})
     values (new_uuid_v7(), 'ada', $1::text, 1, 1, 'request', 'standard', ${Object.values(given).join(', ')})`,
    [conversation],
  );
}

const ago = (seconds: number) => `now() - interval '${seconds} seconds'`;
const later = `now() + interval '1 hour'`;
const NOTHING = {
  oldest_waiting_seconds: 0,
  waiting: 0,
  active: 0,
  deferred: 0,
  wanted_slots: 0,
  mean_seconds: null,
  paused: false,
};

test('it is for keys with queue.read, and refuses what it does not know', async () => {
  expect(await pressure()).toEqual(NOTHING);
  const reader = await gateway.makeKey({ permissions: ['memory.read', 'memory.read_all'] });
  expect((await gateway.call('GET', '/v1/queue/pressure', { key: reader })).status).toBe(403);
  const wrong = await gateway.call('GET', '/v1/queue/pressure?target_wait_seconds=0&tenant=x', { key });
  expect(wrong.status).toBe(400);
  expect(fieldsOf(wrong).toSorted()).toEqual(['target_wait_seconds', 'tenant']);
});

describe('what another worker could take now', () => {
  const active = { state: `'active'`, claimed_at: ago(5), lease_until: later };

  test.each([
    ['one that waits', {}, { waiting: 1 }],
    ['one whose next attempt is due', { next_attempt_at: ago(1) }, { waiting: 1 }],
    ['not one that is tried again later', { next_attempt_at: later }, { waiting: 0 }],
    ['not one that is in work', active, { waiting: 0, active: 1, wanted_slots: 1 }],
    ['one whose worker is gone', { ...active, lease_until: ago(1) }, { waiting: 1, active: 0 }],
    ['not one that has ended', { state: `'failed'` }, { waiting: 0 }],
    ['not one that waits for a budget', { deferred_until: later }, { waiting: 0, deferred: 1 }],
    ['one that has waited for a budget', { deferred_until: ago(1) }, { waiting: 1, deferred: 0 }],
  ])('%s', async (_what, columns, expected) => {
    await extraction('a', columns);
    expect(await pressure()).toMatchObject(expected);
  });

  test('of a conversation the first, and none while another one of it is in work', async () => {
    await extraction('a');
    await extraction('a');
    expect(await pressure()).toMatchObject({ waiting: 1 });
    await extraction('a', active);
    expect(await pressure()).toMatchObject({ waiting: 0, active: 1 });
  });

  test('none of a tenant that has used up a budget, though no worker has seen that yet', async () => {
    const theirs = await gateway.makeKey({ tenant: 'spent', permissions: ['queue.read'] });
    const tenant = `(select id from tenants where name = 'spent')`;
    await gateway.database.query(
      `insert into budgets (tenant_id, period, unit, amount) values (${tenant}, 'day', 'tokens', 0)`,
    );
    await extraction('a', { tenant_id: tenant });
    await extraction('b');
    expect(await pressure()).toMatchObject({ waiting: 1, deferred: 1 });
    const seen = await gateway.call('GET', '/v1/queue/pressure', { key: theirs });
    expect(seen.body).toMatchObject({ waiting: 1, deferred: 1 });
  });

  test('nothing while the model is down; a breaker that nobody probes is of a model that was replaced', async () => {
    await extraction('a', { accepted_at: ago(600) });
    await extraction('b', active);
    const breaker = (provider: string, probe: string) =>
      gateway.database.query(
        `insert into provider_breakers (provider, opened_at, next_probe_at) values ($1::text, now(), ${probe})`,
        [provider],
      );
    await breaker('llm:old', ago(3_600));
    await breaker('embedding:now', later);
    expect(await pressure()).toMatchObject({ waiting: 1, paused: false });
    await breaker('llm:now', ago(5));
    const paused = { waiting: 0, oldest_waiting_seconds: 0, active: 1, wanted_slots: 1, paused: true };
    expect(await pressure()).toMatchObject(paused);
  });

  test('nothing while extraction is switched off', async () => {
    await extraction('a');
    await gateway.call('PUT', '/v1/settings/extraction.enabled', { body: { value: false } });
    await waitFor(async () => (await pressure()).paused, { describe: 'the switch to be seen' });
    expect(await pressure()).toMatchObject({ waiting: 0, wanted_slots: 0 });
    await gateway.call('DELETE', '/v1/settings/extraction.enabled');
    await waitFor(async () => !(await pressure()).paused, { describe: 'the switch to be seen' });
  });
});

test('the age begins when a worker could have taken it, and the slots are those that finish in time', async () => {
  const done = { state: `'done'`, claimed_at: ago(104), finished_at: ago(100) };
  for (const name of ['x', 'y']) await extraction(name, done);
  await extraction('failed', { ...done, state: `'failed'`, finished_at: ago(0) });
  await extraction('a', { accepted_at: ago(500) });
  await gateway.database.query(`update conversations set extracted_at = ${ago(10)} where id = 'a'`);
  for (let number = 0; number < 9; number += 1) await extraction(`b${number}`);
  const { oldest_waiting_seconds: age, ...rest } = await pressure();
  expect(age).toBeGreaterThanOrEqual(10);
  expect(age).toBeLessThan(100);
  // 10 × 4 s in the time that is left, and never more than one slot each.
  expect(rest).toMatchObject({ waiting: 10, mean_seconds: 4 });
  const slots = async (target: number) => (await pressure(`?target_wait_seconds=${target}`)).wanted_slots;
  expect(await slots(3_600)).toBe(1);
  expect(await slots(1)).toBe(10);
});

describe('an autoscaler with the figures of the documentation', () => {
  const CONCURRENCY = 10;
  let rules: SimulatedScaling['rules'];
  beforeAll(async () => {
    const page = new URL('../../../../docs/operations/scaling.md', import.meta.url);
    const text = await readFile(page, 'utf8');
    const figure = (name: string) => Number(new RegExp(`\\b${name}: '?(\\d+)`).exec(text)?.[1]);
    expect(text).toContain('valueLocation: wanted_slots');
    rules = {
      minReplicas: figure('minReplicaCount'),
      maxReplicas: figure('maxReplicaCount'),
      targetAverage: figure('targetValue'),
      downStabilizationSeconds: figure('stabilizationWindowSeconds'),
      downPercent: figure('value'),
      downPeriodSeconds: figure('periodSeconds'),
    };
    expect(Object.values(rules).every(Number.isSafeInteger)).toBe(true);
  });

  /** The replicas after each step, and how often they changed direction. */
  async function run(steps: readonly SimulatedStep[], maxReplicas = rules.maxReplicas) {
    const extractors = createSimulatedExtractors({
      sql: gateway.database,
      tenantId: DEFAULT_TENANT_ID,
      rules: { ...rules, maxReplicas },
      concurrency: CONCURRENCY,
      readMetric: async () => (await pressure()).wanted_slots,
    });
    const states: Readonly<{ replicas: number; open: number }>[] = [];
    for (const step of steps) states.push(await extractors.step(step));
    const replicas = [rules.minReplicas, ...states.map((state) => state.replicas)];
    const moves = replicas.map((now, n) => Math.sign(now - (replicas[n - 1] ?? now))).filter(Boolean);
    const turns = moves.filter((move, n) => n > 0 && move !== moves[n - 1]).length;
    return { replicas, turns, open: states.at(-1)?.open };
  }
  const steps = (count: number, step: SimulatedStep = {}) => Array.from({ length: count }, () => step);

  test('a burst: up to the maximum, down once it is worked off, and nothing in between', async () => {
    const { replicas, turns, open } = await run([{ arriving: 400 }, ...steps(50)], 5);
    expect([Math.max(...replicas), replicas.at(-1), turns, open]).toEqual([5, 1, 1, 0]);
  });

  test('an outage: no growth, whatever waits; then it is worked off as a burst', async () => {
    const down = () =>
      gateway.database.query(
        `insert into provider_breakers (provider, opened_at, next_probe_at) values ('llm:x', now(), now())`,
      );
    await down();
    const outage = await run(steps(20, { arriving: 8, isDown: true }));
    expect(outage).toMatchObject({ turns: 0, open: 160 });
    expect(new Set(outage.replicas)).toEqual(new Set([1]));
    await gateway.database.query('update provider_breakers set opened_at = null');
    const after = await run(steps(45));
    expect(after).toMatchObject({ turns: 1, open: 0 });
    expect(after.replicas.at(-1)).toBe(1);
  });

  test('a trickle: one replica', async () => {
    const { replicas } = await run(steps(20, { arriving: 3 }));
    expect(new Set(replicas)).toEqual(new Set([1]));
  });

  test('a steady load: as many as it takes, and it stays there', async () => {
    const { replicas, open } = await run(steps(60, { arriving: 24 }));
    expect(new Set(replicas.slice(-20))).toEqual(new Set([3]));
    expect(open).toBe(24);
  });
});
