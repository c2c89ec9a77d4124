import { type Config, loadConfig } from '@factmill/config';
import { DEFAULT_PERMISSIONS, type Permission, type Problem } from '@factmill/contracts';
import { createPool, type DatabasePool, ensureTenant, insertApiKey, migrate } from '@factmill/database';
import { generateApiKey } from '@factmill/auth';
import { createQueues, queueConfigOf, type Queues } from '@factmill/queue';
import {
  type Access,
  createDisposables,
  type Disposables,
  externalStorage,
  openAuthenticator,
  openDatabase,
} from '@factmill/runtime';
import { createLogger, startTelemetry } from '@factmill/telemetry';
import { createRedisNamespace, createTestDatabase } from '@factmill/testkit';
import { Writable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { createGateway, type Gateway } from './create-gateway.ts';

export const ADMIN_KEY = 'administrators-key-for-tests';

/** An answer with its body as loosely typed JSON, since tests look at it from the outside. */
// oxlint-disable-next-line typescript/no-explicit-any -- a client's view of an answer
export type Answer<T = any> = Readonly<{ status: number; headers: Headers; body: T; text: string }>;

export type Call = Readonly<{
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string;
  /** The API key; the administrator's unless told, null for none. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
}>;

export type GatewayUnderTest = Readonly<{
  url: string;
  app: Gateway['app'];
  config: Config;
  /** As the owner of the tables, for looking at what the gateway has done for any tenant. */
  database: DatabasePool;
  queues: Queues;
  authenticator: Access;
  /** Every line the gateway has logged. */
  logged: () => string;
  call: (method: string, path: string, call?: Call) => Promise<Answer>;
  /** A key of a tenant, which is created when missing. */
  makeKey: (options: {
    tenant?: string;
    name?: string;
    permissions?: Permission[];
    userId?: string;
    userLocked?: boolean;
    expiresAt?: Date;
  }) => Promise<string>;
  /** One more gateway on the same storage, as in production, with other settings if told so. */
  another: (environment?: Readonly<Record<string, string>>, consoleFolder?: string) => Promise<Gateway>;
  close: () => Promise<void>;
}>;

const logger = { info: () => undefined, warn: () => undefined };

/** A gateway on a database and a Redis namespace of its own, behind authentication, on a free port. */
export async function startGateway(
  environment: Readonly<Record<string, string>> = {},
  /** For how long keys are believed. */
  now = () => new Date(),
  /** Stands between the gateway and its database. */
  between = (pool: DatabasePool) => pool,
): Promise<GatewayUnderTest> {
  const disposables = createDisposables();
  const { serviceUrl, ownerUrl } = await provideDatabase(environment['DATABASE_URL'], disposables);
  const redis = createRedisNamespace();
  if (environment['REDIS_URL'] === undefined) disposables.add({ close: () => redis.cleanup() });
  const settings = {
    HOST: '127.0.0.1',
    GATEWAY_PORT: '0',
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
    DATABASE_URL: serviceUrl,
    DATABASE_OWNER_URL: ownerUrl,
    DATABASE_POOL_MAX: '8',
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    SHUTDOWN_GRACE_MS: '0',
    // Nothing listens there, whatever else runs on this machine.
    RETRIEVAL_URL: 'http://127.0.0.1:1',
    ...environment,
  };
  const config = loadConfig(settings);
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const log = createLogger({ service: 'gateway', level: 'info', destination });
  const telemetry = disposables.add(
    await startTelemetry({ service: 'gateway', version: '0', otlpEndpoint: null }),
  );
  const storage = externalStorage(config);
  const serving = disposables.add(between(openDatabase(config, storage, 'gateway', log, 1, 'always')));
  const database = disposables.add(openTestPool(ownerUrl));
  const queues = disposables.add(
    await createQueues(queueConfigOf(config, storage), { logger: log, clock: Date.now }),
  );
  const authenticator = openAuthenticator(config, serving, now);
  const another: GatewayUnderTest['another'] = async (more = {}, consoleFolder) =>
    disposables.add(
      await createGateway({
        config: loadConfig({ ...settings, ...more }),
        logger: log,
        telemetry,
        database: serving,
        queues,
        authenticator,
        // On a busy machine Redis answers late, and the rates have to be shared all the same.
        limitsAnswerMs: 60_000,
        ...(consoleFolder === undefined ? {} : { consoleFolder }),
      }),
    );
  const { url, app } = await another();
  return {
    url,
    app,
    config,
    database,
    queues,
    authenticator,
    logged: () => lines.join(''),
    call: (method, path, call) => send(url, method, path, call),
    makeKey: async ({ tenant = 'default', name, permissions, userId, userLocked = false, expiresAt }) => {
      const { id, key, secretSha256 } = generateApiKey();
      await insertApiKey(database, {
        id,
        tenantId: await ensureTenant(database, tenant, uuidv7()),
        secretSha256,
        name: name ?? `key-${id}`,
        permissions: permissions ?? [...DEFAULT_PERMISSIONS],
        userId: userId ?? null,
        userLocked,
        expiresAt: expiresAt ?? null,
      });
      return key;
    },
    another,
    close: () => disposables.close(),
  };
}

/** A database of its own, unless a test brings one. */
async function provideDatabase(
  given: string | undefined,
  disposables: Disposables,
): Promise<{ serviceUrl: string; ownerUrl: string }> {
  if (given !== undefined) return { serviceUrl: given, ownerUrl: given };
  const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  disposables.add({ close: () => own.drop() });
  return { serviceUrl: own.serviceUrl, ownerUrl: own.connectionString };
}

/** A pool on the same database that is not the gateway's. */
export function openTestPool(connectionString: string): DatabasePool {
  return createPool({ connectionString, max: 3, applicationName: 'factmill-test', logger });
}

/** Sends a request as a client would; JSON unless `raw` says otherwise. */
export async function send(url: string, method: string, path: string, call: Call = {}): Promise<Answer> {
  const key = call.key === undefined ? ADMIN_KEY : call.key;
  const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null, text };
}

/** The names of the fields that a problem complains about. */
export function fieldsOf(answer: Answer): string[] {
  return (answer.body as Problem).errors.map(({ field }) => field);
}

/** A message of a user. */
export function said(
  content: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { role: 'user', content, ...fields };
}
