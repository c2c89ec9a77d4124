import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createEmptyDatabase,
  createRedisNamespace,
  freePort,
  type RedisNamespace,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { randomBytes } from 'node:crypto';
import { type ComposeFile, durationMs, environmentOf, loadComposeFile } from './compose-file.ts';
import { readAlertExpressions } from './alert-rules.ts';
import { healthcheckOf, loadDockerfile } from './dockerfile.ts';
import { startCommand, type StartedCommand, untilHealthy } from './start-command.ts';

const TSC = ['node', 'node_modules/typescript/bin/tsc', '-b'];
const PORTS = { gateway: '8080', retrieval: '8081', extractor: '8082' } as const;
type ServiceName = keyof typeof PORTS;

/**
 * The system of docker-compose.yml without Docker: the same commands on the same build, the same environment but
 * for hosts and ports, the same health checks. Only what a container engine adds is not covered.
 */
describe('the services of docker-compose.yml as processes', () => {
  const adminKey = randomBytes(24).toString('hex');
  let compose: ComposeFile;
  let database: TestDatabase;
  let redis: RedisNamespace;
  let imageCheck: readonly string[];
  let localPorts: Readonly<Record<string, string>>;
  const started = new Map<string, StartedCommand>();

  beforeAll(async () => {
    // Up to date after npm run check; made so when only this test runs.
    const build = startCommand([...TSC, 'services/standalone', 'packages/cli'], {});
    expect({ ...(await build.ended), output: build.output() }).toMatchObject({ code: 0, output: '' });
    compose = await loadComposeFile();
    imageCheck = healthcheckOf((await loadDockerfile()).at(-1) ?? []);
    database = await createEmptyDatabase();
    redis = createRedisNamespace();
    const ports = await Promise.all(
      Object.values(PORTS).map(async (port) => [port, String(await freePort())]),
    );
    localPorts = Object.fromEntries(ports) as Record<string, string>;
  });

  afterAll(async () => {
    await Promise.all([...started.values()].map((process) => process.stop()));
    await database?.drop();
    await redis?.cleanup();
  });

  function serviceOf(name: string) {
    const service = compose.services[name];
    if (service?.command === undefined) throw new Error(`${name} has no command`);
    return { ...service, command: service.command };
  }

  const withLocalPorts = (text: string) =>
    text.replaceAll(/\b808[0-2]\b/g, (port) => localPorts[port] ?? port);

  /** Hosts and ports of the compose network become those of this machine; everything else stays. */
  function localEnvironment(name: string): Record<string, string> {
    const environment = environmentOf(serviceOf(name), {
      ADMIN_API_KEY: adminKey,
      QUEUE_PREFIX: redis.keyPrefix,
    });
    return Object.fromEntries(
      Object.entries(environment).map(([variable, value]) => {
        if (variable === 'DATABASE_URL') return [variable, database.serviceUrl];
        if (variable === 'DATABASE_OWNER_URL') return [variable, database.connectionString];
        if (variable === 'REDIS_URL') return [variable, redis.url];
        return [variable, withLocalPorts(value.replace('//retrieval:', '//127.0.0.1:'))];
      }),
    );
  }

  function start(
    name: string,
    key: string = name,
    changes: Readonly<Record<string, string>> = {},
  ): StartedCommand {
    const process = startCommand(serviceOf(name).command, { ...localEnvironment(name), ...changes });
    started.set(key, process);
    return process;
  }

  const gateway = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${localPorts['8080']}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    });

  test('a service without the schema says what to do and ends', async () => {
    const process = start('gateway');
    expect(await process.ended).toMatchObject({ code: 1 });
    expect(process.output()).toContain('Run the migrate command.');
  });

  test('migrate brings the schema and exits 0, twice', async () => {
    for (let run = 0; run < 2; run += 1) {
      const process = start('migrate');
      expect({ ...(await process.ended), output: process.output() }).toMatchObject({ code: 0 });
    }
  });

  test('every service becomes healthy by its own check', async () => {
    for (const name of Object.keys(PORTS) as ServiceName[]) start(name);
    for (const name of Object.keys(PORTS) as ServiceName[]) {
      const check = (serviceOf(name).healthcheck?.test ?? imageCheck).map(withLocalPorts);
      expect(check.join(' ')).toContain(`:${localPorts[PORTS[name]]}/`);
      await untilHealthy(check, { name, started: startedAs(name) });
    }
  });

  test('a second extractor joins, as with --scale', async () => {
    const port = String(await freePort());
    const second = start('extractor', 'extractor 2', { EXTRACTOR_PORT: port });
    const check = (serviceOf('extractor').healthcheck?.test ?? []).map((part) =>
      part.replaceAll('8082', port),
    );
    await untilHealthy(check, { name: 'extractor 2', started: second });
  });

  test('nobody gets in without a key', async () => {
    const answer = await fetch(`http://127.0.0.1:${localPorts['8080']}/v1/memories?user_id=noor`);
    expect(answer.status).toBe(401);
  });

  test('a conversation that is posted can be searched', async () => {
    const accepted = await gateway('/v1/extractions', {
      method: 'POST',
      body: JSON.stringify({
        user_id: 'noor',
        messages: [{ role: 'user', content: 'I live in Porto and I work as a carpenter.' }],
      }),
    });
    expect(accepted.status).toBe(202);
    const results = await waitFor(
      async () => {
        const answer = await gateway('/v1/memories/search', {
          method: 'POST',
          body: JSON.stringify({ user_id: 'noor', query: 'Where does noor live?' }),
        });
        const body = (await answer.json()) as { results: { memory: { content: string } }[] };
        return body.results.length > 0 && body.results;
      },
      { timeoutMs: 30_000, describe: 'the memory to be found' },
    );
    expect(results.map((result) => result.memory.content).join(' ')).toContain('Porto');
  });

  test('metrics are served without a key, for Prometheus', async () => {
    for (const port of Object.values(PORTS)) {
      const answer = await fetch(`http://127.0.0.1:${localPorts[port]}/metrics`);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('factmill_http_request_duration_seconds_count');
    }
  });

  test('what alerts look at is there, counters at 0 before anything happens', async () => {
    const pages = await Promise.all(
      Object.values(PORTS).map(async (port) =>
        (await fetch(`http://127.0.0.1:${localPorts[port]}/metrics`)).text(),
      ),
    );
    const lines = pages.join('\n').split('\n');
    const selectors = (await readAlertExpressions()).flatMap((expression) => [
      ...expression.matchAll(/\b((?:factmill|nodejs|process)_\w+)(?:\{([^}]*)\})?/g),
    ]);
    expect(selectors.length).toBeGreaterThan(15);
    // A duration is there from the first one on, with the labels that it had.
    const lasting = selectors.filter(([, name = '']) => !name.endsWith('_count'));
    for (const [selector, name = '', matchers = ''] of lasting) {
      const wanted = [...matchers.matchAll(/\w+="[^"]*"/g)].map(([matcher]) => matcher);
      const found = lines.some(
        (line) =>
          (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
          wanted.every((matcher) => line.includes(matcher)),
      );
      expect({ selector, found }).toEqual({ selector, found: true });
    }
  });

  test('stops cleanly on SIGTERM, well within its grace period', async () => {
    for (const [key, process] of started) {
      if (key === 'migrate') continue;
      const startedAt = performance.now();
      expect({ key, ...(await process.stop()), output: process.output() }).toMatchObject({ key, code: 0 });
      const grace = durationMs(serviceOf(key.split(' ')[0] ?? '').stop_grace_period ?? '0s');
      expect(performance.now() - startedAt).toBeLessThan(grace);
    }
  });

  function startedAs(name: string): StartedCommand {
    const process = started.get(name);
    if (process === undefined) throw new Error(`${name} was not started`);
    return process;
  }
});
