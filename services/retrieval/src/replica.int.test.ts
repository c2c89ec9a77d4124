import { loadConfig } from '@factmill/config';
import { asTenant, createPool, type DatabasePool, DEFAULT_TENANT_ID } from '@factmill/database';
import { createLogger } from '@factmill/telemetry';
import { createCertificates, type OwnPostgres, startPostgres, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRetrievalUnderTest, searchOver } from './retrieval.fixture.ts';

type Under = Awaited<ReturnType<typeof openRetrievalUnderTest>>;
type Certificates = Awaited<ReturnType<typeof createCertificates>>;

const silent = createLogger({ service: 'test', level: 'silent' });
const folders: string[] = [];
let certificates: Certificates;
let primary: OwnPostgres;
let replica: OwnPostgres;
let under: Under;
let onReplica: DatabasePool;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'factmill-replica-'));
  folders.push(path);
  return path;
}

beforeAll(async () => {
  const dir = await folder();
  certificates = await createCertificates(dir);
  primary = await startPostgres({ dir: await folder(), certificates });
  under = await openRetrievalUnderTest(primary.connectionString);
  replica = await startPostgres({ dir: await folder(), replicaOf: primary });
  onReplica = under.openPool(replica.connectionString, { rowSecurity: 'always' });
});
afterAll(async () => {
  await onReplica.close();
  await under.close();
  await replica.kill();
  await primary.kill();
  for (const path of folders) await rm(path, { recursive: true, force: true });
});

/** The replica, counting the statements that searches send to it. */
function counted(pool: DatabasePool): { pool: DatabasePool; searches: () => number } {
  let statements = 0;
  const count = () => {
    statements += 1;
  };
  return {
    searches: () => statements,
    pool: {
      ...pool,
      query: (...given) => (count(), pool.query(...given)),
      one: (...given) => (count(), pool.one(...given)),
      maybeOne: (...given) => (count(), pool.maybeOne(...given)),
    },
  };
}

/** Has the replica apply nothing that is committed from now on: it lags for as long as the test wants. */
async function holdReplica(): Promise<void> {
  const server = onReplica.as('login');
  await server.query('select pg_wal_replay_pause()');
  const isHeld = async () =>
    (await server.one<{ state: string }>('select pg_get_wal_replay_pause_state() as state')).state ===
    'paused';
  await waitFor(isHeld, { describe: 'the replica to pause' });
}

async function contents(url: Awaited<ReturnType<Under['start']>>, query: string): Promise<string[]> {
  const { results, degraded } = await searchOver(url, { user_id: 'maya', query, mode: 'classic' });
  expect(degraded).toBeUndefined();
  return results.map(({ memory }) => memory.content).toSorted();
}

describe('searches from a replica', () => {
  test('whatever the lag: what was just written is found, what was erased is not', async () => {
    const { pool, searches } = counted(onReplica);
    await under.withService({}, { replica: pool }, async (service) => {
      await under.remember('maya', ['The user plays the harp.', 'The user has a harp teacher.']);
      const both = ['The user has a harp teacher.', 'The user plays the harp.'];
      await waitFor(
        async () => {
          expect(await contents(service, 'harp')).toEqual(both);
          return searches() > 0;
        },
        { describe: 'a search to read from the replica' },
      );

      await holdReplica();
      await under.remember('maya', ['The user tunes the harp.']);
      const before = searches();
      expect(await contents(service, 'harp')).toEqual([...both, 'The user tunes the harp.']);
      await under.database.query(`delete from memories where content like '%teacher%'`);
      const left = ['The user plays the harp.', 'The user tunes the harp.'];
      expect(await contents(service, 'harp')).toEqual(left);
      expect(searches()).toBe(before);
      const { rows } = await asTenant(DEFAULT_TENANT_ID, () =>
        onReplica.query<{ content: string }>(`select content from memories where content like '%teacher%'`),
      );
      expect(rows).toHaveLength(1);

      await onReplica.as('login').query('select pg_wal_replay_resume()');
      await waitFor(
        async () => {
          expect(await contents(service, 'harp')).toEqual(left);
          return searches() > before;
        },
        { describe: 'the replica to have everything' },
      );
    });
  });

  test('a tenant sees its own rows only, on the replica as on the primary', async () => {
    const count = (pool: DatabasePool) =>
      pool.one<{ rows: number }>('select count(*)::integer as rows from memories').then(({ rows }) => rows);
    expect(await asTenant(DEFAULT_TENANT_ID, () => count(onReplica))).toBeGreaterThan(0);
    expect(await asTenant('01930000-0000-7000-8000-00000000000f', () => count(onReplica))).toBe(0);
    expect(await count(onReplica)).toBe(0);
  });

  test('a replica that goes away costs no search its answer, nor does a server that is none', async () => {
    const { pool, searches } = counted(onReplica);
    await under.withService({}, { replica: pool }, async (service) => {
      const found = await contents(service, 'harp');
      await waitFor(async () => (await contents(service, 'harp')).length > 0 && searches() > 0, {
        describe: 'a search to read from the replica',
      });
      await replica.kill();
      expect(await contents(service, 'harp')).toEqual(found);
      expect(await contents(service, 'harp')).toEqual(found);
    });
    const { pool: itself, searches: asked } = counted(under.openPool(primary.connectionString));
    await under.withService({}, { replica: itself }, async (service) => {
      await contents(service, 'harp');
      await contents(service, 'harp');
    });
    expect(asked()).toBe(0);
    await itself.close();
  });
});

describe('TLS', () => {
  /** Connects with an address as it is configured. */
  async function isEncrypted(user: string, query: string): Promise<boolean> {
    const given = `postgres://${user}@127.0.0.1:${primary.port}/postgres${query}`;
    const connectionString = loadConfig({ DATABASE_URL: given }).storage.databaseUrl ?? '';
    const pool = createPool({ connectionString, max: 1, applicationName: 'tls', logger: silent });
    try {
      const statement = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
      return (await pool.one<{ ssl: boolean }>(statement)).ssl;
    } finally {
      await pool.close();
    }
  }
  const ca = () => `sslrootcert=${certificates.ca.certFile}`;

  test('the modes of libpq, with our authority and without', async () => {
    await under.database.query('create role visitor login');
    expect(await isEncrypted('visitor', '')).toBe(false);
    expect(await isEncrypted('visitor', '?sslmode=disable')).toBe(false);
    expect(await isEncrypted('visitor', '?sslmode=require')).toBe(true);
    expect(await isEncrypted('visitor', `?sslmode=verify-ca&${ca()}`)).toBe(true);
    expect(await isEncrypted('visitor', `?sslmode=verify-full&${ca()}`)).toBe(true);
    for (const wrong of [
      '?sslmode=verify-full',
      `?sslmode=verify-ca&sslrootcert=${certificates.client.certFile}`,
    ]) {
      await expect(isEncrypted('visitor', wrong)).rejects.toMatchObject({
        code: 'database_unavailable',
        message: expect.stringMatching(
          /^The TLS connection to the database failed \([A-Z_]+\): check sslmode/,
        ),
      });
    }
  });

  test('a server that asks for a certificate gets ours', async () => {
    const { certFile, keyFile } = certificates.client;
    const mode = `?sslmode=verify-full&${ca()}`;
    expect(await isEncrypted('postgres', `${mode}&sslcert=${certFile}&sslkey=${keyFile}`)).toBe(true);
    await expect(isEncrypted('postgres', mode)).rejects.toMatchObject({
      message: expect.stringContaining('refused the login'),
    });
  });

  test('a certificate that cannot be read stops the start', async () => {
    await expect(
      isEncrypted('visitor', '?sslmode=verify-full&sslrootcert=/missing/ca.pem'),
    ).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/sslrootcert.*\(ENOENT\)/),
    });
  });
});
