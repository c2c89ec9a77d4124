import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptConversations, claimExtraction, ensureTenant, writeSetting } from '@factmill/database';
import { acceptRequest, NO_QUEUE_LIMITS, waitFor } from '@factmill/testkit';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});
afterEach(async () => {
  await gateway.database.query('truncate conversations cascade');
});

type Row = { id: string; tenant: string; state: string; reason: string | null; no: number };

/** The ledger in the order of acceptance. */
async function ledger(): Promise<Row[]> {
  const { rows } = await gateway.database.query<Row>(
    `select e.id, t.name as tenant, state, reason, accepted_no as no from extractions e join tenants t on t.id = tenant_id
     order by accepted_no`,
  );
  return rows;
}

const tenantIds = new Map<string, string>();
async function tenantId(name: string): Promise<string> {
  const known = tenantIds.get(name) ?? (await ensureTenant(gateway.database, name, uuidv7()));
  tenantIds.set(name, known);
  return known;
}

/** Accepts one message for each tenant named, in one call. */
async function accept(
  tenants: readonly string[],
  limits: { queueLimit?: number; tenantQueueLimit?: number },
) {
  const requests = [];
  for (const tenant of tenants) {
    requests.push(acceptRequest(await tenantId(tenant)));
  }
  return acceptConversations(gateway.database, requests, { ...NO_QUEUE_LIMITS, ...limits });
}

const start = (row: Row) =>
  claimExtraction(gateway.database, {
    tenantId: tenantIds.get(row.tenant) ?? '',
    id: row.id,
    workerId: 'test',
    leaseMs: 60_000,
  });
const states = async () => (await ledger()).map(({ state }) => state);

describe('the overall limit (A5)', () => {
  test('drops the oldest that wait, with a reason, and never more than it must', async () => {
    await accept(['a', 'a', 'a'], {});
    expect((await accept(['a'], { queueLimit: 3 })).dropped.map(({ id }) => id)).toEqual([
      (await ledger())[0]?.id,
    ]);
    expect(await states()).toEqual(['dropped', 'pending', 'pending', 'pending']);
    expect((await ledger())[0]?.reason).toBe('queue_limit');
    expect((await accept(['a', 'a'], { queueLimit: 3 })).dropped).toHaveLength(2);
    expect(await states()).toEqual(['dropped', 'dropped', 'dropped', 'pending', 'pending', 'pending']);
  });

  test('never drops one that has started, also when it waits for its next try', async () => {
    await accept(['a', 'a', 'a'], {});
    const started = (await ledger()).slice(0, 2);
    for (const row of started) await start(row);
    await gateway.database.query(
      `update extractions set state = 'pending', lease_until = null where id = $1::uuid`,
      [started[0]?.id],
    );
    await accept(['a', 'a'], { queueLimit: 1 });
    expect(await states()).toEqual(['pending', 'active', 'dropped', 'dropped', 'pending']);
  });

  test('a call that brings more than fits keeps its newest', async () => {
    await accept(['a', 'a', 'a', 'a', 'a'], { queueLimit: 2 });
    expect(await states()).toEqual(['dropped', 'dropped', 'dropped', 'pending', 'pending']);
  });

  test('makes the noisy tenant pay for its noise (G3)', async () => {
    await accept(['quiet', 'quiet', 'noisy', 'noisy', 'noisy', 'noisy'], {});
    await accept(['noisy', 'noisy'], { queueLimit: 6 });
    const rows = await ledger();
    expect(rows.filter(({ state }) => state === 'dropped').map(({ tenant }) => tenant)).toEqual([
      'noisy',
      'noisy',
    ]);
    expect(rows.filter(({ tenant }) => tenant === 'quiet').map(({ state }) => state)).toEqual([
      'pending',
      'pending',
    ]);
  });

  test('of tenants with as much waiting, the one with the oldest pays', async () => {
    for (const waiting of [
      ['a', 'b', 'b', 'a'],
      ['b', 'a', 'a', 'b'],
    ]) {
      await gateway.database.query('truncate conversations cascade');
      await accept(waiting, {});
      await accept(['c'], { queueLimit: 4 });
      expect(await states()).toEqual(['dropped', 'pending', 'pending', 'pending', 'pending']);
      expect((await ledger())[0]?.tenant).toBe(waiting[0]);
    }
  });
});

describe('the limit of each tenant (G3)', () => {
  test('drops that tenant’s oldest and no other tenant’s', async () => {
    await accept(['a', 'b', 'b', 'b'], {});
    await accept(['b', 'a'], { tenantQueueLimit: 2 });
    const rows = await ledger();
    expect(rows.map(({ tenant, state, reason }) => [tenant, state, reason])).toEqual([
      ['a', 'pending', null],
      ['b', 'dropped', 'tenant_queue_limit'],
      ['b', 'dropped', 'tenant_queue_limit'],
      ['b', 'pending', null],
      ['b', 'pending', null],
      ['a', 'pending', null],
    ]);
  });
});

test('whatever comes, starts and is dropped: within the limits, fair, oldest first', async () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        accept: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ start: fc.nat(20) }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 0, max: 4 }),
      async (steps, queueLimit, tenantQueueLimit) => {
        await gateway.database.query('truncate conversations cascade');
        const started = new Set<string>();
        for (const one of steps) {
          const before = await ledger();
          if ('start' in one) {
            const waiting = before.filter(({ state }) => state === 'pending');
            const chosen = waiting[one.start % Math.max(1, waiting.length)];
            if (chosen !== undefined) {
              await start(chosen);
              started.add(chosen.id);
            }
            continue;
          }
          const { dropped } = await accept(one.accept, { queueLimit, tenantQueueLimit });
          const after = await ledger();
          const waiting = after.filter(({ state }) => state === 'pending');
          const now = new Set(dropped.map(({ id }) => id));
          expect(after).toHaveLength(before.length + one.accept.length);
          if (queueLimit > 0) expect(waiting.length).toBeLessThanOrEqual(queueLimit);
          for (const row of after.filter(({ state }) => state === 'dropped'))
            expect(started.has(row.id)).toBe(false);
          for (const tenant of ['a', 'b', 'c']) {
            const kept = waiting.filter((row) => row.tenant === tenant);
            const gone = after.filter((row) => row.tenant === tenant && now.has(row.id));
            if (tenantQueueLimit > 0) expect(kept.length).toBeLessThanOrEqual(tenantQueueLimit);
            // Oldest first within a tenant.
            expect(Math.max(0, ...gone.map(({ no }) => no))).toBeLessThan(
              Math.min(Infinity, ...kept.map(({ no }) => no)),
            );
            // Nobody pays for another's noise: who lost something to the overall limit has no less left than any
            // other tenant, give or take the one that does not divide.
            const lost = gone.some(({ reason }) => reason === 'queue_limit');
            const most = Math.max(
              ...['a', 'b', 'c'].map((name) => waiting.filter((row) => row.tenant === name).length),
            );
            if (lost) expect(kept.length).toBeGreaterThanOrEqual(most - 1);
          }
          // No more than needed: full to the limit when the overall limit has dropped anything.
          if (after.some((row) => now.has(row.id) && row.reason === 'queue_limit'))
            expect(waiting).toHaveLength(queueLimit);
        }
      },
    ),
    { numRuns: 40 },
  );
});

describe('over HTTP', () => {
  const extract = () =>
    gateway.call('POST', '/v1/extractions', { body: { user_id: 'ada', messages: [said('x')] } });

  test('a limit set at run time applies; the drop is listed, leaves the queue, and can be replayed', async () => {
    await writeSetting(gateway.database, 'queue.limit', 2);
    try {
      // The gateway believes a setting for two seconds.
      await waitFor(
        async () => {
          await extract();
          return (await gateway.call('GET', '/v1/extractions?state=dropped')).body.data.length > 0;
        },
        { describe: 'the limit to apply', intervalMs: 100 },
      );
      const { data } = (await gateway.call('GET', '/v1/extractions?state=dropped')).body;
      expect(data[0]).toMatchObject({
        state: 'dropped',
        reason: 'queue_limit',
        attempts: 0,
        timings: { started_at: null },
      });
      expect(data[0].timings.finished_at).not.toBeNull();
      const kept = (await ledger()).filter(({ state }) => state === 'pending').map(({ id }) => `${id}_0`);
      expect(await gateway.queues.missing('extract', kept)).toEqual([]);
      expect((await gateway.queues.counts()).extraction.waiting).toBe(2);

      // A replay pushes nothing out: there has to be room.
      const path = `/v1/extractions/${data[0].id}/replay`;
      const refused = await gateway.call('POST', path);
      expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(
        (await gateway.call('POST', '/v1/extractions/replay', { body: { state: 'dropped' } })).body.replayed,
      ).toBe(0);
      const [waiting] = (await ledger()).filter(({ state }) => state === 'pending');
      await gateway.database.query(
        `update extractions set state = 'done', started_at = now() where id = $1::uuid`,
        [waiting?.id],
      );
      const replayed = await gateway.call('POST', path);
      expect(replayed).toMatchObject({ status: 202, body: { replayed: 1, ids: [data[0].id] } });
      expect((await gateway.call('GET', `/v1/extractions/${data[0].id}`)).body).toMatchObject({
        state: 'pending',
        reason: null,
      });
      expect(await gateway.queues.missing('extract', [`${data[0].id}_1`])).toEqual([]);
      expect(await gateway.call('POST', path)).toMatchObject({
        status: 409,
        body: { code: 'state_conflict' },
      });
    } finally {
      await writeSetting(gateway.database, 'queue.limit', null);
    }
  });

  test('two gateways and 200 requests at once: never more waiting than the limit, each told apart', async () => {
    const limited = await startGateway({ QUEUE_LIMIT: '20' });
    try {
      const second = await limited.another();
      const urls = [limited.url, second.url];
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const response = await fetch(`${urls[index % 2]}/v1/extractions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-api-key': limited.config.auth.adminKey ?? '' },
            body: JSON.stringify({ user_id: `u${index % 3}`, messages: [said('x')] }),
          });
          expect(response.status).toBe(202);
          return ((await response.json()) as { id: string }).id;
        }),
      );
      const { rows } = await limited.database.query<{ id: string; state: string; no: number }>(
        'select id, state, accepted_no as no from extractions order by accepted_no',
      );
      expect(new Set(answers)).toEqual(new Set(rows.map(({ id }) => id)));
      expect(rows.map(({ state }) => state)).toEqual(
        rows.map((_, index) => (index < 180 ? 'dropped' : 'pending')),
      );
      expect((await limited.queues.counts()).extraction.waiting).toBe(20);
      expect(
        await limited.queues.missing(
          'extract',
          rows.slice(180).map(({ id }) => `${id}_0`),
        ),
      ).toEqual([]);
    } finally {
      await limited.close();
    }
  });
});
