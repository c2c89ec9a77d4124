import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@factmill/client';
import { createPool, migrate } from '@factmill/database';
import { createTestDatabase, type RunningProcess, startProcess, type TestDatabase } from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { entryOf } from '../support/service-process.ts';

jest.setTimeout(400_000);

const CLI = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const quiet = { info: () => undefined, warn: () => undefined };

let folder: string;
let workspace: string;
let env: Record<string, string>;
let running: RunningProcess;
let elsewhere: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-import-'));
  workspace = join(folder, 'workspace');
  await mkdir(join(workspace, 'memory'), { recursive: true });
  await writeFile(join(workspace, 'MEMORY.md'), '# About\n\n- Maya is a nurse\n- Maya owns a cat\n');
  await writeFile(join(workspace, 'memory', '2026-05-10.md'), 'Maya sold the boat.\n');
  env = {
    DATA_DIR: join(folder, 'data'),
    XDG_CONFIG_HOME: folder,
    DEFAULT_USER_ID: 'maya',
    IMPORT_OPENCLAW_DIR: workspace,
  };
  elsewhere = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  running = await start();
});
afterAll(async () => {
  await running.kill('SIGTERM');
  await elsewhere.drop();
  await rm(folder, { recursive: true, force: true });
});

function start(): Promise<RunningProcess> {
  const ports = { GATEWAY_PORT: '0', RETRIEVAL_PORT: '0', EXTRACTOR_PORT: '0' };
  return startProcess({
    entry: entryOf('standalone'),
    env: { LOG_LEVEL: 'error', EMBEDDING_PROVIDER: 'none', ...ports, ...env },
    cwd: folder,
    readyWhen: /API +(\S+)[^]*Stop with Ctrl-C/,
    timeoutMs: 150_000,
  });
}

async function factmill(args: string, more: Record<string, string> = {}) {
  const child = await startProcess({
    entry: CLI,
    args: args.split(' '),
    env: { ...env, ...more },
    cwd: folder,
  });
  const { code } = await child.exit;
  return { code, lines: child.output().trim().split('\n') };
}

async function memories() {
  const client = createClient({ baseUrl: running.ready?.[1] ?? '', userId: 'maya' });
  const { data } = await client.memories.list();
  return data
    .map(({ content, tier, source, metadata }) => [content, tier, source, metadata['file']])
    .toSorted();
}

const IMPORTED = [
  ['Maya is a nurse', 1, 'openclaw', 'MEMORY.md'],
  ['Maya owns a cat', 1, 'openclaw', 'MEMORY.md'],
  ['Maya sold the boat.', 3, 'openclaw', 'memory/2026-05-10.md'],
];

/** The steps of a person who moves house, one after the other. */
test('a first start imports the folder; later runs only what is new; an export moves to another store', async () => {
  expect(running.output()).toContain('factmill: Imported 3 memories of maya from IMPORT_OPENCLAW_DIR.');
  expect(await memories()).toEqual(IMPORTED);
  expect((await factmill(`import openclaw ${workspace}`)).lines).toEqual(['3 items for maya: 3 known.']);

  await running.kill('SIGINT');
  running = await start();
  expect(running.output()).not.toContain('Imported');
  expect(await memories()).toEqual(IMPORTED);

  await writeFile(join(workspace, 'MEMORY.md'), '# About\n\n- Maya owns a cat\n- Maya owns a dog\n');
  expect((await factmill(`import openclaw ${workspace} --dry-run`)).lines).toEqual([
    '3 items for maya: 2 known, 1 created.',
    'Nothing was stored.',
  ]);
  expect(await memories()).toEqual(IMPORTED);
  await factmill(`import openclaw ${workspace}`);
  expect(await memories()).toHaveLength(4);

  const file = join(folder, 'maya.jsonl');
  expect((await factmill(`export ${file}`)).lines).toEqual([
    expect.stringMatching(/^Exported maya to \S+: 1 user, 4 memory, 4 memory_version, .*4 imported_item\.$/),
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await factmill(`export ${file}`)).lines).toEqual([
    'factmill: The file is there already; give the name of a new one.',
  ]);

  const there = { DATABASE_URL: elsewhere.connectionString };
  const [imported = '', known = ''] = [
    ...(await factmill(`import jsonl ${file}`, there)).lines,
    ...(await factmill(`import jsonl ${file}`, there)).lines,
  ];
  expect(imported).toMatch(/^Imported: 1 user, 4 memory, .*\. There already: nothing\.$/);
  expect(known).toMatch(/^Imported: nothing\. There already: 1 user, 4 memory, /);
  const whole = await factmill('audit verify', there);
  expect([whole.code, whole.lines]).toEqual([0, [expect.stringMatching(/^2 records, all in order\./)]]);
  const database = createPool({
    connectionString: elsewhere.connectionString,
    max: 1,
    applicationName: 'e2e',
    logger: quiet,
  });
  const { rows } = await database.query(
    `select content, tier, kind, source, metadata->>'file' as file from memories order by content`,
  );
  await database.close();
  expect(rows).toMatchObject([
    { content: 'Maya is a nurse', tier: 1, kind: 'note', source: 'openclaw', file: 'MEMORY.md' },
    { content: 'Maya owns a cat', tier: 1 },
    { content: 'Maya owns a dog', tier: 1 },
    { content: 'Maya sold the boat.', tier: 3, kind: 'event', file: 'memory/2026-05-10.md' },
  ]);
});

test('a folder without a user, and one without memories, are one sentence', async () => {
  const refused = async (more: Record<string, string>) => {
    const process = await startProcess({
      entry: entryOf('standalone'),
      env: {
        ...env,
        DATA_DIR: join(folder, 'other'),
        EMBEDDING_PROVIDER: 'none',
        GATEWAY_PORT: '0',
        RETRIEVAL_PORT: '0',
        EXTRACTOR_PORT: '0',
        ...more,
      },
      cwd: folder,
    });
    const { code } = await process.exit;
    return [code, process.output().trim().split('\n').at(-1)];
  };
  expect(await refused({ DEFAULT_USER_ID: 'unknown' })).toEqual([
    1,
    'factmill: IMPORT_OPENCLAW_DIR needs DEFAULT_USER_ID, which says whose memories these become.',
  ]);
  expect(await refused({ IMPORT_OPENCLAW_DIR: folder })).toEqual([
    1,
    expect.stringMatching(/^factmill: The folder has neither MEMORY\.md nor journals/),
  ]);
});
