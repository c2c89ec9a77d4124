import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '@factmill/testkit';
import { dumpSchema } from '../migrate/dump-schema.ts';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool, Sql } from '../pool/sql.ts';
import { asTenant } from '../pool/tenant-scope.ts';
import { EMBEDDED_POSTGRES_MAJOR } from './data-directory.ts';
import { startEmbedded, type EmbeddedPostgres } from './start-embedded.ts';

const logger = { info: () => undefined, warn: () => undefined };
const writer = fileURLToPath(new URL('./embedded-writer.fixture.ts', import.meta.url));
const endlessWriter = fileURLToPath(new URL('./endless-writer.fixture.ts', import.meta.url));
let parent: string;

// Creating a database takes 3 s of one core.
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'factmill-embedded-'));
});

afterAll(() => rm(parent, { recursive: true }));

/** A data folder with an empty database that nobody has open. */
async function copyOfKept(name: string): Promise<string> {
  await cp(join(parent, 'kept'), join(parent, name), { recursive: true });
  return join(parent, name);
}

/** The highest number the writer has printed as committed. */
function lastCommitted(output: string): number {
  return Number(/.*committed (\d+)\n/s.exec(output)?.[1] ?? 0);
}

function openPool(database: EmbeddedPostgres, max: number, rowSecurity?: 'always'): DatabasePool {
  return createPool({
    connectionString: database.connectionString,
    max,
    ...(rowSecurity === undefined ? {} : { rowSecurity }),
    applicationName: 'factmill-test',
    // Hundreds of statements wait for ten connections.
    connectionTimeoutMs: 120_000,
    logger,
  });
}

describe('many clients of one embedded database', () => {
  let database: EmbeddedPostgres;
  let pools: DatabasePool[];

  beforeAll(async () => {
    database = await startEmbedded({ dataDir: join(parent, 'shared'), logger });
    pools = Array.from({ length: 3 }, () => openPool(database, 10));
  });

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await database.close();
  });

  const poolOf = (index: number): DatabasePool => {
    const pool = pools.at(index % pools.length);
    if (pool === undefined) throw new Error('no pool was opened');
    return pool;
  };

  test('everybody gets their own answers, with prepared statements of the same names and with large values', async () => {
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        poolOf(index).one<{ n: number; size: number }>(
          `select $1::integer as n, length($2::text) as size, ${index % 5} as variant`,
          // Beyond 64 kB a message arrives in pieces, between which others' messages arrive.
          [index, 'z'.repeat(index % 20 === 0 ? 200_000 : 10)],
          index % 3 === 0 ? {} : { name: `variant_${index % 5}` },
        ),
      ),
    );
    answers.forEach(({ n, size }, index) => {
      expect({ n, size }).toEqual({ n: index, size: index % 20 === 0 ? 200_000 : 10 });
    });
  });

  test('transactions of different pools stay apart: no lost update, no rollback of another’s work', async () => {
    await poolOf(0).query('create table counter (n integer)');
    await poolOf(0).query('insert into counter values (0)');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        poolOf(index).transaction(async (tx) => {
          const { n } = await tx.one<{ n: number }>('select n from counter');
          await tx.query('update counter set n = $1::integer', [n + 1]);
          if (index % 4 === 0) throw new Error('rolled back on purpose');
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(75);
    await expect(poolOf(1).one('select n from counter')).resolves.toEqual({ n: 75 });
  });

  test('a client that vanishes inside a transaction blocks no other client and leaves nothing', async () => {
    await poolOf(0).query('create table left_behind (n integer)');
    const client = await poolOf(0).pg.connect();
    await client.query('begin');
    await client.query('insert into left_behind values (1)');
    client.release(true);
    await expect(poolOf(1).query('select n from left_behind')).resolves.toMatchObject({ rowCount: 0 });
  });

  test('a closed connection leaves no prepared statement in the session', async () => {
    const visitor = openPool(database, 2);
    await visitor.query(`select 'visitor', $1::integer`, [1], { name: 'visitor' });
    await visitor.close();
    await waitFor(
      async () => {
        const { n } = await poolOf(0).one<{ n: number }>(
          `select count(*) as n from pg_prepared_statements where statement like '%visitor%integer%' and name like 'c%'`,
        );
        return n === 0;
      },
      { describe: 'the statements of the closed connection to go' },
    );
  });

  test('NOTIFY reaches a client that listens on another connection', async () => {
    const listener = await poolOf(0).pg.connect();
    const received: string[] = [];
    listener.on('notification', (message) => received.push(`${message.channel} ${message.payload}`));
    // With a comment before it, as a queue library sends it.
    await listener.query('-- Subscribe\nLISTEN jobs;\n');
    await poolOf(1).transaction((tx) => tx.query(`select pg_notify('jobs', $1::text)`, ['ready']));
    await waitFor(() => received.length > 0, { describe: 'the notification' });
    expect(received).toEqual(['jobs ready']);
    listener.release(true);
  });

  test('a statement that takes too long is answered in time and ends by itself', async () => {
    const pool = createPool({
      connectionString: database.connectionString,
      max: 1,
      applicationName: 'factmill-test',
      checkStatementsMs: 5,
      answerGraceMs: 0,
      // Nobody is let in while it runs.
      connectionTimeoutMs: 60_000,
      logger,
    });
    const tooLong = pool
      .within(50)
      .query(
        'create table counted as select count(*) as n from generate_series(1, 2000000) g where g % 7 = 0',
      );
    // Had it ended first, there would be no error.
    await expect(tooLong).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await pool.one('select n from counted')).toEqual({ n: 285_714 });
    await pool.query('drop table counted');
    await pool.close();
  });

  test('a failed statement in a batch is an error of its own client only', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        poolOf(index).one(`select 10 / $1::integer as q`, [index % 2]),
      ),
    );
    results.forEach((result, index) =>
      expect(result.status).toBe(index % 2 === 0 ? 'rejected' : 'fulfilled'),
    );
  });

  test('a wrong password is refused', async () => {
    const url = new URL(database.connectionString);
    url.password = 'guessed';
    const stranger = createPool({ connectionString: url.href, max: 1, applicationName: 'stranger', logger });
    await expect(stranger.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' });
    await stranger.close();
  });

  test('commits are synced to disk, and the engine is the Postgres that the data folder is checked for', async () => {
    const row = await poolOf(0).one<{ fsync: string; method: string; version: number }>(
      `select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method,
              current_setting('server_version_num')::integer as version`,
    );
    expect(row).toMatchObject({ fsync: 'on', method: 'fsync' });
    expect(Math.floor(row.version / 10_000)).toBe(EMBEDDED_POSTGRES_MAJOR);
  });

  test('the migrations give the golden schema here too, also when several start at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 4 }, () => migrate(database.connectionString, { logger })),
    );
    expect(new Set(results.flatMap((result) => result.applied)).size).toBe(
      results.flatMap((result) => result.applied).length,
    );
    await poolOf(0).query('drop table counter, left_behind');
    const golden = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8');
    await expect(dumpSchema(poolOf(0))).resolves.toBe(golden);
  });

  test('a statement takes its role and its tenant in the one session, and leaves neither there', async () => {
    const owner = poolOf(0);
    const tenants = Array.from({ length: 7 }, () => randomUUID());
    await owner.query('insert into tenants (id, name) select id, id::text from unnest($1::uuid[]) as id', [
      tenants,
    ]);
    await owner.query(
      `insert into conversations (tenant_id, id, user_id) select id, id::text, 'user' from unnest($1::uuid[]) as id`,
      [tenants],
    );
    const serving = [1, 2].map(() => openPool(database, 3, 'always'));
    const visit = async (place: number): Promise<string[]> => {
      const pool = serving[place % 2] ?? owner;
      if (place % 5 === 0) await pool.query('select 1 / $1::integer', [0]).catch(() => undefined);
      const read = (sql: Sql) =>
        sql.query<{ id: string }>('select id from conversations', [], { name: 'read' });
      const { rows } = await (place % 3 === 0 ? pool.transaction(read) : read(pool));
      return rows.map(({ id }) => id);
    };
    const seen = await Promise.all(
      Array.from({ length: 140 }, (_, place) => {
        const tenantId = tenants[place % 7] ?? '';
        return place % 10 === 9 ? visit(place) : asTenant(tenantId, () => visit(place));
      }),
    );
    seen.forEach((ids, place) => expect(ids).toEqual(place % 10 === 9 ? [] : [tenants[place % 7]]));
    const left = await owner.one(
      `select current_user = session_user as "isOwner", coalesce(current_setting('factmill.tenant_id', true), '') as tenant`,
    );
    expect(left).toEqual({ isOwner: true, tenant: '' });
    await Promise.all(serving.map((pool) => pool.close()));
  });
});

describe('the data folder', () => {
  let opened: EmbeddedPostgres | undefined;

  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  test('belongs to its owner only, to one instance at a time, and keeps its data', async () => {
    const dataDir = join(parent, 'kept');
    opened = await startEmbedded({ dataDir, logger });
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    await expect(startEmbedded({ dataDir, logger })).rejects.toMatchObject({ code: 'data_dir_locked' });

    const pool = openPool(opened, 1);
    await pool.query('create table kept as select 42 as n');
    await pool.close();
    await Promise.all([opened.close(), opened.close()]);

    opened = await startEmbedded({ dataDir, logger });
    const again = openPool(opened, 1);
    await expect(again.one('select n from kept')).resolves.toEqual({ n: 42 });
    await again.close();
  });

  test('survives SIGKILL with every acknowledged commit, and is free at once', async () => {
    const dataDir = await copyOfKept('killed');
    for (let round = 1; round <= 3; round += 1) {
      const child = await startProcess({ entry: writer, args: [dataDir], env: {}, readyWhen: /committed/ });
      const before = lastCommitted(child.output());
      await waitFor(() => lastCommitted(child.output()) >= before + 50, { describe: 'more commits' });
      await expect(startEmbedded({ dataDir, logger })).rejects.toMatchObject({ code: 'data_dir_locked' });
      await child.kill('SIGKILL');

      opened = await startEmbedded({ dataDir, logger });
      const pool = openPool(opened, 1);
      const { rows, last } = await pool.one<{ rows: number; last: number }>(
        'select count(*) as rows, max(n) as last from rows',
      );
      expect(last).toBeGreaterThanOrEqual(lastCommitted(child.output()));
      expect(rows).toBe(last);
      await pool.close();
      await opened.close();
    }
  });

  test('is created again when its creation was interrupted, and other files stay', async () => {
    const dataDir = await copyOfKept('interrupted');
    await rm(join(dataDir, 'factmill.json'));
    await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres.0123456789ab'));
    await writeFile(join(dataDir, 'postgres-notes.txt'), 'mine');
    opened = await startEmbedded({ dataDir, logger });
    const pool = openPool(opened, 1);
    await expect(pool.one(`select to_regclass('kept') as kept`)).resolves.toEqual({ kept: null });
    await pool.close();
    const names = (await readdir(dataDir)).filter((name) => name.startsWith('postgres'));
    expect(names.toSorted()).toEqual(['postgres', 'postgres-notes.txt']);
  });

  test('is created again while an interrupted creation still writes', async () => {
    const dataDir = join(parent, 'still-written');
    const unfinished = join(dataDir, 'postgres.0123456789ab');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(dataDir, 'factmill.lock'), '');
    const creator = await startProcess({
      entry: endlessWriter,
      args: [unfinished],
      env: {},
      readyWhen: /begun/,
    });
    try {
      opened = await startEmbedded({ dataDir, logger });
      const pool = openPool(opened, 1);
      await expect(pool.one('select 1 as n')).resolves.toEqual({ n: 1 });
      await pool.close();
    } finally {
      await creator.kill('SIGKILL');
    }
  });

  test('keeps its data when the file that marks it is lost', async () => {
    const dataDir = await copyOfKept('unmarked');
    await rm(join(dataDir, 'factmill.json'));
    opened = await startEmbedded({ dataDir, logger });
    const pool = openPool(opened, 1);
    await expect(pool.one('select n from kept')).resolves.toEqual({ n: 42 });
    await pool.close();
    expect(await readdir(dataDir)).toContain('factmill.json');
  });

  test('of another Postgres version, or damaged, is refused with a sentence and left alone', async () => {
    const dataDir = await copyOfKept('other');
    const versionFile = join(dataDir, 'postgres', 'PG_VERSION');
    await writeFile(versionFile, '17\n');
    await expect(startEmbedded({ dataDir, logger })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('Postgres 17'),
    });
    await writeFile(versionFile, `${EMBEDDED_POSTGRES_MAJOR}\n`);
    await writeFile(join(dataDir, 'postgres', 'global', 'pg_control'), 'damaged');
    await expect(startEmbedded({ dataDir, logger })).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  test('that cannot be a folder is a configuration error', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await expect(startEmbedded({ dataDir: file, logger })).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
