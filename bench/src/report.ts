import { testDatabaseUrl, testRedisUrl } from '@factmill/testkit';
import { Redis } from 'ioredis';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { Client } from 'pg';
import type { Row } from './benchmark.ts';

/** The machine and its load. Call it before the first benchmark. */
export async function describeMachine(command: string): Promise<string> {
  const database = new Client({ connectionString: testDatabaseUrl() });
  await database.connect();
  const { rows } = await database.query<{
    postgres: string;
    pgvector: string;
    buffers: string;
    flushes: boolean;
  }>(
    `select current_setting('server_version') as postgres,
       current_setting('shared_buffers') as buffers, current_setting('fsync') = 'on' as flushes,
       (select default_version from pg_available_extensions where name = 'vector') as pgvector`,
  );
  await database.end();
  const redis = new Redis(testRedisUrl());
  const redisVersion = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1];
  redis.disconnect();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${new Date().toISOString().slice(0, 10)}, \`${command}\`.`,
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${gigabytes} GB; load average at the start ${loadavg()[0]?.toFixed(1)}.`,
    `Node ${process.versions.node}, PostgreSQL ${rows[0]?.postgres} with pgvector ${rows[0]?.pgvector}, ${rows[0]?.buffers} of shared buffers, ${rows[0]?.flushes ? '' : 'not '}flushing to disk, Redis ${redisVersion} with AOF; all of them, the load generator and the model share the machine.`,
  ].join('\n');
}

/** The results as one Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.benchmark,
    row.measure,
    row.ours,
    row.baseline ?? '',
    row.ratio?.toFixed(2) ?? '',
    row.aim?.text ?? '',
    row.aim === undefined ? '' : row.aim.reached ? 'yes' : '**no**',
  ]);
  const header = ['benchmark', 'measure', 'Factmill', 'baseline', 'ratio', 'aim', 'reached'];
  return toMarkdownTable(header, cells);
}

export function toMarkdownTable(header: readonly string[], cells: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`);
  return lines.join('\n');
}

/** Puts results between the markers `<!-- section -->` and `<!-- /section -->` of bench/results/<section>.md. */
export async function writeResults(
  section: 'standard' | 'search' | 'fairness' | 'embedded' | 'recall' | 'cost' | 'scale' | 'row-security',
  text: string,
): Promise<void> {
  const file = new URL(`../results/${section}.md`, import.meta.url);
  const page = await readFile(file, 'utf8');
  const between = new RegExp(`(<!-- ${section} -->\\n)[\\s\\S]*(<!-- /${section} -->)`);
  if (!between.test(page)) throw new Error(`bench/results/${section}.md has lost its markers`);
  await writeFile(
    file,
    page.replace(between, (_, open: string, close: string) => `${open}\n${text}\n\n${close}`),
  );
}
