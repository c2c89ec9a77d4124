import { createPool, type DatabasePool } from '@factmill/database';
import {
  createEmptyDatabase,
  createRedisNamespace,
  createScriptedModel,
  type RedisNamespace,
  type ScriptedModel,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ROOT } from '../deploy/compose-file.ts';
import { startCommand } from '../deploy/start-command.ts';
import { expectedOutcome, readOutcome } from '../faults/fault-stand.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { startLoad, type Load } from './load.ts';
import {
  containerOf,
  environmentOf,
  findManifest,
  loadManifests,
  type Manifest,
  ofKind,
} from './manifests.ts';
import { type Pod, startPod } from './pods.ts';

const BUILD = ['node', 'node_modules/typescript/bin/tsc', '-b', 'services/standalone', 'packages/cli'];
/** Of failed requests. */
const MAX_SHOWN = 10;
const SERVICES = ['retrieval', 'gateway', 'extractor'] as const;
type ServiceName = (typeof SERVICES)[number];
/** The folder of the release before, built (`npm run test:upgrade`); else the upgrade is from this version to itself. */
const PREVIOUS = process.env['PREVIOUS_RELEASE'] ?? ROOT;
/** Long enough that model calls are under way whenever an extractor is told to stop. */
const MODEL_MS = 300;

/**
 * The pods of infra/kubernetes/minimal.yaml as processes, with their commands, environment and probes; only addresses
 * are those of this machine. What a cluster does with them is done here: a pod gets calls while it is ready, a new one is
 * ready before an old one goes, and an old one gets no new calls before it is told to stop.
 */
describe('the pods of the manifests', () => {
  const adminKey = randomBytes(24).toString('hex');
  const pods = new Map<ServiceName, Pod>();
  const balancers = new Map<ServiceName, Balancer>();
  let manifests: readonly Manifest[];
  let empty: TestDatabase;
  let database: DatabasePool;
  let redis: RedisNamespace;
  let model: ScriptedModel;
  let load: Load;

  beforeAll(async () => {
    // Up to date after npm run check; made so when only this test runs.
    const build = startCommand(BUILD, {});
    expect({ ...(await build.ended), output: build.output() }).toMatchObject({ code: 0, output: '' });
    manifests = await loadManifests('minimal');
    empty = await createEmptyDatabase();
    redis = createRedisNamespace();
    model = await createScriptedModel({ reply: () => ({ delayMs: MODEL_MS }) });
    for (const service of ['retrieval', 'gateway'] as const) balancers.set(service, await startBalancer());
    database = createPool({
      connectionString: empty.connectionString,
      max: 2,
      applicationName: 'kubernetes-test',
      logger: { info: () => undefined, warn: () => undefined },
    });
  });

  afterAll(async () => {
    await load?.stop();
    await Promise.all([...pods.values()].map((pod) => pod.stop()));
    await Promise.all([...balancers.values()].map((balancer) => balancer.close()));
    await database?.close();
    await model?.close();
    await redis?.cleanup();
    await empty?.drop();
  });

  /** What the manifest says, with the addresses of this machine, and a model. */
  function localEnvironment(manifest: Manifest): Record<string, string> {
    const secrets = {
      'factmill-database': {
        DATABASE_URL: empty.serviceUrl,
        DATABASE_OWNER_URL: empty.connectionString,
      },
      'factmill-redis': { REDIS_URL: redis.url },
    };
    return {
      ...environmentOf(manifests, containerOf(manifest), secrets),
      RETRIEVAL_URL: `http://127.0.0.1:${balancers.get('retrieval')?.port}`,
      QUEUE_PREFIX: redis.keyPrefix,
      ADMIN_API_KEY: adminKey,
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'scripted-model',
      EMBEDDING_PROVIDER: 'none',
    };
  }

  async function migrate(root: string): Promise<void> {
    const [job] = ofKind(manifests, 'Job');
    if (job === undefined) throw new Error('there is no migration');
    const { command, args } = containerOf(job);
    const run = startCommand([...command, ...args], localEnvironment(job), root);
    const { code } = await run.ended;
    expect({ code, output: run.output() }).toEqual({ code: 0, output: expect.any(String) });
  }

  /** Starts a pod that is ready before the old one, if there is any, gets no more calls and is told to stop. */
  async function rollOut(service: ServiceName, root: string): Promise<void> {
    const old = pods.get(service);
    const deployment = findManifest(manifests, 'Deployment', `factmill-${service}`);
    const pod = await startPod(deployment, localEnvironment(deployment), root);
    pods.set(service, pod);
    const balancer = balancers.get(service);
    balancer?.add(pod.port);
    if (old === undefined) return;
    balancer?.remove(old.port);
    expect(await old.stop()).toMatchObject({ code: 0, inTime: true });
  }

  const metricOf = async (service: ServiceName, pattern: RegExp): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${pods.get(service)?.port}/metrics`);
    return Number(pattern.exec(await answer.text())?.[1] ?? 0);
  };

  test('the migration brings the schema, and every pod becomes ready by its probes', async () => {
    await migrate(PREVIOUS);
    await Promise.all(SERVICES.map((service) => rollOut(service, PREVIOUS)));
    expect(pods.size).toBe(3);
  });

  test('an upgrade under load fails no request, and loses and repeats no extraction', async () => {
    load = startLoad(`http://127.0.0.1:${balancers.get('gateway')?.port}`, adminKey);
    await load.untilMore(20);
    await migrate(ROOT);
    // The old services on the new schema; then some of them beside new ones.
    await load.untilMore(20);
    for (const service of SERVICES) {
      await rollOut(service, ROOT);
      await load.untilMore(20);
    }
    const { accepted, failures } = await load.stop();
    expect(failures.slice(0, MAX_SHOWN)).toEqual([]);

    await waitFor(async () => (await readOutcome(database, 0, accepted)).done === accepted, {
      timeoutMs: 60_000,
      describe: 'all extractions to be done',
    });
    expect(await readOutcome(database, 0, accepted)).toEqual(expectedOutcome(0, accepted));
    expect(model.callCount).toBe(accepted);
    // The new pods did the work.
    const requests = /^factmill_http_request_duration_seconds_count\{[^}]*route="\/v1[^}]*\} (\d+)/m;
    expect(await metricOf('gateway', requests)).toBeGreaterThan(0);
    expect(await metricOf('retrieval', requests)).toBeGreaterThan(0);
    const done = /^factmill_extractions_total\{[^}]*outcome="done"[^}]*\} (\d+)/m;
    expect(await metricOf('extractor', done)).toBeGreaterThan(0);
  });
});
