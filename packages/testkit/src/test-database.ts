import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { testDatabaseUrl } from './test-environment.ts';

export type TestDatabase = Readonly<{
  connectionString: string;
  /** Removes the database, whoever is still connected to it. */
  drop(): Promise<void>;
}>;

export type TestDatabaseOptions = Readonly<{
  /** Brings an empty database to the schema; runs once per state of the migrations, whatever runs in parallel. */
  migrate: (connectionString: string) => Promise<unknown>;
  /** Holds the files whose content decides whether the template is still right. Default: packages/database. */
  schemaDirectory?: string;
}>;

const SCHEMA_DIRECTORY = fileURLToPath(new URL('../../database/', import.meta.url));
/** Folders in it, as far as they are there. */
const SCHEMA_FOLDERS = ['migrations', 'functions', 'triggers'];
const DATABASE_PREFIX = 'factmill_test_';
const TEMPLATE_PREFIX = 'factmill_template_';
/** Any fixed number: creating databases is done by one test process at a time. */
const CREATION_LOCK = 7_215_340_002;
const LEFTOVER_AGE_MS = 2 * 60 * 60 * 1000;

/** A database of its own with the current schema, copied from a template (about 40 ms). Drop it at the end. */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const fingerprint = await fingerprintOf(options.schemaDirectory ?? SCHEMA_DIRECTORY);
  return createUnderLock(async (admin) => {
    const template = `${TEMPLATE_PREFIX}${fingerprint}`;
    if (!(await listDatabases(admin, TEMPLATE_PREFIX)).includes(template)) {
      await createTemplate(admin, template, options.migrate);
    }
    return template;
  });
}

/** A database of its own with nothing in it. Drop it at the end. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createUnderLock(() => Promise.resolve('template0'));
}

async function createUnderLock(chooseTemplate: (admin: Client) => Promise<string>): Promise<TestDatabase> {
  const name = `${DATABASE_PREFIX}${Date.now()}_${randomBytes(4).toString('hex')}`;
  await withAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock($1::bigint)', [CREATION_LOCK]);
    const template = await chooseTemplate(admin);
    await admin.query(`create database ${name} template ${template}`);
  });
  return {
    connectionString: urlOf(name),
    drop: () => withAdmin((admin) => dropDatabase(admin, name)),
  };
}

/** Built under another name and renamed when whole, so that a killed test run leaves no half template. */
async function createTemplate(
  admin: Client,
  template: string,
  migrate: TestDatabaseOptions['migrate'],
): Promise<void> {
  await dropLeftovers(admin);
  const unfinished = `${template}_unfinished`;
  await admin.query(`create database ${unfinished} template template0`);
  await migrate(urlOf(unfinished));
  await admin.query(`alter database ${unfinished} rename to ${template}`);
}

/** Templates of other states of the migrations, and databases that killed runs left behind. */
async function dropLeftovers(admin: Client): Promise<void> {
  const tests = await listDatabases(admin, DATABASE_PREFIX);
  const old = tests.filter((name) => Date.now() - Number(name.split('_')[2]) > LEFTOVER_AGE_MS);
  for (const name of [...(await listDatabases(admin, TEMPLATE_PREFIX)), ...old])
    await dropDatabase(admin, name);
}

async function listDatabases(admin: Client, prefix: string): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    'select datname::text as name from pg_database where starts_with(datname::text, $1::text)',
    [prefix],
  );
  return rows.map((row) => row.name);
}

async function dropDatabase(admin: Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`);
}

async function withAdmin<T>(fn: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: testDatabaseUrl(), application_name: 'factmill-testkit' });
  await admin.connect();
  try {
    return await fn(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function fingerprintOf(directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of SCHEMA_FOLDERS.filter((name) => existsSync(join(directory, name)))) {
    const names = await readdir(join(directory, folder), { recursive: true });
    for (const name of names.filter((file) => file.endsWith('.sql')).toSorted()) {
      hash.update(name).update(await readFile(join(directory, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
