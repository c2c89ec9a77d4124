import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLIENT = join(ROOT, 'packages', 'client');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

/** What somebody's own program does with the client, in types as much as in calls. */
const PROGRAM = `
import { createClient, FactmillError, type Client, type ChatRequest } from '@factmill/client';

const factmill: Client = createClient({ baseUrl: process.argv[2] ?? '', userId: 'maya', maxRetries: 0 });
const found = await factmill.memories.search({ query: 'tea', limit: 2, filters: { kinds: ['fact'] } });
const contents: string[] = found.results.map(({ memory, score }) => memory.content + score.toFixed(1));
// @ts-expect-error a mode that there is not
const wrong = () => factmill.memories.search({ query: 'tea', mode: 'psychic' });
// @ts-expect-error a field of the answer that there is not
const missing = () => found.results[0]?.memory.colour;
const chat: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi!' }] };
const post = () => factmill.conversations.post('c', { extract: 'now', messages: [{ role: 'user', content: '' }] });
try {
  await factmill.extractions.get('none');
} catch (error) {
  if (error instanceof FactmillError) console.log(JSON.stringify([contents, error.code, error.kind]));
}
export { chat, missing, post, wrong };
`;

let folder: string;
let tarball: string;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-client-'));
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder], { cwd: CLIENT });
  tarball = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  server = createServer((request, response) => {
    const isSearch = request.url === '/v1/memories/search';
    response.writeHead(isSearch ? 200 : 404, { 'content-type': 'application/json' });
    const results = [{ memory: { content: 'lapsang souchong ' }, score: 1, channels: [] }];
    response.end(
      JSON.stringify(
        isSearch ? { results, mode: 'fused' } : { code: 'not_found', detail: 'x', status: 404, errors: [] },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

test('the packed client installs alone, type-checks in both resolutions and makes calls', async () => {
  const project = join(folder, 'project');
  await mkdir(project);
  const manifest = { name: 'project', private: true, type: 'module' };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  // Its one dependency is packed as well, so that the test needs no registry.
  const zod = join(folder, 'zod.tgz');
  // Copied first: npm leaves out the hard links with which pnpm stores files.
  await cp(await realpath(join(CLIENT, 'node_modules', 'zod')), join(folder, 'zod'), { recursive: true });
  await run('tar', ['-czf', zod, '-C', folder, 'zod']);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball, zod], {
    cwd: project,
  });
  const own = join(project, 'node_modules', '@factmill');
  expect(await readdir(own)).toEqual(['client']);
  expect(await readdir(join(own, 'client'))).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
    'src',
    'types',
  ]);

  await writeFile(join(project, 'main.ts'), PROGRAM);
  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ]) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      outDir: 'out',
    };
    const declared = 'declare const process: { argv: string[] };\n';
    await writeFile(join(project, 'globals.d.ts'), declared);
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['globals.d.ts', 'main.ts'] }),
    );
    const { stdout } = await run(process.execPath, [TSC, '-p', project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  }
  const { port } = server.address() as AddressInfo;
  const program = join(project, 'out', 'main.js');
  const { stdout } = await run(process.execPath, [program, `http://127.0.0.1:${port}`]);
  expect(JSON.parse(stdout)).toEqual([['lapsang souchong 1.0'], 'not_found', 'status']);
});

test('nothing in the package points outside it', async () => {
  const own = join(folder, 'project', 'node_modules', '@factmill', 'client');
  const files = await readdir(own, { recursive: true });
  expect(files.filter((name) => /\.test\.|\.fixture\.|tsbuildinfo/.test(name))).toEqual([]);
  for (const name of files.filter((name) => name.endsWith('.map'))) {
    const { sources } = JSON.parse(await readFile(join(own, name), 'utf8')) as { sources: string[] };
    for (const source of sources) expect(files).toContain(join(name, '..', source));
  }
  for (const name of files.filter((name) => /^(?:dist|types)\/.*\.(?:js|ts)$/.test(name))) {
    expect(await readFile(join(own, name), 'utf8')).not.toContain('@factmill/');
  }
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8')) as {
    dependencies: object;
    exports: { '.': Record<string, string> };
  };
  for (const path of Object.values(manifest.exports['.'])) expect(files).toContain(path.replace('./', ''));
  const catalog = await readFile(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
  expect(manifest.dependencies).toEqual({ zod: /^ {2}zod: (\S+)$/m.exec(catalog)?.[1] });
});
