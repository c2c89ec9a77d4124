import { claimExtraction, findExtraction, takeUnattended } from '@factmill/database';
import { createWorker, queueConfigOf } from '@factmill/queue';
import { waitFor } from '@factmill/testkit';
import { afterEach, expect, test } from '@jest/globals';
import {
  enqueueExtraction,
  type ExtractorUnderTest,
  openExtractorUnderTest,
  TENANT,
} from '../extractor.fixture.ts';
import { createSweeper, type Sweeper } from './sweeper.ts';

const GRACE_MS = 50;
const SAID = [{ content: 'I live in Lisbon.' }];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Sweepers whose own timer does not fire during a test. */
async function open(
  backend: 'redis' | 'postgres' = 'redis',
): Promise<ExtractorUnderTest & { sweeper: () => Sweeper }> {
  const under = await openExtractorUnderTest({ backend });
  closers.push(under.close);
  return {
    ...under,
    sweeper: () => {
      const sweeper = createSweeper({
        database: under.database,
        queues: under.queues,
        logger: under.logger,
        intervalMs: 3_600_000,
        graceMs: GRACE_MS,
        defaultTenantId: TENANT,
        wantsEmbedding: false,
        indexesTurns: false,
        isBuilding: async () => false,
        signal: null,
        now: Date.now,
      });
      closers.push(sweeper.close);
      return sweeper;
    },
  };
}

async function waitingJobs(under: ExtractorUnderTest): Promise<number> {
  return (await under.queues.counts()).extraction.waiting;
}

/** Sweeps until so many were put back in all. */
async function sweepUntil(sweepers: readonly Sweeper[], count: number): Promise<number> {
  let requeued = 0;
  await waitFor(
    async () => {
      for (const found of await Promise.all(sweepers.map((sweeper) => sweeper.sweep()))) requeued += found;
      return requeued >= count;
    },
    { describe: `${count} extractions to be put back`, timeoutMs: 20_000 },
  );
  return requeued;
}

test.each(['redis', 'postgres'] as const)(
  'what the queue on %s does not know goes back into it',
  async (backend) => {
    const under = await open(backend);
    await under.extract(SAID, { queued: false });
    expect(await waitingJobs(under)).toBe(0);
    expect(await sweepUntil([under.sweeper()], 1)).toBe(1);
    expect(await waitingJobs(under)).toBe(1);
  },
);

test('1,500 lost extractions come back, each once, with four sweepers at it', async () => {
  const under = await open();
  await under.extract(SAID, { queued: false });
  await under.database.query(
    `with conversation as (
       insert into conversations (tenant_id, id, user_id)
       select tenant_id, 'lost ' || n, user_id from extractions, generate_series(1, 1499) as n returning *
     )
     insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset)
     select gen_random_uuid(), tenant_id, user_id, id, 1, 1, 'request', 'standard' from conversation`,
  );
  const sweepers = [under.sweeper(), under.sweeper(), under.sweeper(), under.sweeper()];
  await waitFor(
    async () => {
      // An enqueue that is too slow for its deadline rejects though it happens; the next sweep sees that it has.
      await Promise.allSettled(sweepers.map((sweeper) => sweeper.sweep()));
      return (await waitingJobs(under)) >= 1_500;
    },
    { describe: '1,500 extractions to be put back', timeoutMs: 20_000 },
  );
  expect(await waitingJobs(under)).toBe(1_500);
});

test('what is in the queue already is left alone, and looked at no more than one page of it a round', async () => {
  const under = await open();
  const ids = await Promise.all(Array.from({ length: 3 }, () => under.extract(SAID)));
  const sweeper = under.sweeper();
  await waitFor(
    async () => {
      await sweeper.sweep();
      const rows = await under.database.query('select 1 from extractions where queue_checked_at is not null');
      return rows.rowCount === ids.length;
    },
    { describe: 'all to be looked at' },
  );
  expect(await waitingJobs(under)).toBe(3);
});

test('a failed job that was left under the same id does not hide the loss', async () => {
  const under = await open();
  const id = await under.extract(SAID);
  const worker = await createWorker(
    queueConfigOf(under.config, {
      connectionString: under.config.storage.databaseUrl ?? '',
      embedded: false,
    }),
    {
      queue: 'extraction',
      concurrency: 1,
      handler: () => Promise.resolve({ kind: 'fail', reason: 'test' }),
      logger: under.logger,
      clock: Date.now,
      random: Math.random,
    },
  );
  await waitFor(async () => (await under.queues.counts()).extraction.failed === 1, {
    describe: 'the job to fail',
  });
  await worker.close({ graceMs: 1_000 });
  expect((await findExtraction(under.database, TENANT, id))?.state).toBe('pending');
  expect(await sweepUntil([under.sweeper()], 1)).toBe(1);
  expect(await waitingJobs(under)).toBe(1);
});

test('of a conversation only the first goes back: the next follow when it has ended', async () => {
  const under = await open();
  const [first, second] = [
    await under.extract(SAID, { conversationId: 'c', queued: false }),
    await under.extract(SAID, { conversationId: 'c', queued: false }),
  ];
  expect(await sweepUntil([under.sweeper()], 1)).toBe(1);
  expect(await under.queues.missing('extract', [`${first}_0`, `${second}_0`])).toEqual([`${second}_0`]);
});

test('live work is not touched: a lease, a retry that is not due, a fresh row', async () => {
  const under = await open();
  const take = (graceMs: number) => takeUnattended(under.database, { graceMs, limit: 10 });
  const leased = await under.extract(SAID, { queued: false });
  const claim = await claimExtraction(under.database, {
    tenantId: TENANT,
    id: leased,
    workerId: 'w',
    leaseMs: 60_000,
  });
  expect(claim.kind).toBe('claimed');
  const later = await under.extract(SAID, { queued: false });
  await under.database.query(
    `update extractions set next_attempt_at = now() + interval '1 hour' where id = $1::uuid`,
    [later],
  );
  expect(await take(0)).toEqual([]);
  const fresh = await under.extract(SAID, { queued: false });
  expect(await take(60_000)).toEqual([]);
  await waitFor(async () => (await take(1)).map((row) => row.id).includes(fresh), {
    describe: 'the fresh one to age',
  });
});

test('an extraction whose worker died is found when its lease has run out', async () => {
  const under = await open();
  const id = await under.extract(SAID, { queued: false });
  await claimExtraction(under.database, { tenantId: TENANT, id, workerId: 'dead', leaseMs: 100 });
  expect(await sweepUntil([under.sweeper()], 1)).toBe(1);
  await enqueueExtraction(under.queues, id);
  expect(await waitingJobs(under)).toBe(1);
});
