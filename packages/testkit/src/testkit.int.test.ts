import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { createRedisNamespace } from './redis-namespace.ts';
import { startPostgres } from './start-postgres.ts';
import { startProcess } from './start-process.ts';
import { startRedis } from './start-redis.ts';
import { createEmptyDatabase, createTestDatabase } from './test-database.ts';
import { waitFor } from './wait-for.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'factmill-testkit-'));
  // The account of Postgres has to get through to its own folder in here.
  await chmod(directory, 0o755);
});

afterAll(() => rm(directory, { recursive: true }));

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('databases', () => {
  test('of tests in parallel come from one template and are apart', async () => {
    await mkdir(join(directory, 'migrations'));
    await writeFile(
      join(directory, 'migrations/0001_first.sql'),
      `create table first (n integer); -- ${Date.now()}`,
    );
    let migrated = 0;
    const migrate = async (connectionString: string) => {
      migrated += 1;
      await query(connectionString, 'create table first (n integer)');
    };
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => createTestDatabase({ migrate, schemaDirectory: directory })),
    );
    expect(migrated).toBe(1);
    await query(databases[0]?.connectionString ?? '', 'insert into first values (1)');
    await expect(query(databases[1]?.connectionString ?? '', 'select n from first')).resolves.toEqual([]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  test('are dropped although someone is connected', async () => {
    const database = await createEmptyDatabase();
    const client = new Client({ connectionString: database.connectionString });
    client.on('error', () => undefined);
    await client.connect();
    await database.drop();
    await expect(query(database.connectionString, 'select 1')).rejects.toThrow('does not exist');
    await client.end();
  });
});

test('a Redis namespace deletes its own keys only', async () => {
  const [mine, other] = [createRedisNamespace(), createRedisNamespace()];
  const redis = new Redis(mine.url);
  await redis.mset(`${mine.keyPrefix}:a`, '1', `${mine.keyPrefix}:b`, '1', `${other.keyPrefix}:a`, '1');
  await mine.cleanup();
  await expect(redis.exists(`${mine.keyPrefix}:a`, `${mine.keyPrefix}:b`)).resolves.toBe(0);
  await expect(redis.exists(`${other.keyPrefix}:a`)).resolves.toBe(1);
  await other.cleanup();
  redis.disconnect();
});

describe('processes', () => {
  test('are ready when they say so, see their own environment only, and end when told', async () => {
    const entry = join(directory, 'child.ts');
    await writeFile(
      entry,
      `const seen: number = Object.keys(process.env).filter((name) => name.startsWith('TEST_')).length;
       process.on('SIGTERM', () => process.exit(3));
       console.log('listening on ' + process.env['PORT'] + ' seen ' + seen);
       setInterval(() => undefined, 1000);`,
    );
    const child = await startProcess({
      entry,
      env: { PORT: '4711' },
      readyWhen: /listening on (\d+) seen (\d+)/,
    });
    expect(child.ready?.slice(1)).toEqual(['4711', '0']);
    await child.kill('SIGTERM');
    await expect(child.exit).resolves.toEqual({ code: 3, signal: null });
  });

  test('that end before they are ready reject with their output', async () => {
    const entry = join(directory, 'failing.ts');
    await writeFile(entry, `console.error('no configuration'); process.exit(1);`);
    await expect(startProcess({ entry, env: {}, readyWhen: /ready/ })).rejects.toThrow('no configuration');
  });
});

test('an own Redis keeps its data over a restart and a kill', async () => {
  const redis = await startRedis({ dir: directory });
  const client = new Redis(redis.url, { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await client.set('kept', 'yes');
  await redis.stop();
  await redis.start();
  await expect(client.get('kept')).resolves.toBe('yes');
  await redis.kill();
  await redis.start();
  await expect(client.get('kept')).resolves.toBe('yes');
  client.disconnect();
  await redis.stop();
});

test('an own Postgres keeps its data over fast and immediate stops and a kill', async () => {
  const dir = await mkdtemp(join(directory, 'postgres-'));
  const postgres = await startPostgres({ dir });
  await query(postgres.connectionString, 'create table kept as select 1 as n');
  for (const end of [() => postgres.stop('fast'), () => postgres.stop('immediate'), () => postgres.kill()]) {
    await end();
    await expect(query(postgres.connectionString, 'select 1')).rejects.toThrow('ECONNREFUSED');
    await postgres.start();
    await expect(query(postgres.connectionString, 'select n from kept')).resolves.toEqual([{ n: 1 }]);
  }
  await postgres.stop('immediate');
});

test('waitFor gives up with what it waited for and why', async () => {
  let calls = 0;
  await expect(waitFor(() => (calls += 1) > 2 && 'done', { describe: 'three calls' })).resolves.toBe('done');
  const never = waitFor(() => Promise.reject(new Error('still closed')), {
    timeoutMs: 60,
    describe: 'the door',
  });
  await expect(never).rejects.toMatchObject({
    message: 'timed out waiting for the door',
    cause: expect.objectContaining({ message: 'still closed' }),
  });
});
