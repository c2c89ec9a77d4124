import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { type Partitioned, testDatabaseUrl, testPartitions } from './test-environment.ts';

export type TestDatabase = Readonly<{
  connectionString: string;
  /** For a user that owns nothing, as services have one. */
  serviceUrl: string;
  /** Removes the database, whoever is still connected to it. */
  drop(): Promise<void>;
}>;

export type TestDatabaseOptions = Readonly<{
  /**
   * Brings an empty database to the schema, with the partitions that TEST_PARTITIONS asks for; runs once per state of the
   * migrations, whatever runs in parallel.
   */
  migrate: (connectionString: string, how: Partitioned) => Promise<unknown>;
  /** Holds the files whose content decides whether the template is still right. Default: packages/database. */
  schemaDirectory?: string;
}>;

const SCHEMA_DIRECTORY = fileURLToPath(new URL('../../database/', import.meta.url));
/** Folders in it, as far as they are there. */
const SCHEMA_FOLDERS = ['migrations', 'functions', 'triggers'];
const DATABASE_PREFIX = 'factmill_test_';
const TEMPLATE_PREFIX = 'factmill_template_';
const UNFINISHED = '_unfinished';
/** Any fixed number: creating databases is done by one test process at a time. */
const CREATION_LOCK = 7_215_340_002;
const LEFTOVER_AGE_MS = 2 * 60 * 60 * 1000;

/** Its password is its name. */
const SERVICE_USER = 'factmill_test_service';
/** The roles are there as soon as something was migrated. */
const PROVIDE_SERVICE_USER = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${SERVICE_USER}') then
      create role ${SERVICE_USER} login password '${SERVICE_USER}';
    end if;
    if exists (select from pg_roles where rolname = 'factmill_app')
        and not pg_has_role('${SERVICE_USER}', 'factmill_app', 'member') then
      grant factmill_app, factmill_system to ${SERVICE_USER};
    end if;
  end $$`;

/** A database of its own with the current schema, copied from a template (about 40 ms). Drop it at the end. */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const { partitions = 0 } = testPartitions();
  const fingerprint = `${await fingerprintOf(options.schemaDirectory ?? SCHEMA_DIRECTORY)}p${partitions}`;
  return createUnderLock(async (admin) => {
    const prefix = `${TEMPLATE_PREFIX}${fingerprint}_`;
    const known = (await listDatabases(admin, prefix)).find((name) => !name.endsWith(UNFINISHED));
    if (known !== undefined) return known;
    const template = `${prefix}${Date.now()}`;
    await createTemplate(admin, template, options.migrate);
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
    await admin.query(PROVIDE_SERVICE_USER);
    // For the queue on Postgres.
    await admin.query(`grant create on database ${name} to ${SERVICE_USER}`);
  });
  return {
    connectionString: urlOf(name),
    serviceUrl: urlOf(name, SERVICE_USER),
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
  const unfinished = `${template}${UNFINISHED}`;
  await admin.query(`create database ${unfinished} template template0`);
  await migrate(urlOf(unfinished), testPartitions());
  await admin.query(`alter database ${unfinished} rename to ${template}`);
}

/** Old templates of other states of the migrations, and databases that killed runs left behind: names have a time. */
async function dropLeftovers(admin: Client): Promise<void> {
  const isOld = (createdMs: string | undefined) => Date.now() - Number(createdMs ?? 0) > LEFTOVER_AGE_MS;
  const tests = await listDatabases(admin, DATABASE_PREFIX);
  const templates = await listDatabases(admin, TEMPLATE_PREFIX);
  const old = [
    ...tests.filter((name) => isOld(name.split('_')[2])),
    ...templates.filter((name) => isOld(name.split('_')[3])),
  ];
  for (const name of old) await dropDatabase(admin, name);
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

function urlOf(database: string, user?: string): string {
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${database}`;
  if (user !== undefined) {
    url.username = user;
    url.password = user;
  }
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
