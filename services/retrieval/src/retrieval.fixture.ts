import { loadConfig, type RawEnvironment } from '@factmill/config';
import { type SearchResponse, searchResponseSchema } from '@factmill/contracts';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  insertMemories,
  listUnindexedTurns,
  migrate,
  type NewMemory,
  registerEmbeddingModel,
  saveEmbeddings,
  saveTurnPartEmbeddings,
  saveTurnParts,
} from '@factmill/database';
import { createEmbedder, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { createDisposables, openAuthenticator } from '@factmill/runtime';
import { createLogger, startTelemetry } from '@factmill/telemetry';
import { createTestDatabase } from '@factmill/testkit';
import { createHash, randomUUID } from 'node:crypto';
import { createRetrieval, type Retrieval } from './create-retrieval.ts';

const silent = createLogger({ service: 'retrieval', level: 'silent' });

type Given = Partial<NewMemory> & { content: string };
type Said = Readonly<{ id: string; role: 'user' | 'assistant'; content: string }>;

export type RetrievalUnderTest = Readonly<{
  database: DatabasePool;
  start: (environment?: RawEnvironment, now?: () => Date) => Promise<Retrieval>;
  /** Stores memories as the writers do, with vectors of the local model. */
  remember: (userId: string, given: readonly (Given | string)[]) => Promise<string[]>;
  /** Stores a conversation that is extracted and indexed, with vectors of the local model. */
  say: (userId: string, conversationId: string, said: readonly Said[]) => Promise<void>;
}>;

/** Retrieval with the local model in this process, on its own database. */
export async function openRetrievalUnderTest(): Promise<
  RetrievalUnderTest & Readonly<{ close: () => Promise<void> }>
> {
  const disposables = createDisposables();
  const { connectionString, drop } = await createTestDatabase({
    migrate: (url) => migrate(url, { logger: silent }),
  });
  disposables.add({ close: drop });
  const pool = { connectionString, max: 4, applicationName: 'factmill-test', logger: silent };
  const database = disposables.add(createPool(pool));
  const telemetry = disposables.add(
    await startTelemetry({ service: 'retrieval', version: '0', otlpEndpoint: null }),
  );
  const local = disposables.add(createEmbedder({ provider: 'local' }));
  const model = LOCAL_EMBEDDING_PROFILE.id;
  await registerEmbeddingModel(database, model, LOCAL_EMBEDDING_PROFILE.dimensions);

  async function remember(userId: string, given: readonly (Given | string)[]): Promise<string[]> {
    const memories = given.map((one) =>
      toNewMemory(userId, typeof one === 'string' ? { content: one } : one),
    );
    await insertMemories(database, memories, { actor: 'test', extractionId: null });
    const vectors = await local.embed(memories.map(({ content }) => content));
    const embeddings = memories.map(({ id, content }, n) => ({
      memoryId: id,
      content,
      vector: vectors[n] ?? [],
    }));
    await saveEmbeddings(database, model, embeddings);
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
    const embeddings = parts.map(({ id }, n) => ({ id, vector: vectors[n] ?? [] }));
    await saveTurnPartEmbeddings(database, model, embeddings);
  }

  return {
    database,
    remember,
    say,
    async start(environment = {}, now = () => new Date()) {
      const config = loadConfig({
        HOST: '127.0.0.1',
        RETRIEVAL_PORT: '0',
        SHUTDOWN_GRACE_MS: '100',
        AUTH: 'none',
        ...environment,
      });
      const authenticator = openAuthenticator(config, database);
      return disposables.add(
        await createRetrieval({
          config,
          logger: silent,
          telemetry,
          database,
          embedder: local,
          authenticator,
          now,
        }),
      );
    },
    close: () => disposables.close(),
  };
}

/** Searches over HTTP. */
export async function searchOver({ url }: Retrieval, body: object): Promise<SearchResponse> {
  const response = await fetch(`${url}/v1/memories/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return searchResponseSchema.parse(JSON.parse(text));
}

function toNewMemory(userId: string, given: Given): NewMemory {
  const statedAt = new Date();
  return {
    id: randomUUID(),
    tenantId: DEFAULT_TENANT_ID,
    userId,
    tier: 2,
    kind: 'fact',
    category: 'general',
    key: null,
    value: null,
    question: null,
    answer: null,
    tags: [],
    project: null,
    topic: null,
    importance: 0.5,
    confidence: 70,
    source: 'test',
    sourceContext: null,
    contentHash: createHash('sha256').update(given.content).digest('hex'),
    subjectHash: null,
    statedAt,
    validFrom: statedAt,
    validTo: null,
    supersededBy: null,
    expiresAt: null,
    messageIds: [],
    metadata: {},
    wantsEmbedding: true,
    ...given,
  };
}
