import { ENVIRONMENT_NAMES, loadConfig } from '@factmill/config';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ComposeFile,
  durationMs,
  environmentOf,
  loadComposeFile,
  PASSWORDS,
  readComposeText,
  ROOT,
} from './compose-file.ts';

const OURS = ['migrate', 'gateway', 'retrieval', 'extractor'] as const;
const SERVING = ['gateway', 'retrieval', 'extractor'] as const;
const STANDARD_OTEL_NAMES = ['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'];
/** Folders: nothing is kept in the image's own with Postgres and Redis, and only `npm start` imports one. */
const NOT_PASSED = ['DATA_DIR', 'IMPORT_OPENCLAW_DIR'];

describe('docker-compose.yml', () => {
  let compose: ComposeFile;
  let text: string;
  const ours = () => OURS.map((name) => [name, service(name)] as const);
  const service = (name: string) => {
    const found = compose.services[name];
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  };

  beforeAll(async () => {
    text = await readComposeText();
    compose = await loadComposeFile();
  });

  test('is valid', async () => {
    const schema = JSON.parse(
      await readFile(join(ROOT, 'test/deploy/compose-schema.json'), 'utf8'),
    ) as object;
    const validate = new Ajv({ allErrors: true, strictTypes: false, strictTuples: false }).compile(schema);
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  test('refers only to networks, volumes, services and files that exist', () => {
    for (const [name, { networks, volumes, depends_on, build }] of Object.entries(compose.services)) {
      for (const network of networks ?? []) expect(Object.keys(compose.networks)).toContain(network);
      for (const dependency of Object.keys(depends_on ?? {}))
        expect(compose.services).toHaveProperty(dependency);
      for (const volume of volumes ?? []) {
        const source = volume.split(':')[0] ?? '';
        const known = source.startsWith('./') ? existsSync(join(ROOT, source)) : source in compose.volumes;
        expect({ name, source, known }).toEqual({ name, source, known: true });
      }
      if (build !== undefined)
        expect(existsSync(join(ROOT, build.context, build.dockerfile ?? 'Dockerfile'))).toBe(true);
    }
  });

  test('needs nothing but passwords, has a default for no password, and every variable is documented', async () => {
    const variables = [...text.matchAll(/\$\{(\w+)(:-|:\?)?/g)].map(([, name = '', kind]) => ({
      name,
      kind,
    }));
    const named = (kind: string | undefined) =>
      new Set(variables.filter((variable) => variable.kind === kind).map(({ name }) => name));
    expect(named(undefined)).toEqual(new Set());
    expect([...named(':?')].sort()).toEqual(Object.keys(PASSWORDS).sort());
    expect([...named(':-')].filter((name) => name.endsWith('PASSWORD'))).toEqual([]);
    expect(text).not.toContain('PASSWORD:-');
    const documented = await readFile(join(ROOT, 'docs/operations/running.md'), 'utf8');
    expect(variables.filter(({ name }) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  test.each(Object.keys(PASSWORDS))('without %s it says which command makes it', async (name) => {
    for (const variables of [{ ...PASSWORDS, [name]: '' }, {}]) {
      await expect(loadComposeFile(variables)).rejects.toThrow('run npm run compose:env');
    }
  });

  test('hands every setting of Factmill to a service that reads it, and nothing that nobody reads', () => {
    const passed = new Set(ours().flatMap(([, { environment }]) => Object.keys(environment ?? {})));
    const known = [...ENVIRONMENT_NAMES, ...STANDARD_OTEL_NAMES].filter((name) => !NOT_PASSED.includes(name));
    expect([...passed].sort()).toEqual(known.sort());
  });

  test('gives each service a configuration that it accepts, with authentication on', () => {
    for (const [, ours] of SERVING.map((name) => [name, service(name)] as const)) {
      const config = loadConfig(environmentOf(ours));
      expect(config.auth).toMatchObject({ mode: 'required', adminKey: null });
      expect(config.storage.databaseUrl).toContain('@postgres:5432/');
      expect(config.storage.redis?.url).toContain('@redis:6379');
      expect(config.gateway.retrievalUrls).toEqual(['http://retrieval:8081']);
    }
  });

  test('takes settings and passwords from the environment', async () => {
    const variables = {
      ...PASSWORDS,
      LLM_MODEL: 'a',
      LLM_BASE_URL: 'http://model:1/v1',
      POSTGRES_PASSWORD: 'p1',
      POSTGRES_SERVICE_PASSWORD: 's1',
      REDIS_PASSWORD: 'r1',
    };
    const changed = await loadComposeFile(variables);
    const { extractor, migrate, postgres, redis } = changed.services;
    if (extractor === undefined || migrate === undefined || postgres === undefined || redis === undefined)
      throw new Error('services are missing');
    const config = loadConfig(environmentOf(extractor, variables));
    expect(config.extractor.chatModel?.model).toBe('a');
    expect(config.storage.databaseUrl).toContain('factmill_service:s1@');
    expect(loadConfig(environmentOf(migrate, variables)).storage).toMatchObject({
      databaseUrl: config.storage.databaseUrl,
      ownerUrl: expect.stringContaining('factmill:p1@'),
    });
    expect(config.storage.redis?.url).toContain(':r1@');
    expect(postgres.environment?.['POSTGRES_PASSWORD']).toBe('p1');
    expect(redis.command).toContain('r1');
  });

  test('only the migration knows the owner of the tables', () => {
    for (const name of SERVING) expect(service(name).environment).not.toHaveProperty('DATABASE_OWNER_URL');
    expect(loadConfig(environmentOf(service('migrate'))).storage.ownerUrl).toContain('//factmill:');
  });

  test('model keys reach only the services that call models', () => {
    const holdersOf = (name: string) =>
      Object.keys(compose.services).filter((id) => name in (service(id).environment ?? {}));
    // The chat proxy sends chats where the extraction model is, unless it has an upstream of its own.
    expect(holdersOf('LLM_API_KEY')).toEqual(['gateway', 'retrieval', 'extractor']);
    expect(holdersOf('CHAT_API_KEY')).toEqual(['gateway']);
    expect(holdersOf('EMBEDDING_API_KEY')).toEqual(['retrieval', 'extractor']);
  });

  test('builds the image once, and every service of ours runs it', () => {
    expect(new Set(ours().map(([, { image }]) => image)).size).toBe(1);
    expect(ours().filter(([, { build }]) => build !== undefined)).toHaveLength(1);
  });

  test('runs the released image, or one of your own', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const chart = await readFile(join(ROOT, 'infra/helm/factmill/values.yaml'), 'utf8');
    const repository = /^ {2}repository: (.+)$/m.exec(chart)?.[1];
    expect(service('gateway').image).toBe(`${repository}:${version}`);
    const own = await loadComposeFile({ ...PASSWORDS, FACTMILL_IMAGE: 'factmill:local' });
    expect(own.services['gateway']?.image).toBe('factmill:local');
  });

  test('backs up with the tools of the server, and only the database can be reached', () => {
    const { image, networks, ports, volumes } = service('backup');
    expect(image).toBe(service('postgres').image);
    expect({ networks, ports }).toEqual({ networks: ['data'], ports: undefined });
    expect(volumes).toContain('backups:/backups');
  });

  test('orders the start: stores, then the schema, then services', () => {
    expect(service('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(service('migrate').restart).toBe('no');
    for (const name of SERVING) {
      expect(service(name).depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    }
    for (const name of ['postgres', 'redis']) expect(service(name).healthcheck?.test).toBeDefined();
  });

  test('publishes ports on this machine only, and none of a service that can be scaled', () => {
    expect(text).not.toContain('container_name');
    for (const { ports } of Object.values(compose.services)) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    for (const name of ['retrieval', 'extractor', 'postgres', 'redis'])
      expect(service(name).ports).toBeUndefined();
  });

  test('keeps the stores on a network without a way out', () => {
    expect(compose.networks['data']).toEqual({ internal: true });
    expect(service('postgres').networks).toEqual(['data']);
    expect(service('redis').networks).toEqual(['data']);
  });

  test('limits, restarts and logs every service, and takes its privileges away', () => {
    for (const [name, { deploy, restart, logging, cap_drop, security_opt }] of Object.entries(
      compose.services,
    )) {
      expect({ name, limits: deploy?.resources?.limits }).toMatchObject({
        limits: { cpus: expect.any(String), memory: expect.any(String) },
      });
      expect({ name, restart }).toEqual({ name, restart: name === 'migrate' ? 'no' : 'unless-stopped' });
      expect(logging?.driver).toBe('json-file');
      expect(cap_drop).toEqual(['ALL']);
      expect(security_opt).toEqual(['no-new-privileges:true']);
    }
    for (const { read_only, init } of [...ours().map(([, own]) => own), service('backup')])
      expect({ read_only, init }).toEqual({ read_only: true, init: true });
  });

  test('waits longer on stopping than a process takes', () => {
    const { shutdownGraceMs } = loadConfig({});
    for (const name of SERVING) {
      expect(durationMs(service(name).stop_grace_period ?? '')).toBeGreaterThanOrEqual(
        shutdownGraceMs + 5_000,
      );
    }
  });

  test('sets Redis as the queue needs it, and keeps data in volumes', () => {
    const command = service('redis').command?.join(' ');
    expect(command).toContain('--appendonly yes --appendfsync everysec');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain(`--requirepass ${PASSWORDS.REDIS_PASSWORD}`);
    expect(service('redis').volumes).toEqual(['redis-data:/data']);
    expect(service('postgres').volumes).toEqual(['postgres-data:/var/lib/postgresql']);
  });

  test('has enough database connections for five extractors', () => {
    const maxConnections = Number(
      /max_connections=(\d+)/.exec(service('postgres').command?.join(' ') ?? '')?.[1],
    );
    const processes = 2 + 5;
    expect(processes * loadConfig({}).storage.poolMax).toBeLessThan(maxConnections - 10);
  });

  test('starts observability only when asked for', () => {
    const optional = Object.keys(compose.services).filter((name) =>
      service(name).profiles?.includes('observability'),
    );
    expect(optional).toEqual(['otel-collector', 'jaeger', 'prometheus', 'grafana']);
  });
});
