import { createPool, type DatabasePool, migrate } from '@factmill/database';
import { createQueues, type Queues } from '@factmill/queue';
import {
  createRedisNamespace,
  createTestDatabase,
  createScriptedModel,
  type ScriptedModel,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRandom, faultSeeds } from '../support/random.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const LIMIT = 50;
const PRODUCERS = 8;
const ROUNDS = 12;
/** Most requests of one producer in one round; on average half of that, so a round brings about the limit. */
const BURST = 12;
const MODEL_DELAY_MS = 40;
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * What a producer logs when its queue add took too long. The ledger counts: the sweeper adds the job later, or the late
 * add brings it although its row is dropped by now, and it stays until a worker takes it and finds its row ended.
 */
const LEFT_TO_THE_SWEEPER = /"extractions":(\d+),"msg":"accepted, but not yet queued/g;

const closing: (() => Promise<unknown>)[] = [];
let database: DatabasePool;
let queues: Queues;
let model: ScriptedModel;
let producers: ServiceProcess[];
let workers: ServiceProcess[];

beforeAll(async () => {
  const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  const redis = createRedisNamespace();
  closing.push(
    () => own.drop(),
    () => redis.cleanup(),
  );
  model = await createScriptedModel({
    reply: () => ({ delayMs: MODEL_DELAY_MS, content: '{"facts":{},"context":[]}' }),
  });
  closing.push(() => model.close());
  database = createPool({
    connectionString: own.connectionString,
    max: 3,
    applicationName: 'fault-test',
    logger,
  });
  closing.push(() => database.close());
  queues = await createQueues(
    { backend: 'redis', url: redis.url, keyPrefix: redis.keyPrefix },
    { logger, clock: Date.now },
  );
  closing.push(() => queues.close());
  const env = {
    DATABASE_URL: own.serviceUrl,
    DATABASE_POOL_MAX: '3',
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    QUEUE_LIMIT: String(LIMIT),
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    EXTRACTOR_CONCURRENCY: '2',
    AUTH: 'none',
  };
  producers = await Promise.all(Array.from({ length: PRODUCERS }, () => startService('gateway', env)));
  workers = await Promise.all([1, 2].map(() => startService('extractor', env)));
  closing.push(() => Promise.all([...producers, ...workers].map((service) => service.kill('SIGTERM'))));
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

type Snapshot = Readonly<{
  total: number;
  done: number;
  dropped: number;
  failed: number;
  pending: number;
  active: number;
  /** Never started. */
  waiting: number;
  startedAndDropped: number;
  /** Drops that are newer than something that still waits: that one should have gone first. */
  dropsOutOfOrder: number;
}>;

/** The ledger at one moment. */
function takeSnapshot(): Promise<Snapshot> {
  return database.one<Snapshot>(
    `with rows as materialized (select accepted_no, state, started_at, fence from extractions)
     select count(*)::integer as total,
       (count(*) filter (where state = 'done'))::integer as done,
       (count(*) filter (where state = 'dropped'))::integer as dropped,
       (count(*) filter (where state = 'failed'))::integer as failed,
       (count(*) filter (where state = 'pending'))::integer as pending,
       (count(*) filter (where state = 'active'))::integer as active,
       (count(*) filter (where state = 'pending' and started_at is null))::integer as waiting,
       (count(*) filter (where state = 'dropped' and (started_at is not null or fence > 0)))::integer
         as "startedAndDropped",
       (count(*) filter (where state = 'dropped' and accepted_no >
         (select min(accepted_no) from rows where state = 'pending' and started_at is null)))::integer as "dropsOutOfOrder"
     from rows`,
  );
}

function assertInvariants(snapshot: Snapshot): void {
  const { done, dropped, failed, pending, active } = snapshot;
  expect(done + dropped + failed + pending + active).toBe(snapshot.total);
  expect(snapshot.waiting).toBeLessThanOrEqual(LIMIT);
  expect(snapshot).toMatchObject({ startedAndDropped: 0, dropsOutOfOrder: 0, failed: 0 });
}

/** Extractions whose adding took too long, until now. */
function countLateAdds(): number {
  const logged = producers.flatMap((producer) => [...producer.output().matchAll(LEFT_TO_THE_SWEEPER)]);
  return logged.reduce((sum, [, extractions]) => sum + Number(extractions), 0);
}

describe.each(faultSeeds())('seed %i', (seed) => {
  test('8 producers over a limit of 50 while workers take: nothing is lost sight of, the oldest go first', async () => {
    const random = createRandom(seed);
    const before = await takeSnapshot();
    const accepted = new Set<string>();
    let sent = before.total;
    let answered = before.total;
    const production = { over: false };
    let checks = 0;

    const accept = async (producer: ServiceProcess, user: string): Promise<void> => {
      sent += 1;
      const response = await fetch(`${producer.url}/v1/extractions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: user, messages: [{ role: 'user', content: 'I like tea.' }] }),
      });
      expect(response.status).toBe(202);
      accepted.add(((await response.json()) as { id: string }).id);
      answered += 1;
    };
    const check = async (): Promise<Snapshot> => {
      const answeredBefore = answered;
      const snapshot = await takeSnapshot();
      assertInvariants(snapshot);
      expect(snapshot.total).toBeGreaterThanOrEqual(answeredBefore);
      expect(snapshot.total).toBeLessThanOrEqual(sent);
      checks += 1;
      return snapshot;
    };
    const watch = async (): Promise<void> => {
      while (!production.over) await check();
    };
    const produce = async (): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const bursts = producers.map((producer) => ({ producer, size: Math.floor(random() * (BURST + 1)) }));
        await Promise.all(
          bursts.flatMap(({ producer, size }, place) =>
            Array.from({ length: size }, () => accept(producer, `user-${place}`)),
          ),
        );
        // Every enqueue has returned: now the queue itself is within the limit too.
        const { waiting } = (await queues.counts()).extraction;
        expect(waiting).toBeLessThanOrEqual(LIMIT + countLateAdds());
        await check();
      }
    };
    await Promise.all([produce().finally(() => (production.over = true)), watch()]);

    const full = await check();
    expect(full.dropped).toBeGreaterThan(before.dropped);
    expect(checks).toBeGreaterThan(ROUNDS);
    await waitFor(
      async () => {
        const { pending, active } = await check();
        return pending + active === 0;
      },
      { timeoutMs: 30_000, intervalMs: 50, describe: 'what was not dropped to be done' },
    );
    const after = await check();
    expect(after.total - before.total).toBe(accepted.size);
    expect(after.done + after.dropped).toBe(after.total);
    const { kept } = await database.one<{ kept: number }>(
      'select count(*)::integer as kept from extractions join messages using (tenant_id, conversation_id) where extractions.id = any($1::uuid[])',
      [[...accepted]],
    );
    expect(kept).toBe(accepted.size);
  });
});

test('every drop has its receipt and can be replayed', async () => {
  const { dropped } = await takeSnapshot();
  const url = producers[0]?.url ?? '';
  const receipts: { id: string; reason: string }[] = [];
  for (let cursor = ''; ;) {
    const response = await fetch(`${url}/v1/extractions?state=dropped&limit=200${cursor}`);
    const page = (await response.json()) as {
      data: { id: string; reason: string }[];
      next_cursor: string | null;
    };
    receipts.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(dropped);
  expect(new Set(receipts.map(({ reason }) => reason))).toEqual(new Set(['queue_limit']));

  const response = await fetch(`${url}/v1/extractions/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'dropped' }),
  });
  const { replayed } = (await response.json()) as { replayed: number };
  expect(replayed).toBe(Math.min(LIMIT, dropped));
  await waitFor(
    async () => {
      const snapshot = await takeSnapshot();
      assertInvariants({ ...snapshot, dropsOutOfOrder: 0 });
      return snapshot.dropped === dropped - replayed && snapshot.pending + snapshot.active === 0;
    },
    { timeoutMs: 30_000, describe: 'the replayed ones to be done' },
  );
});
