import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { capture } from '../../scripts/capture.mjs';
import { manifestOf, render, renderManifest, valuesOf } from '../../scripts/chart/render.mjs';
import {
  at,
  CHART,
  containerOf,
  environmentOf,
  EXAMPLES,
  findManifest,
  ofKind,
  parseManifests,
} from './manifests.ts';
import { schemaProblems } from './schema-problems.ts';

const helm = process.env['TEST_HELM'] ?? '';
if (helm === '') throw new Error('TEST_HELM is not set: run these tests by npm run test:chart');

const DATABASE = '--set=database.existingSecret=factmill-database';

/** The objects that Helm renders. */
async function rendered(args: readonly string[], options: Parameters<typeof render>[2] = {}) {
  const { code, stdout, stderr } = await render(helm, args, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseManifests(stdout);
}

describe.each(EXAMPLES)('%s', (example) => {
  test('passes helm lint', async () => {
    const { code, stdout } = await capture(helm, [
      'lint',
      '--strict',
      CHART,
      `--values=${valuesOf(example)}`,
    ]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 chart(s) failed') });
  });

  test('renders to its file in infra/kubernetes, which npm run chart writes', async () => {
    expect(await renderManifest(helm, example)).toBe(await readFile(manifestOf(example), 'utf8'));
  });
});

test.each([
  ['memory', 'default'],
  ['factmill-of-a-team', 'team'],
  // The longest that Helm accepts.
  ['a-release-with-a-name-that-is-as-long-as-one-can-be53', 'a-namespace-with-a-long-name-as-well'],
])(
  'the release %s in %s has names that fit, and services that find each other',
  async (release, namespace) => {
    const args = [`--values=${valuesOf('keda')}`, '--set=vault.enabled=true'];
    const manifests = await rendered(args, { release, namespace, withTests: true });
    for (const manifest of manifests) {
      expect(manifest.metadata.name.length).toBeLessThanOrEqual(63);
      expect([manifest.metadata.name, schemaProblems(manifest)]).toEqual([manifest.metadata.name, []]);
    }
    const gateway = ofKind(manifests, 'Deployment').find(({ metadata }) =>
      metadata.name.endsWith('-gateway'),
    );
    const secrets = { 'factmill-database': { DATABASE_URL: 'x' }, 'factmill-valkey': { url: 'x' } };
    if (gateway === undefined) throw new Error('there is no gateway');
    const environment = environmentOf(manifests, containerOf(gateway), secrets);
    const { hostname } = new URL(environment['RETRIEVAL_URL'] ?? '');
    expect(at(findManifest(manifests, 'Service', hostname), 'spec.selector')).toMatchObject({
      'app.kubernetes.io/component': 'retrieval',
    });
    const [scaler] = ofKind(manifests, 'ScaledObject');
    expect(at(scaler, 'spec.triggers.0.metadata.url')).toContain(
      `//${gateway.metadata.name}.${namespace}.svc:8080/`,
    );
    const [probe] = ofKind(manifests, 'Pod');
    expect(probe?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test' });
  },
);

test.each([
  ['no database', [], 'Set database.url or database.existingSecret: Factmill needs Postgres 15 or later'],
  ['two databases', [DATABASE, '--set=database.url=postgres://a'], 'not both'],
  [
    'two owners',
    [DATABASE, '--set=database.owner.url=postgres://a,database.owner.existingSecret=b'],
    'not both',
  ],
  ['two Redis', [DATABASE, '--set=redis.url=redis://a,redis.existingSecret=b'], 'Set redis.url or'],
  [
    'two places of secrets',
    [DATABASE, '--set=secrets.existingSecret=a,secrets.LLM_API_KEY=b'],
    'secrets by name',
  ],
  [
    'KEDA without a key',
    [DATABASE, '--set=extractor.autoscaling.keda.enabled=true'],
    'permission queue.read',
  ],
  [
    'more at least than at most',
    [DATABASE, '--set=gateway.autoscaling.minReplicas=9'],
    'gateway.autoscaling.minReplicas is larger',
  ],
  [
    'a vault that extractors cannot share',
    [DATABASE, '--set=vault.enabled=true,vault.accessMode=ReadWriteOnce'],
    'set vault.accessMode to ReadWriteMany, or extractor.replicas to 1',
  ],
  ['an Ingress without a name', [DATABASE, '--set=ingress.enabled=true'], 'Set ingress.hosts'],
  ['a route without a Gateway', [DATABASE, '--set=httpRoute.enabled=true'], 'Set httpRoute.parentRefs'],
  ['a misspelt value', [DATABASE, '--set=gatway.replicas=2'], "additional properties 'gatway' not allowed"],
  [
    'a misspelt setting',
    [DATABASE, '--set=config.LLM_MODELS=a'],
    "at '/config': additional properties 'LLM_MODELS' not allowed",
  ],
  [
    'a value of another type',
    [DATABASE, '--set=gateway.replicas=two'],
    "at '/gateway/replicas': got string, want integer",
  ],
])('%s is refused with a sentence that helps', async (_what, args, sentence) => {
  const { code, stderr, stdout } = await render(helm, args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(sentence);
});

test('values become variables as they were written', async () => {
  const args = ['--set=config.MAX_BODY_BYTES=33554432,config.LLM_TEMPERATURE=0.1,config.SEARCH_TURNS=false'];
  const manifests = await rendered([DATABASE, ...args, '--set-string=config.TRUST_PROXY=10.0.0.0/8']);
  const { data } = findManifest(manifests, 'ConfigMap', 'factmill');
  expect(data).toMatchObject({
    MAX_BODY_BYTES: '33554432',
    LLM_TEMPERATURE: '0.1',
    SEARCH_TURNS: 'false',
    TRUST_PROXY: '10.0.0.0/8',
  });
});

test('another image or another owner is another migration, and nothing else is', async () => {
  const nameWith = async (setting: string) => {
    const manifests = await rendered([`--values=${valuesOf('minimal')}`, `--set=${setting}`]);
    return ofKind(manifests, 'Job').map(({ metadata }) => metadata.name);
  };
  const [name = ''] = await nameWith('gateway.replicas=5');
  expect(await nameWith('config.LLM_MODEL=a')).toEqual([name]);
  expect(await nameWith('image.tag=9.9.9')).not.toEqual([name]);
  expect(await nameWith('database.owner.existingSecret=other')).not.toEqual([name]);
  expect(await nameWith('migrations.mode=none')).toEqual([]);
});

test('without the console there is no way to it', async () => {
  const args = [`--values=${valuesOf('keda')}`, '--set=console.enabled=false'];
  const manifests = await rendered(args);
  expect(findManifest(manifests, 'ConfigMap', 'factmill').data).toMatchObject({ CONSOLE: 'false' });
  expect(JSON.stringify(ofKind(manifests, 'HTTPRoute'))).not.toContain('/console');
});

test('an installation ends with the first call', async () => {
  const { code, stdout } = await capture(helm, [
    'install',
    'memory',
    CHART,
    '--namespace=team',
    '--dry-run=client',
    `--values=${valuesOf('production')}`,
  ]);
  expect(code).toBe(0);
  const notes = stdout.slice(stdout.indexOf('NOTES:'));
  expect(notes).toContain('port-forward service/memory-factmill-gateway 8080:8080 &');
  expect(notes).toContain('curl -s http://127.0.0.1:8080/v1/conversations/chat-1/messages');
  expect(notes).toContain('From outside: https://memory.example.com/docs');
  expect(notes).not.toContain('database.owner is not set');
});
