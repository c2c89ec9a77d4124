import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatCompletion, type ChatRequest, type Client, createClient } from '@factmill/client';
import { migrate } from '@factmill/database';
import {
  createRedisNamespace,
  createScriptedModel,
  createTestDatabase,
  freePort,
  replyDiligently,
  type ReplyFunction,
  type ScriptedModel,
  startProcess,
  waitFor,
} from '@factmill/testkit';
import { entryOf } from '../support/service-process.ts';

type Said = Readonly<{ role: string; content: string }>;

/** Factmill as one process on a preset, in front of a scripted model that is both upstream and extractor. */
export type SourceStand = Readonly<{
  client: Client;
  url: string;
  model: ScriptedModel;
  /** A chat with one message of the user, unless `more` has other messages. */
  say: (user: string, content: string, more?: Partial<ChatRequest>) => Promise<ChatCompletion>;
  /** The messages of the last chat as the upstream received them. */
  received: () => readonly Said[];
  /** Requests of the extractor to the model, oldest first. */
  asked: () => readonly Readonly<Record<string, unknown>>[];
  /** Waits until a conversation has so many messages, and `extracted` of them (all, unless told) are extracted. */
  untilExtracted: (
    user: string,
    conversationId: string,
    messages: number,
    extracted?: number,
  ) => Promise<void>;
  /** Waits until a user has so many current memories, all with vectors. */
  untilRemembered: (user: string, count: number) => Promise<void>;
  close: () => Promise<void>;
}>;

/** The model that chats name; the extractor asks another one. */
export const CHAT_MODEL = 'chat';
export const EXTRACTOR = 'extractor';
const READY = /"url":"(http[^"]+)"[^\n]*"msg":"gateway is listening"/;
const quiet = { info: () => undefined, warn: () => undefined };

/** A line of code, which the gate of source C would answer without a search; it names a tea. */
export const CODE = 'brew(oolong);';

/** Vectors of the scripted model: texts that share words are similar, others are not. */
export const ofWords = (modelUrl: string): Record<string, string> => ({
  EMBEDDING_PROVIDER: 'openai',
  EMBEDDING_BASE_URL: modelUrl,
  EMBEDDING_MODEL: 'words',
  EMBEDDING_MIN_SIMILARITY: '0.5',
  EMBEDDING_DUPLICATE_SIMILARITY: '0.9',
  // Only memories and questions are embedded.
  SEARCH_TURNS: 'false',
});

/** As upstream it agrees; as extractor it finds what is said. */
export const DILIGENT: ReplyFunction = (request) => {
  if (request.endpoint !== 'chat') return undefined;
  return { content: request.body['model'] === CHAT_MODEL ? 'All right.' : replyDiligently(request) };
};

/**
 * On Postgres and Redis; with `SOURCE_STORAGE=embedded` in the environment on embedded storage.
 *
 * @param settingsOf more settings, given the address of the model
 */
export async function startSource(
  preset: string,
  settingsOf: (modelUrl: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<SourceStand> {
  const model = await createScriptedModel({ reply: DILIGENT });
  const { settings, release } = await openStorage(process.env['SOURCE_STORAGE'] ?? 'postgres');
  const running = await startProcess({
    entry: entryOf('standalone'),
    env: {
      PRESET: preset,
      LLM_BASE_URL: model.url,
      LLM_MODEL: EXTRACTOR,
      CHAT_MEMORY_TIMEOUT_MS: '30000',
      AUTH: 'none',
      LOG_LEVEL: 'info',
      GATEWAY_PORT: String(await freePort()),
      RETRIEVAL_PORT: String(await freePort()),
      EXTRACTOR_PORT: String(await freePort()),
      ...settings,
      ...settingsOf(model.url),
    },
    readyWhen: READY,
    timeoutMs: 150_000,
  });
  const url = running.ready?.[1] ?? '';
  const client = createClient({ baseUrl: url });
  const ofChats = () => model.calls.filter(({ body }) => body['model'] === CHAT_MODEL);
  return {
    client,
    url,
    model,
    say: (user, content, more = {}) =>
      client.chat.complete({ model: CHAT_MODEL, user, messages: [{ role: 'user', content }], ...more }),
    received: () => (ofChats().at(-1)?.body['messages'] ?? []) as readonly Said[],
    asked: () =>
      model.calls
        .filter(({ endpoint, body }) => endpoint === 'chat' && body['model'] === EXTRACTOR)
        .map(({ body }) => body),
    async untilExtracted(user, conversationId, messages, extracted = messages) {
      await waitFor(
        async () => {
          const found = await client.conversations.get(conversationId, { user_id: user }).catch(() => null);
          return found !== null && found.message_count >= messages && found.extracted_seq >= extracted;
        },
        { describe: `${messages} messages of ${conversationId}, extracted`, timeoutMs: 20_000 },
      );
    },
    async untilRemembered(user, count) {
      await waitFor(
        async () => {
          const { memories } = await client.memories.stats({ user_id: user });
          return memories.current === count && memories.without_vector === 0;
        },
        { describe: `${count} memories of ${user} with vectors`, timeoutMs: 20_000 },
      );
    },
    async close() {
      await running.kill('SIGTERM');
      await running.exit;
      await model.close();
      await release();
    },
  };
}

type Opened = Readonly<{ settings: Record<string, string>; release: () => Promise<void> }>;

async function openStorage(storage: string): Promise<Opened> {
  if (storage === 'embedded') {
    const folder = await mkdtemp(join(tmpdir(), 'factmill-source-'));
    return {
      settings: { DATA_DIR: join(folder, 'data') },
      release: () => rm(folder, { recursive: true, force: true }),
    };
  }
  if (storage !== 'postgres') throw new Error('SOURCE_STORAGE is postgres or embedded');
  const database = await createTestDatabase({ migrate: (to, how) => migrate(to, { logger: quiet, ...how }) });
  const redis = createRedisNamespace();
  return {
    settings: {
      DATABASE_URL: database.serviceUrl,
      REDIS_URL: redis.url,
      QUEUE_PREFIX: redis.keyPrefix,
    },
    async release() {
      await redis.cleanup();
      await database.drop();
    },
  };
}
