import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Permission } from '@factmill/contracts';
import { createPool, type DatabasePool, ensureTenant, insertApiKey, migrate } from '@factmill/database';
import { createRedisNamespace, createTestDatabase, startProcess, waitFor } from '@factmill/testkit';
import { entryOf } from '../support/service-process.ts';
import type { Planted } from './operation-samples.ts';

export const ADMIN_KEY = 'an-admin-key-that-is-long-enough';
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

type Answer = Readonly<{ status: number; text: string; headers: Headers }>;

type NewKey = Readonly<{
  tenant?: string;
  permissions?: readonly Permission[];
  userId?: string;
  userLocked?: boolean;
  expiresAt?: Date;
}>;

export type AccessStand = Readonly<{
  gatewayUrl: string;
  retrievalUrl: string;
  extractorUrl: string;
  database: DatabasePool;
  /** Bodies that the model provider has seen. */
  upstreamSaw: string[];
  /** A body that is a text is one of JSON Lines. */
  call: (url: string, credential: Credential, method: string, body?: object | string) => Promise<Answer>;
  makeKey: (key: NewKey) => Promise<string>;
  /** Gives a user one of everything, with a secret text in it. */
  plant: (key: string, userId: string) => Promise<Planted>;
  close: () => Promise<void>;
}>;

/** Headers that say who asks. */
export type Credential = Readonly<Record<string, string>>;

export const bearer = (key: string): Credential => ({ authorization: `Bearer ${key}` });

/** All services in one process behind keys, with a model provider that takes everything. */
export async function startAccessStand(): Promise<AccessStand> {
  const testDatabase = await createTestDatabase({
    migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
  });
  const { connectionString, serviceUrl } = testDatabase;
  const database = createPool({ connectionString, max: 2, applicationName: 'e2e', logger: quiet });
  const redis = createRedisNamespace();
  const folder = await mkdtemp(join(tmpdir(), 'factmill-access-'));
  const upstreamSaw: string[] = [];
  const upstream = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      upstreamSaw.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."}}]}');
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const server = await startProcess({
    entry: entryOf('standalone'),
    cwd: folder,
    env: {
      DATA_DIR: folder,
      DATABASE_URL: serviceUrl,
      REDIS_URL: redis.url,
      QUEUE_PREFIX: redis.keyPrefix,
      GATEWAY_PORT: '0',
      RETRIEVAL_PORT: '0',
      EXTRACTOR_PORT: '0',
      LOG_LEVEL: 'error',
      AUTH: 'required',
      RATE_LIMIT_KEY: '0',
      RATE_LIMIT_TENANT: '0',
      AUTH_FAILURES_PER_MINUTE: '0',
      ADMIN_API_KEY: ADMIN_KEY,
      EMBEDDING_PROVIDER: 'none',
      CHAT_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
      CHAT_API_KEY: 'sk-stored',
      CHAT_PASS_THROUGH: 'GET /v1/models/*, GET /v1/models, POST /v1/embeddings',
    },
    readyWhen: /API +(\S+)[^]*Retrieval +(\S+)[^]*Extractor +(\S+)\/health[^]*Stop with/,
    timeoutMs: 60_000,
  });
  const [, gatewayUrl = '', retrievalUrl = '', extractorUrl = ''] = server.ready ?? [];

  async function call(
    url: string,
    credential: Credential,
    method: string,
    body?: object | string,
  ): Promise<Answer> {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' }),
        ...credential,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  async function made(
    key: string,
    method: string,
    path: string,
    body: object,
  ): Promise<Record<string, unknown>> {
    const { status, text } = await call(`${gatewayUrl}${path}`, bearer(key), method, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  return {
    gatewayUrl,
    retrievalUrl,
    extractorUrl,
    database,
    upstreamSaw,
    call,
    async makeKey({ tenant = 'ours', permissions = [], userId, userLocked = false, expiresAt }) {
      const id = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      await insertApiKey(database, {
        id,
        tenantId: await ensureTenant(database, tenant, randomUUID()),
        secretSha256: createHash('sha256').update(secret).digest(),
        name: `key-${id}`,
        permissions: [...permissions],
        userId: userId ?? null,
        userLocked,
        expiresAt: expiresAt ?? null,
      });
      return `fm_${id}_${secret}`;
    },
    async plant(key, userId) {
      const secret = `secret${randomBytes(6).toString('hex')}`;
      const conversation = `c-${randomUUID()}`;
      const theirs = { user_id: userId };
      const metadata = { note: secret };
      await made(key, 'POST', '/v1/conversations', { id: conversation, title: secret, metadata, ...theirs });
      const accepted = await made(key, 'POST', '/v1/extractions', {
        ...theirs,
        conversation_id: conversation,
        metadata,
        messages: [{ role: 'user', content: `My neighbour keeps saying ${secret}.` }],
      });
      const extraction = String(accepted['id']);
      await waitFor(
        async () => {
          const { text } = await call(`${gatewayUrl}/v1/extractions/${extraction}`, bearer(key), 'GET');
          return /"state":"(?:done|failed|skipped)"/.test(text);
        },
        { timeoutMs: 20_000, describe: 'the extraction to end' },
      );
      const memory = await made(key, 'POST', '/v1/memories', {
        ...theirs,
        key: 'city',
        value: `lives in ${secret}`,
      });
      const document = await made(key, 'POST', '/v1/documents', {
        ...theirs,
        title: secret,
        content: secret,
      });
      await made(key, 'PUT', '/v1/summary', { ...theirs, content: secret });
      const compression = await made(key, 'POST', '/v1/compressions', {
        ...theirs,
        kind: 'daily',
        dry_run: true,
      });
      const apiKey = await made(key, 'POST', '/v1/api-keys', { name: secret, permissions: ['memory.read'] });
      // Disabled, so that nothing is sent.
      const webhook = await made(key, 'POST', '/v1/webhooks', {
        url: `https://hooks.invalid/${secret}`,
        enabled: false,
      });
      // Erasing takes everything: of somebody else, so that the rest can be looked at.
      const [leaver, left] = [`${userId}-leaving-${secret}`, `${userId}-left-${secret}`];
      for (const user_id of [leaver, left]) {
        await made(key, 'POST', '/v1/memories', { user_id, content: secret });
      }
      const erasure = await made(key, 'DELETE', `/v1/users/${left}`, {});
      const run = await made(key, 'POST', '/v1/retention/runs', {});
      const replay = await made(key, 'POST', '/v1/replays', { ...theirs });
      const hold = await made(key, 'POST', '/v1/legal-holds', { user_id: `${userId}-held-${secret}` });
      return {
        userId,
        secret,
        users: leaver,
        tenants: await ensureTenant(database, 'ours', randomUUID()),
        erasures: String(erasure['id']),
        conversations: conversation,
        extractions: extraction,
        memories: String(memory['id']),
        documents: String(document['id']),
        'api-keys': String(apiKey['id']),
        webhooks: String(webhook['id']),
        compressions: (compression['compression'] as { id: string }).id,
        retention: String(run['id']),
        'legal-holds': String(hold['id']),
        replays: String(replay['id']),
        settings: 'retry.interval_ms',
      };
    },
    async close() {
      await server.kill('SIGTERM');
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
      await database.close();
      await redis.cleanup();
      await testDatabase.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
