import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { type Config, loadConfig, type RawEnvironment, readSecretFiles } from '@factmill/config';
import {
  acceptConversations,
  type AcceptRequest,
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  type ExtractionRow,
  findExtraction,
  type MemoryRow,
  migrate,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { createEmbedder } from '@factmill/models';
import { createQueues, queueConfigOf, type Queues } from '@factmill/queue';
import { createDisposables } from '@factmill/runtime';
import { createLogger, type Logger, startTelemetry } from '@factmill/telemetry';
import {
  acceptRequest,
  createRedisNamespace,
  createScriptedModel,
  createTestDatabase,
  NO_QUEUE_LIMITS,
  type ScriptedModel,
  waitFor,
} from '@factmill/testkit';
import { v7 as uuidv7 } from 'uuid';
import { createExtractor, type Extractor } from './index.ts';

export const TENANT = DEFAULT_TENANT_ID;

type Said = Readonly<{
  id?: string;
  role?: 'user' | 'assistant' | 'system' | 'tool';
  content: string;
  tool_calls?: readonly Readonly<Record<string, unknown>>[];
  tool_call_id?: string;
  created_at?: string;
  channel?: string;
  sender?: string;
}>;

export type ExtractorUnderTest = Readonly<{
  config: Config;
  /** As the owner of the tables, for looking at what the extractor has done for any tenant. */
  database: DatabasePool;
  queues: Queues;
  model: ScriptedModel;
  logger: Logger;
  /** Everything that was logged so far. */
  log: () => string;
  /** Starts another extractor on the same database and queue. */
  start: () => Promise<Extractor>;
  /** Accepts a conversation as the gateway does and puts it into the queue; resolves to the extraction's id. */
  extract: (messages: readonly Said[], options?: ExtractOptions) => Promise<string>;
  /** The ledger row; waits until `until` holds, for an ended one unless told. */
  ledger: (id: string, until?: (row: ExtractionRow) => boolean, timeoutMs?: number) => Promise<ExtractionRow>;
  memories: (userId: string) => Promise<MemoryRow[]>;
  close: () => Promise<void>;
}>;

export type ExtractOptions = Readonly<{
  userId?: string;
  conversationId?: string;
  queued?: boolean;
  /** `facts-and-context` unless told. */
  preset?: string;
}>;

const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'dropped', 'skipped']);

/** The extractor in this process, on its own database and part of Redis, with the scripted model for both uses. */
export async function openExtractorUnderTest(
  options: Readonly<{
    backend?: 'redis' | 'postgres';
    env?: RawEnvironment;
  }> = {},
): Promise<ExtractorUnderTest> {
  const disposables = createDisposables();
  const lines: string[] = [];
  const logger = createLogger({
    service: 'extractor',
    level: 'debug',
    destination: new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString('utf8'));
        done();
      },
    }),
  });
  const testDatabase = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger, ...how }) });
  disposables.add({ close: testDatabase.drop });
  const redis = createRedisNamespace();
  disposables.add({ close: redis.cleanup });
  const model = disposables.add(await createScriptedModel());
  const config = loadConfig({
    DATABASE_URL: testDatabase.serviceUrl,
    DATABASE_OWNER_URL: testDatabase.connectionString,
    ...(options.backend === 'postgres' ? {} : { REDIS_URL: redis.url, QUEUE_PREFIX: redis.keyPrefix }),
    EXTRACTOR_PORT: '0',
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_MODEL: 'scripted-embedding',
    RETRY_INTERVAL_MS: '100',
    BREAKER_PROBE_INTERVAL_MS: '50',
    SWEEP_INTERVAL_MS: '200',
    SWEEP_GRACE_MS: '300',
    SHUTDOWN_GRACE_MS: '1000',
    // Its vectors would be among the calls that a test counts.
    SEARCH_TURNS: 'false',
    ...readSecretFiles(options.env ?? {}),
  });
  const storage = { connectionString: testDatabase.serviceUrl, embedded: false };
  const queueConfig = queueConfigOf(config, storage);
  const telemetry = disposables.add(
    await startTelemetry({ service: 'extractor', version: 'test', otlpEndpoint: null }),
  );
  const working = disposables.add(
    createPool({
      rowSecurity: 'always',
      connectionString: storage.connectionString,
      max: 10,
      applicationName: 'extractor-test',
      logger,
    }),
  );
  const database = disposables.add(
    createPool({
      connectionString: testDatabase.connectionString,
      max: 4,
      applicationName: 'extractor-test-owner',
      logger,
    }),
  );
  const queues = disposables.add(await createQueues(queueConfig, { logger, clock: Date.now }));
  const embedder = disposables.add(createEmbedder(config.embedding));

  async function extract(messages: readonly Said[], given: ExtractOptions = {}): Promise<string> {
    const request: AcceptRequest = {
      ...acceptRequest(TENANT),
      userId: given.userId ?? 'maya',
      conversationId: given.conversationId ?? randomUUID(),
      messages: messages.map(({ id, role = 'user', tool_calls, ...said }) => ({
        ...said,
        id: id ?? randomUUID(),
        role,
        ...(tool_calls === undefined ? {} : { tool_calls: [...tool_calls] }),
        tokenEstimate: 1,
      })),
      extractionId: uuidv7(),
      preset: given.preset ?? 'facts-and-context',
    };
    await acceptConversations(database, [request], NO_QUEUE_LIMITS);
    if (given.queued !== false) await enqueueExtraction(queues, request.extractionId);
    return request.extractionId;
  }

  async function ledger(
    id: string,
    until = (row: ExtractionRow) => OVER.has(row.state),
    timeoutMs = 15_000,
  ): Promise<ExtractionRow> {
    return waitFor(
      async () => {
        const row = await findExtraction(database, TENANT, id);
        return row !== undefined && until(row) ? row : undefined;
      },
      { timeoutMs, describe: 'the ledger row to get there' },
    );
  }

  return {
    config,
    database,
    queues,
    model,
    logger,
    log: () => lines.join(''),
    start: async () =>
      disposables.add(
        await createExtractor({
          config,
          logger,
          telemetry,
          database: working,
          isEmbedded: false,
          queueConfig,
          queues,
          embedder,
          signal: null,
        }),
      ),
    extract,
    ledger,
    memories: (userId) => currentMemories(database, userId),
    close: () => disposables.close(),
  };
}

/**
 * Puts an extraction into the queue. A gateway tries once, within its deadline, and leaves the rest to the sweeper; a
 * test goes on when it is there. The job's id makes that once.
 */
export async function enqueueExtraction(queues: Queues, extractionId: string, generation = 0): Promise<void> {
  const data = { extractionId, tenantId: TENANT };
  const entry = { name: 'extract' as const, data, jobId: `${extractionId}_${generation}` };
  const isThere = () =>
    queues.enqueue([entry]).then(
      () => true,
      (error: unknown) => {
        if (isAppError(error) && error.code === 'queue_unavailable') return false;
        throw error;
      },
    );
  await waitFor(isThere, { describe: 'the queue to take an extraction' });
}

async function currentMemories(database: DatabasePool, userId: string): Promise<MemoryRow[]> {
  const { rows } = await database.query<MemoryRow>(
    `select id, kind, category, key, value, content, question, answer, source, confidence, is_current as "isCurrent",
       stated_at as "statedAt", extraction_id as "extractionId", message_ids as "messageIds"
     from memories where tenant_id = $1::uuid and user_id = $2::text and is_current order by key, content`,
    [TENANT, userId],
  );
  return rows;
}
