import { type Client, createClient } from '@factmill/client';
import { type ScriptedModel, waitFor } from '@factmill/testkit';
import { type ServiceProcess, startServices } from '../support/service-process.ts';

export const ADMIN_KEY = 'an-admin-key-that-is-long-enough';

export type Stores = Readonly<{ databaseUrl: string; redisUrl?: string }>;

/** Gateway, retrieval and extractor as processes on given stores, with a scripted model. */
export type MemoryServices = Readonly<{
  gatewayUrl: string;
  clientOf(apiKey: string): Client;
  stopExtracting(): Promise<void>;
  close(): Promise<void>;
}>;

export async function startMemoryServices(stores: Stores, model: ScriptedModel): Promise<MemoryServices> {
  const env = {
    DATABASE_URL: stores.databaseUrl,
    ...(stores.redisUrl === undefined ? {} : { REDIS_URL: stores.redisUrl }),
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_BASE_URL: model.url,
    EMBEDDING_MODEL: 'scripted-embedding',
    PRESET: 'facts-and-context',
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
    COMPRESS_DAILY_AT: 'off',
    COMPRESS_WEEKLY_AT: 'off',
  };
  const { gateway, extractor, retrieval } = await startServices(env);
  const end = (service: ServiceProcess) => service.kill('SIGTERM');
  return {
    gatewayUrl: gateway.url,
    clientOf: (apiKey) => createClient({ baseUrl: gateway.url, apiKey, userId: 'maya' }),
    stopExtracting: () => end(extractor),
    close: async () => {
      await Promise.all([gateway, retrieval, extractor].map(end));
    },
  };
}

const QUERIES = ['live in Lisbon', 'dog Bruno', 'favourite tea'];

/** What searches of the user find, best first, once nothing is left out of them: a busy machine may be too slow. */
export async function searchAll(client: Client): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    QUERIES.map((query) =>
      waitFor(
        async () => {
          const { results, degraded } = await client.memories.search({ query });
          return degraded === undefined && results.map(({ memory }) => `${memory.id} ${memory.content}`);
        },
        { describe: 'a search that leaves nothing out' },
      ),
    ),
  );
}
