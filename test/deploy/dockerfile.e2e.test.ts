import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadComposeFile, ROOT } from './compose-file.ts';
import { execForm, healthcheckOf, lastOf, loadDockerfile, type Stage } from './dockerfile.ts';

describe('infra/Dockerfile', () => {
  let stages: readonly Stage[];
  let named: Readonly<Record<string, Stage>>;
  let build: Stage;
  let final: Stage;
  const copiesOf = (stage: Stage) => stage.filter(({ name }) => name === 'COPY').map(({ rest }) => rest);

  beforeAll(async () => {
    stages = await loadDockerfile();
    named = Object.fromEntries(
      stages.map((stage) => [/ AS (\w+)$/.exec(stage[0]?.rest ?? '')?.[1] ?? '', stage]),
    );
    build = named['build'] ?? [];
    final = stages.at(-1) ?? [];
  });

  test('keeps layers of dependencies when sources change', () => {
    // What decides about dependencies is taken out of the sources first; from there on it counts by its content.
    expect(Object.keys(named)).toEqual(['pnpm', 'manifests', 'dependencies', 'build', '']);
    expect(copiesOf(named['manifests'] ?? [])).toEqual(['. /all']);
    expect(copiesOf(named['dependencies'] ?? [])).toEqual(['--from=manifests /manifests ./']);
    expect(
      build.map(({ name, rest }) =>
        name === 'COPY' ? rest : /pnpm install|tsc -b|packages\/console\/build/.exec(rest)?.[0],
      ),
    ).toEqual([
      undefined,
      '--from=manifests /manifests ./',
      'pnpm install',
      '. .',
      'tsc -b',
      'packages/console/build',
      undefined,
    ]);
    expect(copiesOf(final)).toEqual(['--from=dependencies /app ./', '--from=build /out ./']);
  });

  test('has production dependencies only', () => {
    const installs = (named['dependencies'] ?? []).filter(({ rest }) => rest.includes('pnpm install'));
    expect(installs.map(({ rest }) => /pnpm install --prod /.test(rest))).toEqual([true]);
    const [, out = ''] = /--parents (.*?) \/out\//.exec(build.at(-1)?.rest ?? '') ?? [];
    expect(out.split(/\s+/).filter((path) => /node_modules|src/.test(path))).toEqual([]);
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
    const runs = stages
      .flat()
      .filter(({ name }) => name === 'RUN')
      .map(({ rest }) => rest);
    const installs = runs.filter((run) => run.includes('pnpm install'));
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toMatch(/--mount=type=cache.*--frozen-lockfile/);
    const toolchain = await readFile(join(ROOT, 'scripts/toolchain/toolchain.mjs'), 'utf8');
    const pinned = /PNPM_VERSION = '(.+)'/.exec(toolchain)?.[1];
    expect(stages.flat().map(({ rest }) => rest)).toContain(`PNPM_VERSION=${pinned}`);
  });

  test('leaves the ONNX runtime out, unless the build is told otherwise', () => {
    const dependencies = named['dependencies'] ?? [];
    expect(dependencies.map(({ name, rest }) => `${name} ${rest}`)).toContain('ARG ONNX=false');
    const [production = ''] = dependencies.flatMap(({ name, rest }) =>
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

describe('.github/workflows/release.yml', () => {
  type Step = Readonly<{ uses?: string; run?: string; with?: Readonly<Record<string, unknown>> }>;
  type Job = Readonly<{
    needs?: string;
    permissions?: Readonly<Record<string, string>>;
    steps: readonly Step[];
  }>;
  type Workflow = Readonly<{ on: object; permissions: object; jobs: Readonly<Record<string, Job>> }>;
  let text: string;
  let workflow: Workflow;
  const stepsOf = (job: string) => workflow.jobs[job]?.steps ?? [];

  beforeAll(async () => {
    text = await readFile(join(ROOT, '.github/workflows/release.yml'), 'utf8');
    workflow = parse(text) as Workflow;
  });

  test('runs for tags of versions, and tests come before everything that is published', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    const needs = Object.entries(workflow.jobs).map(([name, job]) => [name, job.needs]);
    expect(needs).toEqual([
      ['test', undefined],
      ['image', 'test'],
      ['chart', 'image'],
      ['packages', 'test'],
    ]);
    expect(stepsOf('test').map(({ run }) => run)).toEqual([
      undefined,
      'test "$GITHUB_REF_NAME" = "v$(jq --raw-output .version package.json)"',
      'npm test',
      'npm run test:upgrade',
    ]);
  });

  test('pins every action by a whole commit, and says which version that is', () => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    expect(uses.length).toBeGreaterThan(6);
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('may do no more than each job needs, and writes no token into the checkout', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const granted = Object.entries(workflow.jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((scope) => permissions[scope] === 'write'),
    ]);
    expect(granted).toEqual([
      ['test', []],
      ['image', ['packages']],
      ['chart', ['packages']],
      ['packages', ['id-token']],
    ]);
    for (const name of Object.keys(workflow.jobs))
      expect(stepsOf(name)[0]?.with).toMatchObject({ 'persist-credentials': false });
  });

  test('builds the image of the chart for two architectures, with its contents and where it comes from', async () => {
    const [build] = stepsOf('image').filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build?.with).toMatchObject({
      file: 'infra/Dockerfile',
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      tags: '${{ env.IMAGE }}:${{ env.VERSION }}',
      'build-args': 'VERSION=${{ env.VERSION }}',
      sbom: true,
      provenance: 'mode=max',
    });
    const { image } = parse(await readFile(join(ROOT, 'infra/helm/factmill/values.yaml'), 'utf8')) as {
      image: { repository: string };
    };
    expect(image.repository).toMatch(/^ghcr\.io\/[\w-]+\/factmill$/);
    expect(text).toContain('IMAGE: ghcr.io/${{ github.repository_owner }}/factmill');
  });
});
