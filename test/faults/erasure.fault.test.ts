import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, faultSeeds } from '../support/random.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { type FaultStand, openFaultStand } from './fault-stand.ts';
import { dumpedLines, keysWith, linesWith, pathsThatFind, searchPaths } from './find-words.ts';

let stand: FaultStand;
let retrievals: readonly ServiceProcess[];
beforeAll(async () => {
  stand = await openFaultStand({
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_MODEL: 'scripted-embedding',
    SWEEP_INTERVAL_MS: '500',
    SWEEP_GRACE_MS: '500',
  });
  retrievals = await Promise.all([1, 2].map(() => stand.startRetrieval()));
});
afterAll(() => stand.close());

const MESSAGES = 6;
const PATIENCE = { timeoutMs: 60_000, intervalMs: 50 };

type Answer = Readonly<{ status: number; body: Record<string, unknown> }>;

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${stand.gatewayUrl}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
}

/** Has it done, whatever else goes on. */
async function made(method: string, path: string, body?: unknown): Promise<Answer['body']> {
  const answer = await call(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** One extraction, in whose every field is the word. */
const say = (user: string, word: string, n: number) =>
  made('POST', '/v1/extractions', {
    user_id: user,
    conversation_id: `${word}-${n % 3}`,
    messages: [
      {
        id: `${word}-${n}`,
        role: 'user',
        content: `My code word number ${n} is ${word}${n}.`,
        name: word,
        channel: word,
        sender: word,
      },
    ],
    metadata: { word },
  });

/** Something of a user wherever there can be something. */
async function plant(user: string, word: string): Promise<void> {
  const of = { user_id: user };
  await made('POST', '/v1/conversations', {
    ...of,
    id: `${word}-0`,
    title: word,
    project: 'atlas',
    metadata: { word },
  });
  for (let n = 0; n < MESSAGES; n += 1) await say(user, word, n);
  await untilNothingOpen();
  await made('POST', '/v1/memories', {
    ...of,
    key: 'city',
    value: word,
    tags: [word],
    project: 'atlas',
    metadata: { word },
  });
  await made('POST', '/v1/memories/import', {
    ...of,
    source: word,
    items: [{ id: word, content: `A note of ${word}.` }],
  });
  await made('POST', '/v1/documents', { ...of, id: word, title: word, content: `A text about ${word}.` });
  await made('PUT', '/v1/summary', { ...of, content: `Likes ${word}.` });
  await made('POST', '/v1/tools/memory', { ...of, action: 'save', key: 'pet', value: word });
  await made('PATCH', `/v1/users/${user}`, { preset: 'standard' });
  await made('POST', '/v1/compressions', { ...of, kind: 'weekly' });
  await made('POST', '/v1/chat/completions', {
    model: 'scripted-model',
    user,
    memory_id: `${word}-chat`,
    messages: [{ role: 'user', content: `I told you of ${word}.` }],
  });
  await made('POST', '/v1/replays', { ...of, preset: 'standard' });
  // Both processes hold the user's words and vectors from the second search on.
  for (const { url } of retrievals) {
    for (let round = 0; round < 3; round += 1) {
      await pathsThatFind(url, searchPaths(user, `Which ${word}?`).slice(0, 2), [word]);
    }
  }
}

/** Waits until no worker has anything left to do. */
function untilNothingOpen(): Promise<unknown> {
  const open = ['extractions', 'compression_runs', 'replay_runs'].map(
    (table) => `(select count(*) from ${table} where state in ('pending', 'active'))`,
  );
  return waitFor(
    async () => {
      const { count } = await stand.database.one<{ count: number }>(
        `select (${open.join(' + ')})::integer as count`,
      );
      return count === 0;
    },
    { ...PATIENCE, describe: 'all work to be over' },
  );
}

/** Asks for the erasure and waits for the receipt; null when there is nothing to erase. */
async function erase(user: string): Promise<Answer['body'] | null> {
  const asked = await call('DELETE', `/v1/users/${user}`);
  if (asked.status === 404) return null;
  expect(asked.status).toBe(202);
  return waitFor(
    async () => {
      const { body } = await call('GET', `/v1/erasures/${String(asked.body['id'])}`);
      return body['state'] === 'done' ? body : undefined;
    },
    { ...PATIENCE, describe: 'the receipt' },
  );
}

const searchesThatFind = async (word: string): Promise<string[]> =>
  (
    await Promise.all(
      retrievals.map(({ url }) =>
        pathsThatFind(url, searchPaths(word, `Which ${word}, or code word 3?`), [word]),
      ),
    )
  ).flat();

/** Where a word is, by every look there is. */
async function everywhere(word: string) {
  return {
    dump: await dumpedLines(stand.postgres.connectionString, [word]),
    redis: await keysWith(stand.redis.url, [word]),
    logs: linesWith(stand.logs(), [word]),
    searches: await searchesThatFind(word),
  };
}

test.each(faultSeeds())('seed %i: an erased user is nowhere, whatever was under way', async (seed) => {
  const random = createRandom(seed);
  const extractors = await Promise.all([1, 2].map(() => stand.startExtractor()));
  await stand.slowModel('as usual');
  // One word for everything of theirs, their id too.
  const [word, other] = [`zqleaver${seed}`, `zqstayer${seed}`];
  await Promise.all([plant(word, word), plant(other, other)]);
  await untilNothingOpen();

  // The model thinks for long, so that its answers come while the erasure runs, and after it.
  await stand.resetModelCalls();
  await stand.slowModel(800);
  const leaving = new AbortController();
  const load = [word, other].map(async (user) => {
    for (let n = MESSAGES; n < 5 * MESSAGES && !leaving.signal.aborted; n += 1) await say(user, user, n);
  });
  await waitFor(async () => (await stand.modelCalls()) > 0, { describe: 'calls to be under way' });
  await delay(random() * 500);
  const victim = extractors[Math.floor(random() * extractors.length)];
  const killed = delay(random() * 300).then(() => victim?.kill('SIGKILL'));
  const receipt = await erase(word);
  leaving.abort();
  await Promise.all(load);
  // What they said after the receipt began anew; now they say no more.
  await erase(word);
  expect(await searchesThatFind(word)).toEqual([]);

  // What is under way ends: after that nothing can be written any more.
  await killed;
  await Promise.all(
    extractors.filter((extractor) => extractor !== victim).map((extractor) => extractor.kill('SIGTERM')),
  );
  expect(await everywhere(word)).toEqual({ dump: [], redis: [], logs: [], searches: [] });
  expect(JSON.stringify(receipt)).not.toContain(word);
  expect(await erase(word)).toBeNull();
  // The same look finds what is there.
  const stays = await everywhere(other);
  expect(stays.dump.length).toBeGreaterThan(MESSAGES);
  expect(stays.searches.length).toBeGreaterThan(20);
  expect([stays.redis, stays.logs]).toEqual([[], []]);
});
