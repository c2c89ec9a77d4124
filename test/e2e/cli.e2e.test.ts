import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@factmill/client';
import {
  createScriptedModel,
  inheritedEnvironment,
  type RunningProcess,
  type ScriptedModel,
  startProcess,
} from '@factmill/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { entryOf } from '../support/service-process.ts';

jest.setTimeout(400_000);

const CLI = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

let folder: string;
let dataDir: string;
let model: ScriptedModel;
let running: RunningProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-cli-'));
  dataDir = join(folder, 'data');
  model = await createScriptedModel({ dimensions: 16 });
  running = await start();
});
afterAll(async () => {
  await running.kill('SIGTERM');
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** `npm start` on the data folder, at any free ports: commands have to find them. */
function start(env: Record<string, string> = {}): Promise<RunningProcess> {
  const ports = { GATEWAY_PORT: '0', RETRIEVAL_PORT: '0', EXTRACTOR_PORT: '0' };
  return startProcess({
    entry: entryOf('standalone'),
    env: { DATA_DIR: dataDir, LOG_LEVEL: 'error', ...ports, ...env },
    cwd: folder,
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 150_000,
  });
}

/** Runs `factmill …` in the same folder, as the person who started the instance would. */
async function factmill(args: string, env: Record<string, string> = {}) {
  const child = await startProcess({
    entry: CLI,
    args: args.split(' '),
    env: { DATA_DIR: dataDir, XDG_CONFIG_HOME: join(folder, 'config'), ...env },
    cwd: folder,
  });
  const { code } = await child.exit;
  return { code, lines: child.output().trim().split('\n') };
}

async function client(userId?: string) {
  const { url } = JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as { url: string };
  return createClient({ baseUrl: url, userId });
}

test('settings: a change at run time arrives in the running instance', async () => {
  expect((await stat(join(dataDir, 'instance.json'))).mode & 0o777).toBe(0o600);
  expect(await factmill('config set queue.limit 60')).toEqual({
    code: 0,
    lines: ['queue.limit is 60 now. Services follow within seconds.'],
  });
  expect((await factmill('config list')).lines).toEqual(['queue.limit\t60']);
  const { lines: all } = await factmill('config list --all');
  expect(all).toContainEqual(expect.stringMatching(/^queue\.limit +60 +config set, at run time$/));
  expect(all).toContainEqual(
    expect.stringMatching(/^extraction\.enabled +true +environment of the instance$/),
  );
  expect(await factmill('config set queue.limit many')).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^factmill: queue\.limit must be a whole number from 0/)],
  });
  expect((await factmill('config unset queue.limit')).code).toBe(0);
  expect((await factmill('config list')).lines).toEqual([
    'Nothing was changed at run time; --all shows what is in force.',
  ]);
});

test('keys: created, listed, used, revoked', async () => {
  const { lines } = await factmill('keys create --name desk --permissions memory.read --user ada');
  const [key = ''] = lines;
  expect(key).toMatch(/^fm_[0-9a-f]{16}_/);
  const row = expect.stringMatching(
    new RegExp(`^${key.slice(3, 19)} +desk +memory\\.read +ada .* in force$`),
  );
  expect((await factmill('keys list')).lines).toContainEqual(row);
  // With a key the caller is who the key says, also where none is needed.
  expect(await factmill('config list', { FACTMILL_API_KEY: key })).toEqual({
    code: 1,
    lines: ['factmill: This API key lacks the permission operator.'],
  });
  expect((await factmill(`keys revoke ${key.slice(3, 19)}`)).code).toBe(0);
  expect((await factmill('keys list', { FACTMILL_API_KEY: key })).lines.join()).toContain(
    'Commands take it from FACTMILL_API_KEY',
  );
  expect((await factmill('keys list --tenant acme')).lines).toEqual([
    expect.stringContaining('--tenant needs DATABASE_URL'),
  ]);
});

test('compression by hand', async () => {
  const { memories } = await client('maya');
  await memories.create({ content: 'The user sails.' });
  const proposal = await factmill('compress daily --user maya --date 2026-05-10 --dry-run');
  expect(proposal).toEqual({
    code: 0,
    lines: [expect.stringMatching(/\tmaya\tdaily\t2026-05-10\tproposed/), 'Nothing was changed.'],
  });
  const run = await factmill('compress weekly --user maya --date 2026-05-10');
  expect(run).toEqual({ code: 0, lines: [expect.stringMatching(/\tdone\tnothing to do$/)] });
  expect((await factmill('compress runs --user maya')).lines).toEqual([run.lines[0], proposal.lines[0]]);
});

test('everything that is remembered of a user is removed, once it is confirmed', async () => {
  const { memories } = await client('noah');
  await memories.create({ content: 'The user paints.' });
  expect(await factmill('clear --user noah --confirm maya')).toEqual({
    code: 1,
    lines: ['factmill: --confirm is not the id of the user. Nothing was removed.'],
  });
  expect((await memories.list()).data).toHaveLength(1);
  expect((await factmill('clear --user noah --confirm noah')).lines).toEqual([
    expect.stringMatching(/^Removed of noah: 1 memories, 0 conversations, 0 documents, \d summaries\./),
  ]);
  expect((await memories.list()).data).toEqual([]);
});

test('the person’s own user: configured, else the login at this machine; by the tool over stdio too', async () => {
  const savedBy = async (value: string) => {
    const agent = new McpClient({ name: 'test', version: '1' });
    const args = ['--conditions=factmill-source', '--disable-warning=ExperimentalWarning', CLI, 'mcp'];
    const env = {
      ...inheritedEnvironment(),
      DATA_DIR: dataDir,
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const answer = await agent.callTool({
      name: 'memory',
      arguments: { action: 'save', key: 'home', value },
    });
    await agent.close();
    const [{ text } = { text: '{}' }] = answer.content as { text: string }[];
    return (JSON.parse(text) as { user_id: string }).user_id;
  };
  expect(await savedBy('Porto')).toBe(`${hostname()}:${userInfo().username}`);
  expect((await factmill('config set user_id steve')).lines).toEqual([
    `user_id is steve now, in ${join(folder, 'config/factmill/config.json')}.`,
  ]);
  expect(await savedBy('Lisbon')).toBe('steve');
  expect((await (await client('steve')).memories.list()).data).toMatchObject([{ value: 'Lisbon' }]);
  expect((await factmill('config unset user_id')).code).toBe(0);
});

/** Steps of one operator, with restarts of the instance between them. */
test('vectors: counted for another model, built by the restarted instance, the old ones deleted', async () => {
  const { memories } = await client('maya');
  for (const content of ['The user rows.', 'The user swims.']) await memories.create({ content });
  expect((await factmill('backfill')).lines.at(-1)).toMatch(
    /^(?:No vector was missing\.|Done: \d vectors of use-lite-512\.)$/,
  );
  expect((await factmill('backfill --batch-size 4')).lines).toEqual([
    expect.stringContaining('--batch-size needs DATABASE_URL'),
  ]);
  expect((await factmill('reembed')).lines).toEqual([
    expect.stringMatching(/^use-lite-512 is in use already/),
  ]);
  const embedding = { EMBEDDING_BASE_URL: model.url, EMBEDDING_MODEL: 'new' };
  expect((await factmill('reembed --dry-run', embedding)).lines.slice(0, 3)).toEqual([
    'Model in use: use-lite-512',
    'Configured:   new@16, 16 dimensions',
    expect.stringMatching(/^Memories: +(\d+) of \1 to embed$/),
  ]);
  expect((await factmill('reembed --dry-run')).lines.slice(0, 3)).toEqual([
    'Model in use: use-lite-512',
    'Configured:   use-lite-512',
    expect.stringMatching(/^Memories: +0 of \d+ to embed$/),
  ]);

  await running.kill('SIGINT');
  expect(await factmill('config list')).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^factmill: No running instance was found in the data folder/)],
  });
  running = await start(embedding);
  const rebuilt = await factmill('reembed');
  expect([rebuilt.code, rebuilt.lines.at(-1)]).toEqual([
    0,
    expect.stringMatching(/^(?:Searches use new@16 now|new@16 is in use already)/),
  ]);
  expect((await factmill('reembed --drop-old')).lines).toEqual([
    expect.stringMatching(/^use-lite-512: \d+ vectors deleted\.$/),
  ]);

  await running.kill('SIGKILL');
  expect(JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8'))).toMatchObject({
    pid: running.pid,
  });
  expect((await factmill('keys list')).lines).toEqual([
    expect.stringMatching(/^factmill: No running instance/),
  ]);
});
