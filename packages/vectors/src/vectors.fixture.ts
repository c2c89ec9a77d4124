import { randomUUID } from 'node:crypto';
import {
  createPool,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  migrate,
  saveEmbeddings,
} from '@factmill/database';
import { createEmbedder, type Embedder, type EmbedderConfig } from '@factmill/models';
import { createScriptedModel, createTestDatabase, type ScriptedModel } from '@factmill/testkit';
import { v7 as uuidv7 } from 'uuid';
import { registerConfigured } from './register-configured.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

type EndpointConfig = Extract<EmbedderConfig, { provider: 'openai' }>;

export type VectorStand = Readonly<{
  database: DatabasePool;
  /** Serves every model in the size that its name ends with: `old@8`. */
  server: ScriptedModel;
  configOf: (model: string) => EndpointConfig;
  embedderOf: (model: string) => Embedder;
  /** Registers a model; resolves to its id. */
  register: (model: string) => Promise<string>;
  /** Stores notes with ids in order; resolves to the ids. */
  remember: (contents: readonly string[], options?: Readonly<{ tenantId?: string }>) => Promise<string[]>;
  /** Gives memories their vectors of a model, as extraction does. */
  embed: (model: string, memories: Readonly<Record<string, string>>) => Promise<void>;
  /** A document of these parts. */
  document: (parts: readonly string[]) => Promise<string[]>;
  /** Contents of memories and chunks that have a fresh vector of the model, sorted. */
  embedded: (modelId: string) => Promise<string[]>;
  /** Texts that were embedded with this model, in order. */
  asked: (model: string) => string[];
  close: () => Promise<void>;
}>;

/** A database and an embedding endpoint with models of several sizes. */
export async function openVectorStand(): Promise<VectorStand> {
  const testDatabase = await createTestDatabase({
    migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
  });
  const database = createPool({
    connectionString: testDatabase.connectionString,
    max: 4,
    applicationName: 'factmill-test',
    logger: quiet,
  });
  const server = await createScriptedModel();
  const embedders: Embedder[] = [];

  const configOf = (model: string): EndpointConfig => ({
    provider: 'openai',
    baseUrl: server.url,
    model,
    dimensions: Number(/\d+$/.exec(model)?.[0] ?? 8),
    timeoutMs: 5_000,
    batchSize: 16,
  });
  const embedderOf = (model: string): Embedder => {
    const embedder = createEmbedder(configOf(model));
    embedders.push(embedder);
    return embedder;
  };

  return {
    database,
    server,
    configOf,
    embedderOf,
    register: async (model) => {
      const registered = await registerConfigured({
        database,
        config: configOf(model),
        configured: embedderOf(model),
      });
      return registered?.profile.id ?? '';
    },
    remember: async (contents, { tenantId = DEFAULT_TENANT_ID } = {}) => {
      const ids = contents.map(() => uuidv7());
      await database.query(
        `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
         select id, $3::uuid, 'maya', 'note', content, 'test', sha256(content::bytea), now(), now()
         from unnest($1::uuid[], $2::text[]) as g (id, content)`,
        [ids, contents, tenantId],
      );
      return ids;
    },
    embed: async (model, memories) => {
      const embedder = embedderOf(model);
      const contents = Object.values(memories);
      const vectors = await embedder.embed(contents);
      await saveEmbeddings(
        database,
        embedder.profile?.id ?? '',
        Object.entries(memories).map(([memoryId, content], index) => ({
          tenantId: DEFAULT_TENANT_ID,
          memoryId,
          content,
          vector: vectors[index] ?? [],
        })),
      );
    },
    document: async (parts) => {
      const id = randomUUID();
      await database.query(
        `insert into documents (tenant_id, id, user_id, content, matching_text, content_hash, characters, chunk_count, chunking)
         values ($1::uuid, $2::text, 'maya', 'x', 'x', sha256('x'), 1, $3::integer, 'test')`,
        [DEFAULT_TENANT_ID, id, parts.length],
      );
      const ids = parts.map(() => uuidv7());
      await database.query(
        `insert into document_chunks (id, tenant_id, user_id, document_id, position, content, content_hash)
         select g.id, $3::uuid, 'maya', $4::text, g.position::integer, g.content, sha256(g.content::bytea)
         from unnest($1::uuid[], $2::text[]) with ordinality as g (id, content, position)`,
        [ids, parts, DEFAULT_TENANT_ID, id],
      );
      return ids;
    },
    embedded: async (modelId) => {
      const { rows } = await database.query<{ content: string }>(
        `select m.content from memory_embeddings e join memories m on m.id = e.memory_id
           where e.model = $1::text and e.content_hash = m.content_hash
         union all
         select c.content from document_chunk_embeddings e join document_chunks c on c.id = e.chunk_id
           where e.model = $1::text`,
        [modelId],
      );
      return rows.map(({ content }) => content).sort();
    },
    asked: (model) =>
      server.calls
        .filter(({ body }) => body['model'] === model)
        .flatMap(({ body }) => body['input'] as string[]),
    close: async () => {
      for (const embedder of embedders) await embedder.close();
      await server.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

/** `count` different texts. */
export function texts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `note number ${String(n).padStart(4, '0')}`);
}
