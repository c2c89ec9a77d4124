import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@factmill/database';
import {
  createScriptedModel,
  type OwnRedis,
  type ScriptedModel,
  startRedis,
  testPgBinDir,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type DatabaseServer, digestTables, startDatabaseServer } from './database-server.ts';
import { createOperator, documentedCommands } from './documented-commands.ts';
import { ADMIN_KEY, type MemoryServices, searchAll, startMemoryServices } from './memory-services.ts';
import { newestPostgres } from './newest-postgres.ts';

// Every run starts a dozen processes, on machines with much else to do.
jest.setTimeout(480_000);

const quiet = { info: () => undefined, warn: () => undefined };
const servers = await newestPostgres(testPgBinDir());

let model: ScriptedModel;
beforeAll(async () => {
  model = await createScriptedModel();
});
afterAll(() => model.close());

describe.each(servers)('a backup of PostgreSQL $major', ({ binDir }) => {
  let source: DatabaseServer;
  let target: DatabaseServer;
  let redis: OwnRedis;
  let folder: string;
  let key: string;
  let pending: string;
  let found: Awaited<ReturnType<typeof searchAll>>;
  let rows: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'factmill-operator-'));
    [source, target, redis] = await Promise.all([
      startDatabaseServer(binDir),
      startDatabaseServer(binDir),
      startRedis({ dir: folder }),
    ]);
    const databaseUrl = source.serviceUrlOf('factmill');
    await migrate(source.urlOf('factmill'), {
      logger: quiet,
      services: { url: databaseUrl, hasQueue: false },
    });
    const services = await startMemoryServices({ databaseUrl, redisUrl: redis.url }, model);
    ({ key } = await services
      .clientOf(ADMIN_KEY)
      .apiKeys.create({ name: 'app', permissions: ['memory.read', 'memory.write'] }));
    const client = services.clientOf(key);
    const { extraction } = await client.conversations.post('first', {
      extract: 'now',
      messages: [
        { id: 'm1', role: 'user', content: 'I live in Lisbon. My dog is called Bruno.' },
        { id: 'm2', role: 'assistant', content: 'Nice to meet you both.' },
      ],
    });
    await client.extractions.waitFor(extraction?.id ?? '', { timeoutMs: 60_000 });
    await client.memories.create({ key: 'favourite_tea', value: 'lapsang souchong' });
    await client.documents.put({ title: 'Rules', content: 'Tea is served at five. 茶は五時に出ます。' });
    await waitFor(async () => (await client.memories.stats()).memories.without_vector === 0, {
      timeoutMs: 60_000,
      describe: 'the vectors',
    });
    found = await searchAll(client);
    await services.stopExtracting();
    const accepted = await client.extractions.create({
      user_id: 'noah',
      messages: [{ role: 'user', content: 'I work as a nurse.' }],
    });
    pending = accepted.id ?? '';
    await services.close();
    rows = await digestTables(source.urlOf('factmill'));
  });
  afterAll(async () => {
    await Promise.all([source.close(), target.close(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Plays an operator with commands of a section, on one of the servers. */
  async function follow(server: DatabaseServer, blocks: readonly string[], env: Record<string, string>) {
    const operator = await createOperator({
      folder,
      pgBinDir: binDir,
      env: {
        PGHOST: '127.0.0.1',
        PGPORT: String(server.port),
        DATABASE_URL: server.serviceUrlOf('factmill'),
        DATABASE_OWNER_URL: server.urlOf('factmill'),
        RESTORED_URL: server.serviceUrlOf('factmill_restored'),
        RESTORED_OWNER_URL: server.urlOf('factmill_restored'),
        ...env,
      },
    });
    for (const block of blocks) await operator(block);
  }

  async function expectAllToWork(services: MemoryServices) {
    const client = services.clientOf(key);
    expect(await searchAll(client)).toEqual(found);
    const done = await client.extractions.waitFor(pending, { timeoutMs: 90_000 });
    expect(done).toMatchObject({ state: 'done', attempts: 1, counts: { added: 1 } });
    const { extraction } = await client.conversations.post('first', {
      extract: 'now',
      messages: [{ id: 'm3', role: 'user', content: 'My cat is called Mimi.' }],
    });
    const next = await client.extractions.waitFor(extraction?.id ?? '', { timeoutMs: 60_000 });
    expect(next).toMatchObject({ state: 'done', counts: { added: 1 } });
    const { results } = await client.memories.search({ query: 'cat Mimi' });
    expect(results.map(({ memory }) => memory.content).join()).toContain('Mimi');
  }

  test('is restored by a superuser, as with Compose, and switched to', async () => {
    const [backup = ''] = await documentedCommands('## Backup');
    await follow(source, [backup], {});
    const [restore = '', change = '', ...others] = await documentedCommands('### Restore');
    expect(others).toEqual([]);
    await follow(target, [restore], {});
    expect(await digestTables(target.urlOf('factmill_restored'))).toEqual(rows);
    await follow(target, [change], { REDIS_PORT: String(redis.port) });
    const services = await startMemoryServices(
      { databaseUrl: target.serviceUrlOf('factmill'), redisUrl: redis.url },
      model,
    );
    await expectAllToWork(services);
    await services.close();
  });

  test('is restored by the owner of the database, who is no superuser, and without Redis', async () => {
    for (const server of [source, target]) {
      await server.admin.query('alter role factmill nosuperuser');
      // As `migrate` prints it for an administrator; here the test before may have had them created.
      await server.admin.query(
        `do $$ declare role text; begin
           foreach role in array array['factmill_app', 'factmill_system', 'factmill_service'] loop
             if not exists (select from pg_roles where rolname = role) then execute 'create role ' || role; end if;
           end loop;
           alter role factmill_service login;
           grant factmill_app, factmill_system to factmill_service;
         end $$`,
      );
    }
    const [backup = '', prepare = '', restore = '', ...others] = await documentedCommands(
      '### Restore with a Postgres of your own',
    );
    expect(others).toEqual([]);
    await follow(source, [backup], {});
    await follow(target, [prepare], { PGUSER: 'postgres' });
    await follow(target, [restore], {});
    expect(await digestTables(target.urlOf('factmill_restored'))).toEqual(rows);
    const services = await startMemoryServices(
      { databaseUrl: target.serviceUrlOf('factmill_restored') },
      model,
    );
    await expectAllToWork(services);
    await services.close();
  });
});
