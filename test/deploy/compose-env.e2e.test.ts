import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readDotEnv } from '@factmill/config';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadComposeFile, PASSWORDS, ROOT } from './compose-file.ts';

const run = promisify(execFile);

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-env-'));
  path = join(folder, '.env');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What `npm run compose:env` runs, in an empty folder. */
async function makeEnv(): Promise<Readonly<{ code: number; output: string }>> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [exec, node, script = ''] = scripts['compose:env']?.split(' ') ?? [];
  expect([exec, node]).toEqual(['exec', 'node']);
  return run(process.execPath, [join(ROOT, script)], { cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      output: stdout + stderr,
    }),
  );
}

test('makes passwords that docker-compose.yml takes, for its owner only, and prints none', async () => {
  const { code, output } = await makeEnv();
  expect(code).toBe(0);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const passwords = readDotEnv(path) as Record<string, string>;
  expect(Object.keys(passwords).sort()).toEqual(Object.keys(PASSWORDS).sort());
  expect(new Set(Object.values(passwords)).size).toBe(Object.keys(PASSWORDS).length);
  for (const password of Object.values(passwords)) {
    expect(password).toMatch(/^[a-z0-9]{32,}$/);
    expect(output).not.toContain(password);
  }
  const { services } = await loadComposeFile(passwords);
  expect(services['postgres']?.environment?.['POSTGRES_PASSWORD']).toBe(passwords['POSTGRES_PASSWORD']);
});

test('changes no file that is there, and names what it lacks', async () => {
  await makeEnv();
  const before = await readFile(path, 'utf8');
  expect(await makeEnv()).toMatchObject({ code: 0, output: expect.stringContaining('stays as it is') });
  expect(await readFile(path, 'utf8')).toBe(before);

  const own = 'LLM_MODEL=a\nPOSTGRES_PASSWORD=mine\nREDIS_PASSWORD=\n';
  await writeFile(path, own);
  const { code, output } = await makeEnv();
  expect(code).toBe(1);
  expect(output).toContain('It lacks POSTGRES_SERVICE_PASSWORD, REDIS_PASSWORD, GRAFANA_PASSWORD');
  expect(output).not.toContain('mine');
  expect(await readFile(path, 'utf8')).toBe(own);
});
