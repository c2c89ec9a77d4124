import { migrate } from '@factmill/database';
import { createRedisNamespace, createTestDatabase, freePort, type TestDatabase } from '@factmill/testkit';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { callJson } from './call-json.ts';
import { type Service, startService } from './start-service.ts';

type ServiceName = 'gateway' | 'retrieval' | 'extractor' | 'standalone';

/** The surroundings of one benchmark: an empty database, an empty part of Redis, and the processes that it starts. */
export type Stage = Readonly<{
  databaseUrl: string;
  redisUrl: string;
  /** Begin every queue and key with it. */
  prefix: string;
  database: Pool;
  /** A folder for logs and data, removed when this process ends. */
  folder: string;
  /** Settings of every service: the stage's storage, authentication required. */
  env: Readonly<Record<string, string>>;
  start: (
    service: ServiceName,
    env?: Readonly<Record<string, string>>,
    from?: 'src' | 'dist',
  ) => Promise<Service>;
  /** Starts a program of this package. It gets PORT. */
  startProgram: (
    name: string,
    options: { env?: Record<string, string>; hasHttp: boolean },
  ) => Promise<Service>;
  /** Headers of an ordinary client: a key from the API, with the default permissions. */
  createClientHeaders: (gateway: Service) => Promise<Record<string, string>>;
  close: () => Promise<void>;
}>;

async function openDatabase(kept: string | undefined): Promise<TestDatabase> {
  if (kept === undefined) {
    return createTestDatabase({
      migrate: (connectionString, how) => migrate(connectionString, { logger, ...how }),
    });
  }
  const services = new URL(kept);
  [services.username, services.password] = ['factmill_bench', 'factmill_bench'];
  const serviceUrl = services.href;
  await migrate(kept, { logger, services: { url: serviceUrl, hasQueue: false } });
  return { connectionString: kept, serviceUrl, drop: () => Promise.resolve() };
}

const logger = { info: () => undefined, warn: () => undefined };

/**
 * @param profileDirectory folder for CPU profiles of the services; undefined takes none
 * @param keptDatabase the URL of a database to use and keep; undefined creates an empty one
 */
export async function createStage(profileDirectory?: string, keptDatabase?: string): Promise<Stage> {
  const testDatabase = await openDatabase(keptDatabase);
  const redis = createRedisNamespace();
  const folder = await mkdtemp(join(tmpdir(), 'factmill-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const database = new Pool({ connectionString: testDatabase.connectionString, max: 4 });
  const adminKey = randomBytes(24).toString('hex');
  const services: Service[] = [];
  const env = {
    DATABASE_URL: testDatabase.serviceUrl,
    // Only `npm start` migrates.
    DATABASE_OWNER_URL: testDatabase.connectionString,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'required',
    ADMIN_API_KEY: adminKey,
    LOG_LEVEL: 'info',
    // The limits are active, but too high to matter.
    RATE_LIMIT_KEY: '1000000',
    RATE_LIMIT_TENANT: '1000000',
  };

  async function launch(
    entry: string,
    port: number,
    more: Readonly<Record<string, string>>,
    readyPath: string | null,
  ) {
    const service = await startService({
      entry,
      env: more,
      logFile: join(folder, `${services.length}.log`),
      url: `http://127.0.0.1:${port}`,
      readyPath,
      profileDirectory,
    });
    services.push(service);
    return service;
  }

  return {
    databaseUrl: testDatabase.connectionString,
    redisUrl: redis.url,
    prefix: redis.keyPrefix,
    database,
    folder,
    env,
    async start(service, more = {}, from = 'src') {
      const ports = {
        GATEWAY_PORT: await freePort(),
        RETRIEVAL_PORT: await freePort(),
        EXTRACTOR_PORT: await freePort(),
      };
      const port = {
        gateway: ports.GATEWAY_PORT,
        retrieval: ports.RETRIEVAL_PORT,
        extractor: ports.EXTRACTOR_PORT,
      };
      return launch(
        `services/${service}/${from === 'src' ? 'src/main.ts' : 'dist/main.js'}`,
        service === 'standalone' ? port.gateway : port[service],
        {
          ...env,
          ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
          ...more,
        },
        '/readyz',
      );
    },
    async startProgram(name, { env: more = {}, hasHttp }) {
      const port = await freePort();
      return launch(
        `bench/src/programs/${name}.ts`,
        port,
        { ...more, PORT: String(port) },
        hasHttp ? '/' : null,
      );
    },
    async createClientHeaders(gateway) {
      const { key } = await callJson<{ key: string }>(
        `${gateway.url}/v1/api-keys`,
        { 'x-api-key': adminKey },
        { name: `bench ${randomBytes(4).toString('hex')}` },
      );
      return { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    },
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await database.end();
      await testDatabase.drop();
      await redis.cleanup();
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
}
