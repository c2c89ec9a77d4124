import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { diskUse } from './disk-use.ts';
import { createProcessorTime } from './processor-time.ts';
import { percentilesOf, runClients } from './search-clients.ts';
import { seedMemories } from './seed-memories.ts';
import { createStage } from './stage.ts';

const MEMORIES = 100_000;
const CLIENTS = 8;
const WORDS = ['kettle', 'bicycle', 'violin', 'camera', 'lamp', 'radio', 'map', 'coat'];
const USERS = ['has-1000', 'has-100', 'filler-1', 'filler-2', 'filler-3', 'filler-4'];

/** Searches by clients that search again at once, with one and with two retrieval processes. */
export const scaleSearches: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const memories = quick ? MEMORIES / 10 : MEMORIES;
    await seedMemories(stage, memories);
    const bytes = (await diskUse(stage, ['memories', 'memory_embeddings'])) / memories;
    const gateway = await stage.start('gateway');
    const headers = await stage.createClientHeaders(gateway);
    const services = [await stage.start('retrieval'), await stage.start('retrieval')];
    const rows: Row[] = [
      {
        benchmark: 'scale',
        measure:
          'disk of a memory of 60 characters with its vector of 512 dimensions and their indexes, without versions',
        ours: `${(bytes / 1_024).toFixed(1)} kB`,
      },
    ];
    for (const count of [1, 2]) {
      const used = services.slice(0, count);
      const search = async (turn: number) => {
        const body = {
          user_id: USERS[turn % USERS.length],
          query: `Where is the ${WORDS[turn % WORDS.length]}?`,
        };
        await callJson(`${used[turn % count]?.url}/v1/memories/search`, headers, body);
      };
      await runClients(CLIENTS, 2, search);
      const processorTime = await createProcessorTime(used, stage.database);
      const before = processorTime();
      const measured = await runClients(CLIENTS, quick ? 2 : 10, search);
      // runClients measures four fifths of what it runs.
      const each = (processorTime() - before) / (measured.times.length * 1.2);
      rows.push({
        benchmark: 'scale',
        measure: `searches/s of ${CLIENTS} clients, ${count} retrieval; p50 / p95; processor time of retrieval and Postgres for each`,
        ours: `${grouped(measured.perSecond)}; ${inMs(percentilesOf(measured).p50)} / ${inMs(percentilesOf(measured).p95)}; ${inMs(each)}`,
      });
    }
    return rows;
  } finally {
    await stage.close();
  }
};
