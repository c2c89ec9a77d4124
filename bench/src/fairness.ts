import { generateApiKey } from '@factmill/auth';
import { createPool, ensureTenant, insertApiKey } from '@factmill/database';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { type FloodName, FLOODS } from './floods.ts';
import { createProcessorTime, type ProcessorTime } from './processor-time.ts';
import { type Measured, percentilesOf, runPaced } from './search-clients.ts';
import { seedMemories } from './seed-memories.ts';
import { createStage, type Stage } from './stage.ts';
import type { Service } from './start-service.ts';
import { medianRatio, percentile } from './statistics.ts';

const AIM = 3;
const MEMORIES = 100_000;
const SEARCHES_PER_SECOND = 10;
/** Users of the measured tenant; all others belong to the flooding tenant. */
const QUIET_USERS = ['has-1000', 'has-100'];
const QUIET_USER = 'has-1000';

/** `work`: the processor time, in milliseconds, of all our processes during each search. */
type Paced = Measured & Readonly<{ errors: number; work: readonly number[] }>;
type Round = Readonly<{ quiet: Paced; flooded: Paced; answers: Readonly<Record<string, number>> }>;

/**
 * Searches of one tenant at fixed intervals, alone and while another tenant floods the same services, in turns, with
 * each expensive kind of request.
 */
export const fairness: Benchmark = async ({ quick, profileDirectory }) => {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10];
  const stage = await createStage(profileDirectory);
  try {
    await seedMemories(stage, quick ? MEMORIES / 10 : MEMORIES);
    const floodingKey = await moveToFloodingTenant(stage);
    const upstream = await stage.startProgram('chat-upstream', { hasHttp: true });
    const retrieval = await stage.start('retrieval', LIMITS);
    const gateway = await stage.start('gateway', {
      ...LIMITS,
      RETRIEVAL_URL: retrieval.url,
      CHAT_BASE_URL: `${upstream.url}/v1`,
      CHAT_API_KEY: 'of-the-upstream',
      CHAT_MEMORY: 'true',
    });
    const processorTime = await createProcessorTime([gateway, retrieval], stage.database);
    const headers = await stage.createClientHeaders(gateway);
    const search = createSearch(gateway, headers, processorTime);
    await search(5);
    const rows: Row[] = [];
    for (const kind of Object.keys(FLOODS) as FloodName[]) {
      const extractor = await stage.start('extractor');
      const results: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const quiet = await search(seconds);
        const flood = await startFlood(stage, gateway, floodingKey, kind);
        // Waits until the flood is at full rate.
        await search(2);
        const flooded = await search(seconds);
        results.push({ quiet, flooded, answers: await flood.stop() });
      }
      await extractor.stop();
      await removeFlood(stage);
      rows.push(...rowsOf(kind, results));
    }
    return rows;
  } finally {
    await stage.close();
  }
};

/** Default limits; other benchmarks set them out of reach. */
const LIMITS = { RATE_LIMIT_KEY: '500', RATE_LIMIT_TENANT: '1000' };

function createSearch(gateway: Service, headers: Record<string, string>, processorTime: ProcessorTime) {
  return async (seconds: number): Promise<Paced> => {
    let errors = 0;
    const work: number[] = [];
    const measured = await runPaced(SEARCHES_PER_SECOND, seconds, async (turn) => {
      const body = { user_id: QUIET_USER, query: `Where is the ${WORDS[turn % WORDS.length]}?` };
      const before = processorTime();
      await callJson(`${gateway.url}/v1/memories/search`, headers, body).catch((error: unknown) => {
        errors += 1;
        console.error(String(error));
      });
      work.push(processorTime() - before);
    });
    return { ...measured, errors, work };
  };
}

const WORDS = ['kettle', 'bicycle', 'violin', 'camera', 'lamp', 'radio', 'map', 'coat'];

type Answers = Readonly<Record<string, number>>;

async function startFlood(stage: Stage, gateway: Service, key: string, kind: FloodName) {
  const countsFile = join(stage.folder, `${kind}-${Date.now()}.json`);
  const program = await stage.startProgram('flood', {
    env: { KIND: kind, GATEWAY: gateway.url, KEY: key, COUNTS_FILE: countsFile },
    hasHttp: false,
  });
  return {
    async stop(): Promise<Answers> {
      await program.stop();
      return JSON.parse(await readFile(countsFile, 'utf8')) as Answers;
    },
  };
}

/** Gives most of the memories to another tenant, and creates a key for it. */
async function moveToFloodingTenant(stage: Stage): Promise<string> {
  const pool = createPool({
    connectionString: stage.databaseUrl,
    max: 1,
    applicationName: 'factmill-bench',
    logger: { info: () => undefined, warn: () => undefined },
  });
  try {
    const tenantId = await ensureTenant(pool, 'flooding', uuidv7());
    // The tenant is part of the key that vectors refer to: both change before it is checked again.
    await pool.query('set session_replication_role = replica');
    for (const table of ['memories', 'memory_embeddings']) {
      await pool.query(`update ${table} set tenant_id = $1::uuid where user_id <> all ($2::text[])`, [
        tenantId,
        QUIET_USERS,
      ]);
    }
    await pool.query('reset session_replication_role');
    await pool.query('vacuum (analyze) memories, memory_embeddings');
    const { id, key, secretSha256 } = generateApiKey();
    const owner = { name: 'flooding', userId: null, expiresAt: null };
    await insertApiKey(pool, { id, tenantId, secretSha256, permissions: ['admin'], ...owner });
    return key;
  } finally {
    await pool.close();
  }
}

/** Deletes what a flood has stored, so that the next one starts equal. */
async function removeFlood({ database }: Stage): Promise<void> {
  for (const table of ['documents', 'conversations', 'extractions'])
    await database.query(`delete from ${table}`);
  // The stage's memories have numbers as ids.
  await database.query(`delete from memories where id > '00000000-0000-7000-9000-000000000000'`);
  await database.query('vacuum (analyze)');
}

function rowsOf(kind: FloodName, rounds: readonly Round[]): Row[] {
  const p95s = (which: 'quiet' | 'flooded') => rounds.map((round) => percentilesOf(round[which]).p95);
  const all = (which: 'quiet' | 'flooded') =>
    percentilesOf({ times: rounds.flatMap((round) => round[which].times), perSecond: 0 });
  const workOf = (which: 'quiet' | 'flooded') =>
    percentile(
      rounds.flatMap((round) => round[which].work),
      95,
    );
  const ratio = medianRatio(p95s('flooded'), p95s('quiet'));
  const errors = rounds.reduce((sum, { quiet, flooded }) => sum + quiet.errors + flooded.errors, 0);
  const { clients, what } = FLOODS[kind];
  const answers = new Map<string, number>();
  for (const round of rounds) {
    for (const [status, count] of Object.entries(round.answers)) {
      answers.set(status, (answers.get(status) ?? 0) + count);
    }
  }
  const answered = [...answers].map(([status, count]) => `${grouped(count)} × ${status}`).join(', ');
  return [
    {
      benchmark: 'fairness',
      measure: `search p95 beside ${clients} clients with ${what}; baseline: quiet`,
      ours: inMs(all('flooded').p95),
      baseline: inMs(all('quiet').p95),
      ratio,
      aim: { text: `≤ ${AIM}`, reached: ratio <= AIM },
    },
    {
      benchmark: 'fairness',
      measure: 'processor time that gateway, retrieval and Postgres used meanwhile, p95',
      ours: inMs(workOf('flooded')),
      baseline: inMs(workOf('quiet')),
      ratio: workOf('flooded') / workOf('quiet'),
    },
    {
      benchmark: 'fairness',
      measure: `failed searches; the flood was answered ${answered}; load average ${loadavg()[0]?.toFixed(1)}`,
      ours: String(errors),
      aim: { text: '0', reached: errors === 0 },
    },
  ];
}
