import { loadConfig } from '@factmill/config';
import { OPERATIONS, queuePressureSchema } from '@factmill/contracts';
import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  at,
  containerOf,
  environmentOf,
  EXAMPLES,
  findManifest,
  type Labels,
  loadManifests,
  type Manifest,
  ofKind,
  podOf,
  ROOT,
} from './manifests.ts';
import { restrictedProblems } from './restricted-profile.ts';
import { schemaProblems } from './schema-problems.ts';

const SERVICES = ['gateway', 'retrieval', 'extractor'] as const;
/** Secrets that the examples expect to be there. */
const SECRETS = {
  'factmill-database': {
    DATABASE_URL: 'postgres://factmill_service:word@postgres:5432/factmill',
    DATABASE_OWNER_URL: 'postgres://factmill:word@postgres:5432/factmill',
  },
  'factmill-database-owner': { DATABASE_OWNER_URL: 'postgres://factmill:word@postgres:5432/factmill' },
  'factmill-postgres-app': { uri: 'postgresql://factmill:word@postgres:5432/factmill' },
  'factmill-redis': { REDIS_URL: 'redis://:word@redis:6379' },
  'factmill-valkey': { url: 'redis://:word@valkey:6379' },
  'factmill-keys': { LLM_API_KEY: 'sk-model' },
};

const covers = (selector: unknown, labels: Labels) =>
  Object.entries(selector as Labels).every(([name, value]) => labels[name] === value);

describe.each(EXAMPLES)('infra/kubernetes/%s.yaml', (example) => {
  const loading = loadManifests(example);
  const deploymentOf = (manifests: readonly Manifest[], service: string) =>
    findManifest(manifests, 'Deployment', `factmill-${service}`);

  test('Kubernetes knows every field, and names are unique and short enough', async () => {
    const manifests = await loading;
    for (const manifest of manifests) {
      const { kind, metadata } = manifest;
      const where = `${kind} ${metadata.name}`;
      expect([where, schemaProblems(manifest)]).toEqual([where, []]);
      expect(metadata.name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
      for (const value of Object.values(metadata.labels))
        expect(value).toMatch(/^[A-Za-z0-9][-A-Za-z0-9_.]{0,62}$/);
    }
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('every pod fits the profile restricted, writes to /tmp only, and has no rights in the cluster', async () => {
    const pods = (await loading).filter((manifest) => podOf(manifest) !== undefined);
    expect(pods.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Deployment',
      'Deployment',
      'Job',
    ]);
    for (const manifest of pods) {
      const pod = podOf(manifest) ?? { containers: [] };
      expect([manifest.metadata.name, restrictedProblems(pod)]).toEqual([manifest.metadata.name, []]);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(containerOf(manifest).securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
  });

  test('what selects pods finds those that it is for', async () => {
    const manifests = await loading;
    const labelsOf = (service: string): Labels =>
      at(deploymentOf(manifests, service), 'spec.template.metadata.labels') as Labels;
    for (const service of SERVICES) {
      const matching = SERVICES.filter((other) =>
        covers(at(deploymentOf(manifests, service), 'spec.selector.matchLabels'), labelsOf(other)),
      );
      expect(matching).toEqual([service]);
      const front = findManifest(manifests, 'Service', `factmill-${service}`);
      expect(SERVICES.filter((other) => covers(at(front, 'spec.selector'), labelsOf(other)))).toEqual([
        service,
      ]);
      const [port] = containerOf(deploymentOf(manifests, service)).ports ?? [];
      expect(at(front, 'spec.ports')).toEqual([
        { name: port?.name, port: port?.containerPort, targetPort: port?.name },
      ]);
    }
    for (const policy of [
      ...ofKind(manifests, 'PodDisruptionBudget'),
      ...ofKind(manifests, 'NetworkPolicy').filter(({ metadata }) => metadata.name !== 'factmill-migrate'),
    ]) {
      const matchLabels =
        at(policy, 'spec.selector.matchLabels') ?? at(policy, 'spec.podSelector.matchLabels');
      const service = policy.metadata.name.replace('factmill-', '');
      expect(SERVICES.filter((other) => covers(matchLabels, labelsOf(other)))).toEqual([service]);
    }
    const [monitor] = ofKind(manifests, 'ServiceMonitor');
    for (const { metadata } of monitor === undefined ? [] : ofKind(manifests, 'Service'))
      expect(covers(at(monitor, 'spec.selector.matchLabels'), metadata.labels)).toBe(true);
  });

  test('only one of Deployment and autoscaler decides on replicas, and no budget keeps a single pod', async () => {
    const manifests = await loading;
    const budgets = ofKind(manifests, 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
    const scalers = [...ofKind(manifests, 'HorizontalPodAutoscaler'), ...ofKind(manifests, 'ScaledObject')];
    for (const service of SERVICES) {
      const deployment = deploymentOf(manifests, service);
      const { name } = deployment.metadata;
      const own = at(deployment, 'spec.replicas') as number | undefined;
      const scaler = scalers.find((other) => at(other, 'spec.scaleTargetRef.name') === name);
      const scaled = (at(scaler, 'spec.minReplicas') ?? at(scaler, 'spec.minReplicaCount')) as number;
      expect([service, own === undefined]).toEqual([service, scaler !== undefined]);
      expect([service, budgets.includes(name)]).toEqual([service, (own ?? scaled) > 1]);
    }
  });

  test('every service gets a configuration that it accepts, and that fits its port and its time to stop', async () => {
    const manifests = await loading;
    for (const service of SERVICES) {
      const deployment = deploymentOf(manifests, service);
      const container = containerOf(deployment);
      const config = loadConfig(environmentOf(manifests, container, SECRETS));
      expect(config.auth.mode).toBe('required');
      expect(config[service].port).toBe(container.ports?.[0]?.containerPort);
      expect(config.host).toBe('0.0.0.0');
      const { hostname, port } = new URL(config.gateway.retrievalUrls[0] ?? '');
      expect(at(findManifest(manifests, 'Service', hostname), 'spec.ports.0.port')).toBe(Number(port));
      expect(config.storage.databaseUrl).toContain('factmill_service');
      expect(config.storage.redis === null).toBe(example === 'hook');
      const { terminationGracePeriodSeconds = 0 } = podOf(deployment) ?? {};
      const preStopSeconds = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
      // A process ends itself 2 s after its grace.
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(
        config.shutdownGraceMs + preStopSeconds * 1_000 + 2_000,
      );
      expect(preStopSeconds > 0).toBe(service !== 'extractor');
      expect(existsSync(join(ROOT, container.args[0]?.replace('dist/main.js', 'src/main.ts') ?? ''))).toBe(
        true,
      );
    }
  });

  test('the gateway finds each retrieval pod, and none that goes gets calls when it stops', async () => {
    const manifests = await loading;
    const deployment = deploymentOf(manifests, 'retrieval');
    expect(at(findManifest(manifests, 'Service', 'factmill-retrieval'), 'spec.clusterIP')).toBe('None');
    // A gateway uses what it looked up for 5 s, and name servers keep it for up to 30 s.
    const seconds = Number(containerOf(deployment).lifecycle?.preStop.exec.command[1]);
    expect(seconds).toBeGreaterThan(5 + 30);
  });

  test('the migration has both addresses, and the owner’s is nowhere else', async () => {
    const manifests = await loading;
    const [job] = ofKind(manifests, 'Job');
    if (job === undefined) throw new Error('there is no migration');
    const { args, env = [] } = containerOf(job);
    expect(args).toEqual(['packages/cli/dist/main.js', 'migrate']);
    expect(environmentOf(manifests, containerOf(job), SECRETS)).toMatchObject({
      DATABASE_URL: expect.stringMatching(/\/\/factmill_service:/),
      DATABASE_OWNER_URL: expect.stringMatching(/\/\/factmill:/),
    });
    expect(env.filter(({ value }) => value?.includes('://'))).toEqual([]);
    // With Redis the services need no right to make a queue in Postgres.
    const { storage } = loadConfig(environmentOf(manifests, containerOf(job), SECRETS));
    expect(storage.redis === null).toBe(example === 'hook');
    for (const service of SERVICES)
      expect(containerOf(deploymentOf(manifests, service)).env?.map(({ name }) => name)).not.toContain(
        'DATABASE_OWNER_URL',
      );
  });

  test('secrets are in Secrets, and keys of models reach only who calls models', async () => {
    const manifests = await loading;
    const plain = JSON.stringify(manifests.filter(({ kind }) => kind !== 'Secret'));
    expect(plain).not.toMatch(/postgres(ql)?:\/\/|rediss?:\/\/|change-me/);
    const holdersOf = (name: string) =>
      SERVICES.filter((service) =>
        containerOf(deploymentOf(manifests, service)).env?.some((entry) => entry.name === name),
      );
    expect(holdersOf('EMBEDDING_API_KEY')).not.toContain('gateway');
    expect(holdersOf('ADMIN_API_KEY')).not.toContain('extractor');
  });

  test('probes ask whether the process lives, and whether it can serve', async () => {
    for (const service of SERVICES) {
      const { startupProbe, livenessProbe, readinessProbe } = containerOf(
        deploymentOf(await loading, service),
      );
      expect([startupProbe, livenessProbe].map((probe) => probe?.httpGet)).toEqual(
        ['/healthz', '/healthz'].map((path) => ({ path, port: 'http' })),
      );
      expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    }
  });

  test('health, metrics and the queue board cannot be reached from outside', async () => {
    const manifests = await loading;
    type Rule = Readonly<{ path: string | Readonly<{ value: string }> }>;
    const rules = [
      ...ofKind(manifests, 'Ingress').flatMap((ingress) => at(ingress, 'spec.rules.0.http.paths') as Rule[]),
      ...ofKind(manifests, 'HTTPRoute').flatMap((route) => at(route, 'spec.rules.0.matches') as Rule[]),
    ];
    const paths = rules.map(({ path }) => (typeof path === 'string' ? path : path.value));
    expect(paths).toEqual(
      ['production', 'keda'].includes(example) ? ['/v1', '/mcp', '/docs', '/openapi.json', '/console'] : [],
    );
  });
});

test('KEDA asks a route that there is, at the Service of the gateway, for a field that it has', async () => {
  const manifests = await loadManifests('keda');
  const [scaler] = ofKind(manifests, 'ScaledObject');
  const { url, valueLocation } = at(scaler, 'spec.triggers.0.metadata') as Record<string, string>;
  const { hostname, port, pathname, searchParams } = new URL(url ?? '');
  const [name = '', namespace] = hostname.split('.');
  expect(at(findManifest(manifests, 'Service', name), 'spec.ports.0.port')).toBe(Number(port));
  expect(namespace).toBe('factmill');
  const operation = OPERATIONS.find(({ path }) => path === pathname);
  expect(operation?.query?.safeParse(Object.fromEntries(searchParams)).success).toBe(true);
  expect(Object.keys(queuePressureSchema.shape)).toContain(valueLocation);
});

test('the file of the image that every pod runs is the version of this repository', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  for (const manifest of await loadManifests('minimal')) {
    if (podOf(manifest) !== undefined)
      expect(containerOf(manifest).image).toBe(`ghcr.io/factmill/factmill:${version}`);
  }
});

test('a wrong type, a missing and an unknown field are found', async () => {
  const [first] = ofKind(await loadManifests('minimal'), 'Deployment');
  const broken = structuredClone(first) as { spec: Record<string, unknown> } & Manifest;
  broken.spec['replicas'] = 'one';
  broken.spec['replicaz'] = 1;
  delete broken.spec['selector'];
  expect(schemaProblems(broken)).toEqual([
    expect.stringMatching(/selector/),
    expect.stringMatching(/replicas must be/),
    '/spec/replicaz is unknown',
  ]);
});
