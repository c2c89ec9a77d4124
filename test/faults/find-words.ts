import { testPgBinDir } from '@factmill/testkit';
import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const SEARCHES: readonly Readonly<Record<string, unknown>>[] = [
  ...['fused', 'enhanced', 'classic', 'vector'].map((mode) => ({ mode })),
  ...['vector', 'text', 'trigram', 'key', 'project', 'date', 'recent'].map((channel) => ({
    channels: [channel],
  })),
  { include_turns: true, include_pending: true, fill: true, limit: 200 },
  { as_of: '2100-01-01T00:00:00Z' },
  { fill: true, filters: { project: 'atlas' } },
];
const CONTEXTS = ['facts', 'section', 'summary', 'augmented'] as const;

/** A way to ask a retrieval process for what it knows of somebody, or of everybody. */
type SearchPath = Readonly<{ path: string; body: Readonly<Record<string, unknown>> }>;

/** Every way to search, as a user and over all users. */
export function searchPaths(userId: string, query: string): SearchPath[] {
  const searches = SEARCHES.flatMap((search) => [
    { query, user_id: userId, ...search },
    { query, all_users: true, ...search },
  ]);
  return [
    ...searches.map((body) => ({ path: '/v1/memories/search', body })),
    // With the word in it, the format `augmented` would repeat it.
    ...CONTEXTS.map((format) => ({
      path: '/v1/context',
      body: { query: 'Which code word number 3?', user_id: userId, format },
    })),
  ];
}

/** The paths whose answer has one of the words. An answer repeats no query. */
export async function pathsThatFind(
  url: string,
  paths: readonly SearchPath[],
  words: readonly string[],
): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async ({ path, body }) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status >= 500) throw new Error(`${path}: ${response.status} ${text}`);
      const { query: _, user_id: of, ...how } = body;
      // Whose memory it is, as they asked.
      const { user_id: _of, ...answer } = JSON.parse(text) as Record<string, unknown>;
      return contains(JSON.stringify(answer), words)
        ? [`${path} ${of === undefined ? 'all ' : ''}${JSON.stringify(how)}`]
        : [];
    }),
  );
  return found.flat();
}

/** The lines with one of the words in a dump of everything in a database. */
export async function dumpedLines(connectionString: string, words: readonly string[]): Promise<string[]> {
  const dump = spawn(join(testPgBinDir(), 'pg_dump'), ['--dbname', connectionString, '--inserts']);
  let [text, errors] = ['', ''];
  dump.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  dump.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part));
  const code = await new Promise((resolve) => dump.once('close', resolve));
  if (code !== 0) throw new Error(`pg_dump: ${errors}`);
  return linesWith(text, words);
}

/** The lines of a text with one of the words, cut. */
export function linesWith(text: string, words: readonly string[]): string[] {
  return text.split('\n').flatMap((line) => (contains(line, words) ? [line.slice(0, 300)] : []));
}

/** The keys of a Redis with one of the words, in their name or in what they hold. */
export async function keysWith(url: string, words: readonly string[]): Promise<string[]> {
  const redis = new Redis(url);
  try {
    const found: string[] = [];
    for (const key of await redis.keys('*')) {
      const held = await holdOf(redis, key);
      if (contains(`${key} ${JSON.stringify(held)}`, words)) found.push(key);
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

async function holdOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      // Gone meanwhile.
      return null;
  }
}

function contains(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase();
  return words.some((word) => folded.includes(word));
}
