import type { Statistics } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { type Row, inMs } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { processorTimeByThread } from './processor-time.ts';
import type { Service } from './start-service.ts';

const USERS = 16;
const AIM_PER_SECOND = 40;
const CORES = 2;

/**
 * Users who send messages at once, each the next one as soon as the last is accepted: rules, local vectors. Elapsed
 * time is worth something only on a quiet machine; processor time says what the limit is on a busy one too.
 */
export async function measureExtractions(service: Service, quick: boolean): Promise<Row[]> {
  await extractAll(service, 'warm-up', quick ? 2 : 30);
  const before = processorTimeByThread(service.pid);
  const startedAt = performance.now();
  const count = await extractAll(service, 'measured', quick ? 2 : 60);
  const perSecond = (count * 1_000) / (performance.now() - startedAt);
  const after = processorTimeByThread(service.pid);
  const costOf = (thread: string) => ((after[thread] ?? 0) - (before[thread] ?? 0)) / count;
  const cost = Object.keys(after).reduce((sum, thread) => sum + costOf(thread), 0);
  const [database, embedding, main] = ['embedded-databa', 'model', 'MainThread'].map(costOf) as [
    number,
    number,
    number,
  ];
  const limit = 1_000 / Math.max(cost / CORES, database, main, embedding);
  const aimed = (value: number) => ({ text: `≥ ${AIM_PER_SECOND}`, reached: value >= AIM_PER_SECOND });
  return [
    {
      benchmark: 'embedded',
      measure: `extractions/s by rules with local vectors, ${USERS} users at once, the clients on the same machine`,
      ours: perSecond.toFixed(1),
      aim: aimed(perSecond),
    },
    {
      benchmark: 'embedded',
      measure: 'processor time of an extraction (in the database, the embedding and the main thread)',
      ours: `${inMs(cost)} (${inMs(database)}, ${inMs(embedding)}, ${inMs(main)})`,
    },
    {
      benchmark: 'embedded',
      measure: `extractions/s that this allows on ${CORES} cores, without the clients`,
      ours: limit.toFixed(1),
      aim: aimed(limit),
    },
  ];
}

/** Sends everything and waits until it is extracted; resolves to how many extractions that were. */
async function extractAll({ url }: Service, batch: string, perUser: number): Promise<number> {
  const users = Array.from({ length: USERS }, (_, index) => `${batch}-${index}`);
  await Promise.all(
    users.map(async (user_id, user) => {
      for (let turn = 0; turn < perUser; turn += 1) {
        const messages = [{ role: 'user', content: sayingOf(user * 31 + turn * 7, turn) }];
        await callJson(`${url}/v1/extractions`, {}, { user_id, messages });
      }
    }),
  );
  for (const user of users) {
    await waitFor(
      async () => {
        const { extractions, memories } = await callJson<Statistics>(`${url}/v1/stats?user_id=${user}`, {});
        return extractions.by_state.done === perUser && memories.current > 0 && memories.without_vector === 0;
      },
      { timeoutMs: 10 * 60_000, intervalMs: 50, describe: `the extractions of ${user}` },
    );
  }
  return USERS * perUser;
}

const CITIES = ['Lisbon', 'Oslo', 'Utrecht', 'Porto', 'Ghent', 'Turin', 'Graz', 'Lyon', 'Bergen', 'Kyoto'];
const JOBS = [
  'nurse',
  'teacher',
  'baker',
  'plumber',
  'pilot',
  'designer',
  'lawyer',
  'farmer',
  'chemist',
  'cook',
];
const NAMES = ['Bruno', 'Luna', 'Milo', 'Nala', 'Oscar', 'Ruby', 'Toby', 'Zoe', 'Coco', 'Max'];
const HOBBIES = ['chess', 'sailing', 'pottery', 'climbing', 'baking', 'archery', 'surfing', 'judo', 'rowing'];

/** One to three facts: some are new, and some replace what the user said before. */
function sayingOf(number: number, turn: number): string {
  const one = (list: readonly string[], offset = 0) => list[(number + offset) % list.length];
  const sayings = [
    `I moved to ${one(CITIES)} in ${1990 + (number % 30)} and I work as a ${one(JOBS, turn)}.`,
    `My dog is called ${one(NAMES)} ${turn}. I love ${one(HOBBIES)} on day ${turn}.`,
    `I have an appointment with Dr. ${one(NAMES, 3)} on ${1 + (number % 28)} March and I like ${one(HOBBIES, 5)}.`,
    `My sister ${one(NAMES, turn)} lives in ${one(CITIES, 2)} and she studies ${one(HOBBIES, 1)}.`,
  ];
  return sayings[turn % sayings.length] ?? '';
}
