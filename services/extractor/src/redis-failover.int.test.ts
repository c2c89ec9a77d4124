import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawEnvironment } from '@factmill/config';
import { assertRedisReady } from '@factmill/queue';
import { startRedisCluster, startRedisSentinels, waitFor } from '@factmill/testkit';
import { afterEach, expect, test } from '@jest/globals';
import {
  enqueueExtraction,
  type ExtractorUnderTest,
  openExtractorUnderTest,
  TENANT,
} from './extractor.fixture.ts';

type Stand = Readonly<{ env: RawEnvironment; killMaster: () => Promise<void>; close: () => Promise<void> }>;

/** Accepted before the master is killed, while it is away, and after another server has taken its place. */
const BEFORE = 40;
const MEANWHILE = 20;
const AFTER = 10;
const USERS = 5;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openCluster(dir: string): Promise<Stand> {
  const cluster = await startRedisCluster({ dir });
  return {
    env: { REDIS_MODE: 'cluster', REDIS_URL: cluster.url, QUEUE_PREFIX: 'ours' },
    killMaster: () => cluster.killMasterOf('{ours}'),
    close: cluster.close,
  };
}

async function openSentinels(dir: string): Promise<Stand> {
  const { url, master, sentinelPassword, killMaster, close } = await startRedisSentinels({ dir });
  return {
    env: {
      REDIS_MODE: 'sentinel',
      REDIS_URL: url,
      REDIS_SENTINEL_MASTER: master,
      REDIS_SENTINEL_PASSWORD: sentinelPassword,
    },
    killMaster,
    close,
  };
}

/** Every extraction with its state, and every memory with its history: a second writing of one would show. */
async function outcome({ database }: ExtractorUnderTest): Promise<unknown> {
  const { rows: states } = await database.query(
    'select state, count(*)::integer as extractions from extractions group by state',
  );
  const { rows: memories } = await database.query(
    `select count(*)::integer as rows, count(distinct (user_id, key, value))::integer as memories,
       count(*) filter (where is_current)::integer as current from memories where key like 'code_word_%'`,
  );
  const { rows: versions } = await database.query(
    'select count(*)::integer as versions from memory_versions',
  );
  return { states, memories, versions };
}

test.each([
  ['a cluster of six', openCluster],
  ['three Sentinels', openSentinels],
])('%s: the master dies under load, nothing is lost and nothing is there twice', async (_name, openStand) => {
  const dir = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const stand = await openStand(dir);
  closers.push(stand.close);
  const under = await openExtractorUnderTest({ env: { ...stand.env, EXTRACTOR_CONCURRENCY: '4' } });
  closers.push(under.close);
  const { redis } = under.config.storage;
  if (redis === null) throw new Error('there is no Redis');
  await assertRedisReady(redis, { logger: under.logger });
  under.model.setReply(() => ({ delayMs: 20 }));

  let accepted = 0;
  /** As a gateway does: accepts, tries once to put it into the queue, and leaves the rest to the sweeper. */
  const accept = async (count: number): Promise<void> => {
    for (const end = accepted + count; accepted < end; accepted += 1) {
      const said = [{ content: `My code word number ${accepted} is zebra${accepted}.` }];
      const id = await under.extract(said, { userId: `user-${accepted % USERS}`, queued: false });
      const data = { extractionId: id, tenantId: TENANT };
      await under.queues
        .enqueue([{ name: 'extract', data, jobId: `${id}_0` }])
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'queue_unavailable' }));
    }
  };
  await under.start();
  await accept(BEFORE);
  await stand.killMaster();
  await accept(MEANWHILE);
  // A queue that takes jobs again has a new master.
  const last = await under.extract([{ content: 'My code word number 999 is zebra999.' }], { queued: false });
  await enqueueExtraction(under.queues, last);
  await accept(AFTER);

  const all = BEFORE + MEANWHILE + AFTER + 1;
  const done = async () =>
    (
      await under.database.one<{ n: number }>(
        "select count(*)::integer as n from extractions where state = 'done'",
      )
    ).n;
  await waitFor(async () => (await done()) === all, {
    describe: 'all extractions to be done',
    timeoutMs: 60_000,
  });
  expect(await outcome(under)).toEqual({
    states: [{ state: 'done', extractions: all }],
    memories: [{ rows: all, memories: all, current: all }],
    versions: [{ versions: all }],
  });
});
