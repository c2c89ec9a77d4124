import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createPool, migrate } from '@factmill/database';
import { testPgBinDir, waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type DatabaseServer, digestTables, startDatabaseServer } from '../restore/database-server.ts';
import { type ComposeService, environmentOf, loadComposeFile, ROOT } from './compose-file.ts';
import { startCommand, type StartedCommand, untilHealthy } from './start-command.ts';

jest.setTimeout(240_000);

const quiet = { info: () => undefined, warn: () => undefined };
const run = promisify(execFile);

/** The service `backup` of docker-compose.yml as a process: its command, script, environment and health check. */
describe('the backups of docker-compose.yml', () => {
  let service: ComposeService;
  let server: DatabaseServer;
  let folder: string;
  let backups: string;

  beforeAll(async () => {
    const found = (await loadComposeFile()).services['backup'];
    if (found === undefined) throw new Error('there is no service backup');
    service = found;
    folder = await mkdtemp(join(tmpdir(), 'factmill-backup-'));
    server = await startDatabaseServer(testPgBinDir());
    await migrate(server.urlOf('factmill'), { logger: quiet });
    const pool = createPool({
      connectionString: server.urlOf('factmill'),
      max: 1,
      applicationName: 'e2e',
      logger: quiet,
    });
    await pool.query(
      `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
       select gen_random_uuid(), tenants.id, 'maya', 'note', said, 'test', sha256(convert_to(said, 'UTF8')), now(), now()
         from tenants, unnest(array['The user likes tea.', '用户住在北京。', E'Two\\nlines; and a \\\\.']) as said`,
    );
    await pool.close();
    // Where it is mounted in the container, as a command.
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const mount = service.volumes?.find((volume) => volume.includes('/usr/local/bin/factmill-backup'));
    await copyFile(join(ROOT, mount?.split(':')[0] ?? ''), join(bin, 'factmill-backup'));
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    // The plain owner: a backup needs no more. A restore makes an extension, so it is for the superuser of the image.
    await server.admin.query('alter role factmill nosuperuser');
    backups = await mkdtemp(join(folder, 'backups-'));
  });

  function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      ...environmentOf(service),
      PATH: [join(folder, 'bin'), testPgBinDir(), process.env['PATH']].join(delimiter),
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      BACKUP_DIR: backups,
      ...more,
    };
  }
  const start = (args: readonly string[], more?: Readonly<Record<string, string>>): StartedCommand =>
    startCommand(args, environment(more));
  const backup = async (...args: string[]) => {
    const command = start(['factmill-backup', ...args]);
    return { ...(await command.ended), output: command.output() };
  };
  const dumps = async () => (await readdir(backups)).filter((name) => !name.startsWith('.')).toSorted();

  test('one is made at the start, healthy once it is there, and restored with the same rows', async () => {
    const process = start(service.command ?? []);
    const check = service.healthcheck?.test ?? [];
    await untilHealthy(check, { name: 'backup', started: process, environment: environment() });
    const [name = '', ...others] = await dumps();
    expect(others).toEqual([]);
    expect((await stat(join(backups, name))).mode & 0o777).toBe(0o600);
    expect(await process.stop()).toMatchObject({ code: 0 });

    // A restart makes none before its time.
    const again = start(service.command ?? []);
    await untilHealthy(check, { name: 'backup', started: again, environment: environment() });
    expect(await again.stop()).toMatchObject({ code: 0 });
    expect(await backup('list')).toMatchObject({ code: 0, output: `${name}\n` });

    await server.admin.query('alter role factmill superuser');
    expect(await backup('restore', 'latest', 'factmill_restored')).toMatchObject({ code: 0 });
    const restored = await digestTables(server.urlOf('factmill_restored'));
    expect(restored['memories']).toMatch(/^3 /);
    expect(restored).toEqual(await digestTables(server.urlOf('factmill')));
    await migrate(server.urlOf('factmill_restored'), { logger: quiet });
  });

  test('they follow each other, and only the newest are kept', async () => {
    const process = start(service.command ?? [], { BACKUP_INTERVAL_S: '1', BACKUP_KEEP: '2' });
    const written = () => process.output().match(/factmill-\S+\.dump/g) ?? [];
    await waitFor(() => written().length >= 3, { timeoutMs: 120_000, describe: 'three backups' });
    expect(await process.stop()).toMatchObject({ code: 0 });
    expect(await dumps()).toEqual(written().slice(-2));
  });

  test('what fails leaves the good ones, nothing half, and no database', async () => {
    expect(await backup('check')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no backup yet'),
    });
    expect(await backup('now')).toMatchObject({ code: 0 });
    const [name = ''] = await dumps();
    const failed = start(['factmill-backup', 'now'], { PGDATABASE: 'not_there', BACKUP_KEEP: '1' });
    expect(await failed.ended).toMatchObject({ code: 1 });
    expect(await dumps()).toEqual([name]);

    const old = new Date(Date.now() - 3 * 86_400_000);
    await utimes(join(backups, name), old, old);
    expect(await backup('check')).toMatchObject({ code: 1, output: expect.stringContaining('too old') });

    // Never into a database that is there.
    await server.admin.query('alter role factmill superuser');
    expect(await backup('restore', name, 'factmill')).toMatchObject({ code: 1 });
    expect(Object.keys(await digestTables(server.urlOf('factmill')))).toContain('memories');
    await run('truncate', ['--size=-100', join(backups, name)]);
    expect(await backup('restore', name, 'factmill_broken')).toMatchObject({ code: 1 });
    const { rows } = await server.admin.query("select from pg_database where datname = 'factmill_broken'");
    expect(rows).toEqual([]);
    for (const wrong of ['../x.dump', 'factmill-1.dump'])
      expect(await backup('restore', wrong, 'other')).toMatchObject({ code: 1 });
    expect(await backup('restore', name, 'host=elsewhere')).toMatchObject({ code: 1 });
  });
});
