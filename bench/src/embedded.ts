import { loadavg } from 'node:os';
import type { Benchmark, Row } from './benchmark.ts';
import { measureAccepting, rowsOfAccepting } from './embedded-accepting.ts';
import { searchesOf } from './embedded-asks.ts';
import { embeddedEnv } from './embedded-env.ts';
import { measureExtractions } from './embedded-extractions.ts';
import { storeMemories } from './embedded-memories.ts';
import { measureSearches, rowsOfSearches, slowestOf } from './embedded-searches.ts';
import { createStage } from './stage.ts';

const SIZES = [1_000, 5_000, 20_000];
const QUICK_SIZES = [100];

/**
 * `npm start` on embedded storage: extractions a second; for users with few and many memories each kind of search, and
 * accepting alone and beside clients that send the slowest of them without pause.
 */
export const embedded: Benchmark = async ({ quick, profileDirectory, memories }) => {
  const sizes = memories === undefined ? (quick ? QUICK_SIZES : SIZES) : [memories];
  const stage = await createStage(profileDirectory);
  try {
    const service = await stage.start('standalone', embeddedEnv(stage));
    const rows: Row[] = await measureExtractions(service, quick);
    for (const count of sizes) {
      const user = `has-${count}`;
      await storeMemories(service.url, user, count);
      const searches = searchesOf(user);
      const measured = await measureSearches(service, searches, quick ? 2 : 20);
      const slowest = slowestOf(measured);
      const rounds = await measureAccepting(service, searches[slowest], quick);
      rows.push(
        ...rowsOfSearches(measured, count),
        ...rowsOfAccepting(rounds, `${slowest}, ${count} memories`),
      );
    }
    return [
      ...rows,
      { benchmark: 'embedded', measure: 'load average at the end', ours: loadavg()[0]?.toFixed(1) ?? '' },
    ];
  } finally {
    await stage.close();
  }
};
