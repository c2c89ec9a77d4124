import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadComposeFile, ROOT } from './compose-file.ts';
import { execForm, healthcheckOf, lastOf, loadDockerfile, type Stage } from './dockerfile.ts';

describe('infra/Dockerfile', () => {
  let stages: readonly Stage[];
  let build: Stage;
  let final: Stage;

  beforeAll(async () => {
    stages = await loadDockerfile();
    [build = [], final = []] = stages;
  });

  test('has a stage to build in and one to run', () => {
    expect(stages).toHaveLength(2);
    expect(build[0]?.rest).toMatch(/ AS build$/);
    expect(final.filter(({ name }) => name === 'COPY').map(({ rest }) => rest)).toEqual([
      '--from=build /app /app',
    ]);
  });

  test('runs as a user that is not root, by number', () => {
    expect(lastOf(final, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('starts node itself, so that it gets the signals', () => {
    expect(execForm(lastOf(final, 'CMD') ?? '')).toEqual(['node', 'services/gateway/dist/main.js']);
    expect(lastOf(final, 'ENTRYPOINT')).toBeUndefined();
    expect(lastOf(final, 'STOPSIGNAL')).toBe('SIGTERM');
    expect(healthcheckOf(final).slice(0, 3)).toEqual(['CMD', 'node', '-e']);
  });

  test('runs in production mode and knows no secret', () => {
    expect(lastOf(final, 'ENV')).toContain('NODE_ENV=production');
    const names = stages
      .flat()
      .filter(({ name }) => name === 'ENV' || name === 'ARG')
      .map(({ rest }) => rest);
    expect(names.filter((rest) => /KEY|SECRET|PASSWORD|TOKEN|_URL/.test(rest))).toEqual([]);
  });

  test('builds with the frozen lockfile and the workspace’s pnpm', async () => {
    const runs = build.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    const installs = runs.filter((run) => run.includes('pnpm install'));
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toMatch(/--mount=type=cache.*--frozen-lockfile/);
    const toolchain = await readFile(join(ROOT, 'scripts/toolchain/toolchain.mjs'), 'utf8');
    const pinned = /PNPM_VERSION = '(.+)'/.exec(toolchain)?.[1];
    expect(build.map(({ rest }) => rest)).toContain(`PNPM_VERSION=${pinned}`);
  });

  test('leaves the ONNX runtime out, unless the build is told otherwise', () => {
    expect(build.map(({ name, rest }) => `${name} ${rest}`)).toContain('ARG ONNX=false');
    const [, production = ''] = build.flatMap(({ name, rest }) =>
      name === 'RUN' && rest.includes('pnpm install') ? [rest] : [],
    );
    // A plain --filter beside these would add every other package.
    expect(production).toContain('$([ "$ONNX" = true ] || echo --filter-prod=!@factmill/onnx)');
    expect(production).not.toMatch(/--filter[ =]/);
  });

  test('compiles every program that a command of docker-compose.yml starts', async () => {
    const { services } = await loadComposeFile();
    const programs = Object.values(services).flatMap(({ command }) =>
      command?.[0] === 'node' ? [command[1] ?? ''] : [],
    );
    expect(programs).toHaveLength(4);
    const compiled = build.find(({ rest }) => rest.includes('tsc -b'))?.rest.split(/\s+/) ?? [];
    for (const program of programs) {
      const [, folder = ''] = /^(\w+\/\w+)\/dist\/main\.js$/.exec(program) ?? [];
      expect(compiled).toContain(folder);
      expect(existsSync(join(ROOT, folder, 'src/main.ts'))).toBe(true);
    }
  });

  test('sends no secrets, data or build results into the build', async () => {
    const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['.env', '.env.*', 'data', '.git', '**/node_modules', '**/dist']),
    );
  });
});
