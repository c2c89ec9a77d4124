import type { Statistics } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { callJson } from './call-json.ts';

const BATCH = 300;
const RARE_TAGS_PER_MEMORY = 4;
const COLOURS = ['red', 'green', 'blue', 'wooden', 'broken', 'borrowed', 'new'];
export const THINGS = ['bicycle', 'kettle', 'notebook', 'lamp', 'chair', 'violin', 'camera', 'map', 'coat'];
const PLACES = ['kitchen', 'garden', 'office', 'attic', 'hall', 'shed'];

/**
 * Stores this many memories of a user over REST and waits until all have their vectors. They have tags (one of which
 * is on four of them), three tiers, and every tenth belongs to one of five conversations.
 */
export async function storeMemories(url: string, userId: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      memoryOf(from + at, count),
    );
    await callJson(`${url}/v1/memories/batch`, {}, { user_id: userId, memories });
  }
  await waitFor(
    async () => {
      const { memories } = await callJson<Statistics>(`${url}/v1/stats?user_id=${userId}`, {});
      return memories.current === count && memories.without_vector === 0;
    },
    { timeoutMs: 30 * 60_000, intervalMs: 1_000, describe: 'the vectors of all memories' },
  );
}

function memoryOf(number: number, count: number): object {
  const one = (list: readonly string[], step = 1) => list[Math.floor(number / step) % list.length];
  return {
    content: `In note ${number} the ${one(COLOURS)} ${one(THINGS)} is in the ${one(PLACES, 7)}.`,
    tags: [`rare${number % (count / RARE_TAGS_PER_MEMORY)}`, number % 3 === 0 ? 'home' : 'work'],
    tier: 1 + (number % 10 === 0 ? 2 : 1),
    ...(number % 10 === 5 ? { scope: `c${(number % 50) / 10 - 0.5}` } : {}),
  };
}
