import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase, type TestDatabase } from '@factmill/testkit';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool } from '../pool/sql.ts';
import { assertSchemaVersion } from './assert-schema-version.ts';
import { dumpSchema } from './dump-schema.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase;
let pool: DatabasePool;
let directory: string;
let warnings: string[];
const logger = {
  info: () => undefined,
  warn: (_fields: object, message: string) => void warnings.push(message),
};

beforeEach(async () => {
  warnings = [];
  directory = await mkdtemp(join(tmpdir(), 'factmill-schema-'));
  await mkdir(join(directory, 'migrations'));
  database = await createEmptyDatabase();
  pool = createPool({
    connectionString: database.connectionString,
    max: 2,
    applicationName: 'factmill-test',
    logger,
  });
});

afterEach(async () => {
  await pool.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

const write = (name: string, sql: string) => writeFile(join(directory, 'migrations', name), sql);
const run = (connectionString = database.connectionString) =>
  migrate(connectionString, { logger, directory });

describe('migrate', () => {
  test('20 starters at once apply every migration once', async () => {
    // Fails when run twice, and slow enough for the others to arrive meanwhile.
    await write('0001_first.sql', 'create table a (id integer); select pg_sleep(0.3);');
    await write('0002_second.sql', 'create table b (id integer); insert into b values (1);');
    const results = await Promise.all(Array.from({ length: 20 }, () => run()));
    expect(results.flatMap((result) => result.applied)).toEqual(['0001_first.sql', '0002_second.sql']);
    await expect(pool.query('select id from b')).resolves.toMatchObject({ rowCount: 1 });
    const locks = `select count(*) as n from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    await expect(pool.one(locks)).resolves.toEqual({ n: 0 });
  });

  test('a migration that fails leaves nothing of itself, and what came before stays', async () => {
    await write('0001_first.sql', 'create table a (id integer);');
    await write('0002_broken.sql', 'create table b (id integer); create table a (id integer);');
    await expect(run()).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('0002_broken.sql'),
    });
    await expect(
      pool.one(`select to_regclass('a') is not null as a, to_regclass('b') is not null as b`),
    ).resolves.toEqual({ a: true, b: false });
    await write('0002_broken.sql', 'create table b (id integer);');
    await expect(run()).resolves.toMatchObject({ applied: ['0002_broken.sql'] });
  });

  test('a changed migration and a newer database are refused', async () => {
    await write('0001_first.sql', 'create table a (id integer);');
    await write('0002_second.sql', 'create table b (id integer);');
    await run();
    await write('0001_first.sql', 'create table a (id bigint);');
    await expect(run()).rejects.toMatchObject({ code: 'schema_outdated' });
    await expect(assertSchemaVersion(pool, { logger, directory })).rejects.toMatchObject({
      code: 'schema_outdated',
    });
    await write('0001_first.sql', 'create table a (id integer);');
    await rm(join(directory, 'migrations/0002_second.sql'));
    await expect(run()).rejects.toMatchObject({
      code: 'schema_outdated',
      message: expect.stringContaining('newer than this program'),
    });
  });

  test('waiting for another migration ends with a sentence', async () => {
    await write('0001_slow.sql', 'create table a (id integer); select pg_sleep(1.5);');
    const slow = run();
    const impatient = async (): Promise<unknown> => {
      // The first starter needs the lock before the second can wait for it.
      for (;;) {
        const { held } = await pool.one<{ held: boolean }>(
          `select count(*) > 0 as held from pg_locks where locktype = 'advisory' and granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        if (held) break;
      }
      return migrate(database.connectionString, { logger, directory, lockTimeoutMs: 100 });
    };
    await expect(impatient()).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('Another process has been migrating'),
    });
    await expect(slow).resolves.toMatchObject({ applied: ['0001_slow.sql'] });
  });

  test('without pg_trgm its migrations wait, warned about once, and are applied when it is there', async () => {
    await write('0001_first.sql', 'create table a (t text);');
    await write('0002_index.trigram.sql', 'create index a_trgm on a using gin (t gin_trgm_ops);');
    await write('0003_third.sql', 'create table c (id integer);');
    // A role that may create tables but no extension, on a database whose administrator installed vector.
    const role = `factmill_limited_${Date.now()}`;
    await pool.query('create extension vector');
    await pool.query(`create role ${role} login`);
    await pool.query(`grant usage, create on schema public to ${role}`);
    const limited = new URL(database.connectionString);
    limited.username = role;
    limited.password = '';
    try {
      await expect(run(limited.href)).resolves.toMatchObject({
        applied: ['0001_first.sql', '0003_third.sql'],
        trigram: false,
      });
      expect(warnings.filter((warning) => warning.includes('pg_trgm'))).toHaveLength(1);
      await expect(assertSchemaVersion(pool, { logger, directory })).resolves.toMatchObject({
        trigram: false,
      });

      await pool.query('create extension pg_trgm');
      await expect(run(limited.href)).resolves.toMatchObject({
        applied: ['0002_index.trigram.sql'],
        trigram: true,
      });
      await expect(run(limited.href)).resolves.toMatchObject({ applied: [] });
    } finally {
      await pool.query(`drop owned by ${role}`);
      await pool.query(`drop role ${role}`);
    }
  });

  test('a role that may not install vector is told what to run', async () => {
    const role = `factmill_vectorless_${Date.now()}`;
    await pool.query(`create role ${role} login`);
    const limited = new URL(database.connectionString);
    limited.username = role;
    limited.password = '';
    try {
      await expect(run(limited.href)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('create extension vector'),
      });
    } finally {
      await pool.query(`drop role ${role}`);
    }
  });
});

describe('the schema', () => {
  test('is the one in schema.sql', async () => {
    await migrate(database.connectionString, { logger });
    const golden = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8');
    // When this fails after a new migration or a changed function: run src/migrate/write-schema.ts and read its difference.
    await expect(dumpSchema(pool)).resolves.toBe(golden);
  });

  test('a database without it is refused with what to do', async () => {
    await expect(assertSchemaVersion(pool, { logger })).rejects.toMatchObject({
      code: 'schema_outdated',
      message: expect.stringContaining('Run the migrate command'),
    });
    await migrate(database.connectionString, { logger });
    await expect(assertSchemaVersion(pool, { logger })).resolves.toMatchObject({ trigram: true });
  });
});
