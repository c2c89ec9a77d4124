import type {
  contextRequestSchema,
  ContextResponse,
  memoryToolDefinitionSchema,
  memoryToolRequestSchema,
  MemoryToolResponse,
  Profile,
  putSummarySchema,
  Summary,
  summaryQuerySchema,
  userQuerySchema,
} from '@factmill/contracts';
import { createAdministering } from './administering.ts';
import { createChat } from './chat.ts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import { createConversations } from './conversations.ts';
import { createDocuments } from './documents.ts';
import { createEvents } from './events.ts';
import { createExtractions } from './extractions.ts';
import { createMemories } from './memories.ts';
import { createGoverning } from './governing.ts';
import { createOperating } from './operating.ts';
import { createSession } from './session.ts';
import { createReplays } from './replays.ts';
import { createTransport, type RequestOptions } from './transport.ts';
import { createWebhooks } from './webhooks.ts';

export type ClientOptions = Readonly<{
  /** Where the gateway is: `http://127.0.0.1:8080`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The user for calls that name no `user_id`. */
  userId?: string | undefined;
  /** Time limit of one attempt. Default 30 s; 10 min for chats, where `timeoutMs` of the call changes it. */
  timeoutMs?: number | undefined;
  /** How often a failed call is repeated where that is safe. Default 2. */
  maxRetries?: number | undefined;
  /** Default: the global one. */
  fetch?: typeof fetch | undefined;
}>;

export type Client = ReturnType<typeof createClient>;

/**
 * A client for Factmill's REST API. Requests and answers use the API's own names, in snake_case. Calls reject with
 * a FactmillError, or with the reason of their `signal`; `OPERATIONS` says which calls are repeated.
 *
 * @throws TypeError when `baseUrl` is not an http or https URL
 */
export function createClient(options: ClientOptions) {
  const { protocol } = new URL(options.baseUrl);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('baseUrl has to be an http(s) URL.');
  const newId = () => crypto.randomUUID();
  const nowMs = () => Date.now();
  const transport = createTransport(
    {
      baseUrl: options.baseUrl.replace(/(?<!\/)\/+$/, ''),
      apiKey: options.apiKey,
      userId: options.userId,
      timeoutMs: options.timeoutMs ?? 30_000,
      maxRetries: options.maxRetries ?? 2,
    },
    { fetch: options.fetch ?? ((...call) => fetch(...call)), random: Math.random, nowMs, newId },
  );
  const { send } = transport;

  return {
    conversations: createConversations(transport, newId),
    extractions: createExtractions(transport, nowMs),
    memories: createMemories(transport),
    documents: createDocuments(transport, newId),
    chat: createChat(transport),
    events: createEvents(transport),
    webhooks: createWebhooks(transport),
    session: createSession(transport),
    replays: createReplays(transport),
    ...createOperating(transport),
    ...createGoverning(transport),
    /** What Factmill knows about a user, ready to go into a prompt. */
    context: (
      body: InputOf<typeof contextRequestSchema>,
      options?: RequestOptions,
    ): Promise<ContextResponse> => send('context', { body }, options),
    /** A user's core profile: the memories of tier 1. */
    profile: (query: QueryOf<typeof userQuerySchema> = {}, options?: RequestOptions): Promise<Profile> =>
      send('profile', { query }, options),
    /** What Factmill knows about a user, or of one conversation, as one text. */
    summary: {
      get: (query: QueryOf<typeof summaryQuerySchema> = {}, options?: RequestOptions): Promise<Summary> =>
        send('summary.get', { query }, options),
      put: (body: InputOf<typeof putSummarySchema>, options?: RequestOptions): Promise<Summary> =>
        send('summary.put', { body }, options),
      delete: (query: QueryOf<typeof summaryQuerySchema> = {}, options?: RequestOptions): Promise<void> =>
        send('summary.delete', { query }, options),
    },
    /** The memory tool, for agents. */
    tools: {
      /** Its function schema, for `tools` of a chat completion. */
      definition: (options?: RequestOptions): Promise<OutputOf<typeof memoryToolDefinitionSchema>> =>
        send('tools.definition', {}, options),
      /** One call of it: save, search, forget or list. */
      call: (
        body: InputOf<typeof memoryToolRequestSchema>,
        options?: RequestOptions,
      ): Promise<MemoryToolResponse> => {
        const isRead = body.action === 'search' || body.action === 'list';
        return send(isRead ? 'tools.read' : 'tools.write', { body }, options);
      },
    },
    ...createAdministering(transport),
  };
}
