import { createSessions, generateApiKey } from '@factmill/auth';
import { loadConfig, type RawEnvironment } from '@factmill/config';
import { type Permission, type SearchResponse, searchResponseSchema } from '@factmill/contracts';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  insertApiKey,
  insertConsoleSession,
  insertMemories,
  listUnindexedTurns,
  migrate,
  type NewMemory,
  type PoolOptions,
  registerEmbeddingModel,
  saveEmbeddings,
  saveTurnPartEmbeddings,
  saveTurnParts,
} from '@factmill/database';
import { createEmbedder, type Embedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { createDisposables, openAuthenticator } from '@factmill/runtime';
import { createLogger, type Logger, startTelemetry } from '@factmill/telemetry';
import { createTestDatabase, newMemory, testPartitions } from '@factmill/testkit';
import { randomUUID } from 'node:crypto';
import { createRetrieval, type Retrieval } from './create-retrieval.ts';

const silent = createLogger({ service: 'retrieval', level: 'silent' });

type Given = Partial<NewMemory> & { content: string };
type Said = Readonly<{ id: string; role: 'user' | 'assistant'; content: string }>;

type StartOptions = Readonly<{
  pool?: DatabasePool;
  replica?: DatabasePool;
  embedder?: Embedder;
  logger?: Logger;
  now?: () => Date;
}>;

export type RetrievalUnderTest = Readonly<{
  database: DatabasePool;
  /** As services use it: under the policies of the tables. */
  serving: DatabasePool;
  openPool: (connectionString: string, options?: Partial<PoolOptions>) => DatabasePool;
  /** A service with the local model, without authentication unless told. It is closed with everything else. */
  start: (environment?: RawEnvironment, options?: StartOptions) => Promise<Retrieval>;
  /** Starts a service, and closes it after the work. */
  withService: <T>(
    environment: RawEnvironment,
    options: StartOptions,
    work: (service: Retrieval) => Promise<T>,
  ) => Promise<T>;
  /** Stores memories as the writers do, with vectors of the local model; resolves to their ids. */
  remember: (userId: string, given: readonly (Given | string)[], pool?: DatabasePool) => Promise<string[]>;
  /** Stores a conversation that is extracted and indexed, with vectors of the local model. */
  say: (userId: string, conversationId: string, said: readonly Said[]) => Promise<void>;
}>;

/**
 * Retrieval with the local model in this process, on its own database.
 *
 * @param ownDatabase an empty one to use; default: one of the test's Postgres, dropped in the end
 */
export async function openRetrievalUnderTest(
  ownDatabase?: string,
): Promise<RetrievalUnderTest & Readonly<{ close: () => Promise<void> }>> {
  const disposables = createDisposables();
  const migrateTo = (url: string, how = testPartitions()) => migrate(url, { logger: silent, ...how });
  const { connectionString, serviceUrl, drop } =
    ownDatabase === undefined
      ? await createTestDatabase({ migrate: migrateTo })
      : { connectionString: ownDatabase, serviceUrl: ownDatabase, drop: () => Promise.resolve() };
  if (ownDatabase !== undefined) await migrateTo(ownDatabase);
  disposables.add({ close: drop });
  const openPool: RetrievalUnderTest['openPool'] = (url, options = {}) =>
    createPool({
      connectionString: url,
      max: 4,
      applicationName: 'factmill-test',
      logger: silent,
      ...options,
    });
  const database = disposables.add(openPool(connectionString));
  const serving = disposables.add(openPool(serviceUrl, { rowSecurity: 'always' }));
  const telemetry = disposables.add(
    await startTelemetry({ service: 'retrieval', version: '0', otlpEndpoint: null }),
  );
  const local = disposables.add(createEmbedder({ provider: 'local' }));
  // Loads the model, which may take longer on a busy machine than a search waits.
  await local.embed(['ready']);
  const model = LOCAL_EMBEDDING_PROFILE.id;
  await registerEmbeddingModel(database, model, LOCAL_EMBEDDING_PROFILE.dimensions);

  async function start(environment: RawEnvironment = {}, options: StartOptions = {}): Promise<Retrieval> {
    const { pool = serving, replica = null, embedder = local, logger = silent } = options;
    const { now = () => new Date() } = options;
    const config = loadConfig({
      HOST: '127.0.0.1',
      RETRIEVAL_PORT: '0',
      SHUTDOWN_GRACE_MS: '100',
      AUTH: 'none',
      EMBEDDING_QUERY_TIMEOUT_MS: '60000',
      ...environment,
    });
    const authenticator = openAuthenticator(config, pool);
    return disposables.add(
      await createRetrieval({
        config,
        logger,
        telemetry,
        database: pool,
        replica,
        embedder,
        authenticator,
        now,
      }),
    );
  }

  async function remember(
    userId: string,
    given: readonly (Given | string)[],
    pool = database,
  ): Promise<string[]> {
    const memories = given.map((one): NewMemory => {
      const fields = typeof one === 'string' ? { content: one } : one;
      return { ...newMemory(DEFAULT_TENANT_ID, userId, fields.content), wantsEmbedding: true, ...fields };
    });
    await insertMemories(pool, memories, { actor: 'test', extractionId: null });
    const vectors = await local.embed(memories.map(({ content }) => content));
    const embeddings = memories.map(({ tenantId, id, content }, n) => ({
      tenantId,
      memoryId: id,
      content,
      vector: vectors[n] ?? [],
    }));
    await saveEmbeddings(pool, model, embeddings);
    return memories.map(({ id }) => id);
  }

  async function say(userId: string, conversationId: string, said: readonly Said[]): Promise<void> {
    await database.query(
      `with stored as (
         insert into conversations (tenant_id, id, user_id, last_seq, extracted_seq) values ($1, $2, $3, $4, $4)
         returning tenant_id, id
       )
       insert into messages (tenant_id, conversation_id, seq, id, role, content, token_estimate, created_at)
       select s.tenant_id, s.id, m.seq, m.id, m.role, m.content, 1, now()
       from stored s cross join unnest($5::text[], $6::text[], $7::text[]) with ordinality as m (id, role, content, seq)`,
      [
        DEFAULT_TENANT_ID,
        conversationId,
        userId,
        said.length,
        said.map(({ id }) => id),
        said.map(({ role }) => role),
        said.map(({ content }) => content),
      ],
    );
    const turns = await listUnindexedTurns(database, said.length);
    const parts = turns.map((turn) => ({
      ...turn,
      id: randomUUID(),
      position: 0,
      content: turn.content ?? '',
    }));
    await saveTurnParts(database, turns, parts, { wantsVectors: false });
    const vectors = await local.embed(parts.map(({ content }) => content));
    const embeddings = parts.map(({ tenantId, id }, n) => ({ tenantId, id, vector: vectors[n] ?? [] }));
    await saveTurnPartEmbeddings(database, model, embeddings);
  }

  return {
    database,
    serving,
    openPool,
    remember,
    say,
    start,
    async withService(environment, options, work) {
      const service = await start(environment, options);
      return work(service).finally(() => service.close());
    },
    close: () => disposables.close(),
  };
}

/** Searches over HTTP; the answer as it comes. */
export async function postSearch({ url }: Retrieval, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/memories/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { status } = response;
  return { status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

/** Searches over HTTP; fails unless the answer is as the contract says. */
export async function searchOver(retrieval: Retrieval, body: object): Promise<SearchResponse> {
  const answer = await postSearch(retrieval, body);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return searchResponseSchema.parse(answer.body);
}

/** Stores a key of a tenant. */
export async function createKey(
  database: DatabasePool,
  name: string,
  permissions: Permission[],
  tenantId = DEFAULT_TENANT_ID,
): Promise<string> {
  const { id, key, secretSha256 } = generateApiKey();
  const owner = { tenantId, userId: null, userLocked: false, expiresAt: null };
  await insertApiKey(database, { id, secretSha256, name, permissions, ...owner });
  return key;
}

/** The cookie of a session of the console, as the gateway passes it on. */
export async function createSession(
  database: DatabasePool,
  key: string,
  tenantId = DEFAULT_TENANT_ID,
): Promise<string> {
  const deps = { adminKey: null, defaultTenantId: tenantId, now: () => new Date() };
  const sessions = createSessions({
    ...deps,
    find: () => Promise.resolve(null),
    noteUse: () => Promise.resolve(),
  });
  const issued = sessions.issue(key);
  if (issued === null) throw new Error('A session needs a key.');
  await insertConsoleSession(database, { ...issued.session, tenantId });
  return `factmill_session=${issued.token}`;
}
