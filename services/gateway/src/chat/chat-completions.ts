import { effectiveUser, principalOf, resolveUser } from '@factmill/auth';
import { contentText, MAX_CHAT_VALUES, MAX_CONTENT_LENGTH, type PresetName } from '@factmill/contracts';
import type { UserDefaults } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { ChatUpstreamConfig } from '@factmill/config';
import { type Preset, presetNamed } from '@factmill/extraction';
import { type ByteBudget, type HeldBody, localsOf, readJson } from '@factmill/http';
import type { Request, RequestHandler, Response } from 'express';
import type { UsageMeter } from '@factmill/runtime';
import type { IncomingMessage } from 'node:http';
import { CHAT_RECORDED_DEPTH, type ChatRequest, readChatRequest } from './chat-request.ts';
import { type ChatExchangeDeps, openExchange } from './chat-exchange.ts';
import { type ChatMessage, type ChatPath, chatPathOf, lastUserText } from './chat-turns.ts';
import { type ChatMemory, memoryOf, type NoMemory } from './memory-of-chat.ts';
import { applyEdits, type Edit, withMember } from './json-edits.ts';
import { toCallerHeaders } from './proxy-headers.ts';
import { createBodyReader, createStreamReader, type ReplyReader } from './read-reply.ts';
import { createUsageReader, type UsageReader, withUsage } from './chat-usage.ts';
import type { createFetchContext, FetchedContext } from './fetch-context.ts';
import { credentialsOf, headersOf, isEventStream, isJson, isPacked, queryOf } from './forwarded.ts';
import { injectContext } from './inject-context.ts';
import { readAll, relay } from './relay.ts';
import { unpacking } from './unpack-reply.ts';
import type { Upstreams } from './upstreams.ts';

export type ChatDeps = ChatExchangeDeps &
  Readonly<{
    upstreams: Upstreams;
    fetchContext: ReturnType<typeof createFetchContext>;
    /** Of the deployment. */
    preset: PresetName;
    /** Whether an upstream has memory on now, where its chats have this preset. */
    isMemoryOn: (upstream: Pick<ChatUpstreamConfig, 'name' | 'memory'>, preset: Preset) => Promise<boolean>;
    /** Counts what an upstream says that a chat took. */
    usage: Pick<UsageMeter, 'recordLater'>;
    /** What counts for a user where nothing nearer says it. Never rejects. */
    defaultsOf: (owner: Readonly<{ tenantId: string; userId: string }>) => Promise<UserDefaults>;
    defaultUserId: string;
    isOurKey: (token: string) => boolean;
    maxBodyBytes: number;
    bodyTimeoutMs: number;
    budget: ByteBudget;
  }>;

const CHAT_PATH = '/chat/completions';

/** Limits of the messages in a context request: how many, and how many characters of them. */
const MAX_SPOKEN = 100;
const MAX_SPOKEN_CHARACTERS = 500_000;
/** Memory per byte of a request: the bytes, and at most as much text read from them. */
const CHAT_WEIGHT = 2;

/** OpenAI's clients send the number of their retries in this header. */
const RETRY_HEADER = 'x-stainless-retry-count';

/** The parts of a request that memory needs. They stay until the answer ends; the request itself does not. */
type MemoryInput = Readonly<{
  removed: readonly Edit[];
  memory: ChatRequest['memory'];
  path: ChatPath | null;
  query: string;
  spoken: readonly Readonly<{ role: string; content: string }>[];
}>;

/**
 * `POST /v1/chat/completions`: the request goes upstream byte for byte, without the memory fields and, with memory
 * on, with the context added; the answer comes back unchanged. Memory is on when the upstream (A13) or the preset has
 * it on, or the request names a `memory_id`. Memory errors never fail a chat and add at most its timeout.
 */
export function chatCompletions(deps: ChatDeps): RequestHandler {
  return async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const body = await readJson(request, response, {
      maxBytes: deps.maxBodyBytes,
      budget: deps.budget,
      weight: CHAT_WEIGHT,
      timeoutMs: deps.bodyTimeoutMs,
      maxValues: MAX_CHAT_VALUES,
      recordedDepth: CHAT_RECORDED_DEPTH,
    });
    const exchange = await beginChat(deps, request, response, body, gone.signal);
    const over = remembers(exchange)
      ? deps.turnStore.follow(chatWithMemory(deps, exchange))
      : chatWithoutMemory(deps, exchange);
    await over.catch((error: unknown) => {
      // The caller has gone, so the error has no receiver and is no fault.
      if (!gone.signal.aborted) throw error;
    });
  };
}

type Exchange<M extends ChatMemory | NoMemory> = Readonly<{
  request: Request;
  response: Response;
  body: HeldBody;
  memoryInput: MemoryInput;
  upstream: ReturnType<Upstreams['ofModel']>;
  memory: M;
  /** Whose chat it is, whether or not it has memory. */
  payer: Readonly<{ tenantId: string; userId: string }>;
  /** As the request names it. */
  model: string;
  /** The preset, unless the chat's conversation has one. */
  preset: string;
  /** What the key or the upstream asks for; kept by a conversation that the chat begins. */
  ownPreset: PresetName | null;
  /** Aborted when the caller disconnects and when the answer has ended. */
  signal: AbortSignal;
}>;

function remembers(exchange: Exchange<ChatMemory> | Exchange<NoMemory>): exchange is Exchange<ChatMemory> {
  return typeof exchange.memory !== 'string';
}

async function beginChat(
  deps: ChatDeps,
  request: Request,
  response: Response,
  body: HeldBody,
  signal: AbortSignal,
): Promise<Exchange<ChatMemory> | Exchange<NoMemory>> {
  const chat = await readChatRequest(body.bytes, body.root);
  const upstream = deps.upstreams.ofModel(chat.model);
  const principal = principalOf(response);
  const userId = effectiveUser(resolveUser(chat.userId, principal, deps.defaultUserId));
  const defaults = await deps.defaultsOf({ tenantId: principal.tenantId, userId });
  const ownPreset = principal.preset ?? upstream.preset;
  const preset = presetNamed(ownPreset ?? defaults.preset ?? deps.preset);
  const { memoryScope } = preset;
  const isOn = await deps.isMemoryOn(upstream, preset);
  const memory = defaults.memory
    ? memoryOf(chat, { isOn, memoryScope }, principal, deps.defaultUserId)
    : 'off';
  const { eventFields } = localsOf(response);
  eventFields['upstream'] = upstream.name;
  eventFields['memory'] = typeof memory === 'string' ? memory : 'on';
  const messages = typeof memory === 'string' ? [] : (chat.messages ?? []);
  const memoryInput = {
    removed: chat.removed,
    memory: chat.memory,
    path: chatPathOf(messages),
    query: lastUserText(messages),
    spoken: spokenIn(messages),
  };
  const common = {
    request,
    response,
    body,
    memoryInput,
    upstream,
    signal,
    preset: preset.name,
    ownPreset,
    payer: { tenantId: principal.tenantId, userId },
    model: chat.model ?? upstream.name,
  };
  return typeof memory === 'string' ? { ...common, memory } : { ...common, memory };
}

async function chatWithoutMemory(deps: ChatDeps, exchange: Exchange<NoMemory>): Promise<void> {
  exchange.response.setHeader('X-Factmill-Memory', exchange.memory);
  const answer = await send(deps, exchange, [], null);
  const used = createUsageReader();
  await relay(answer, exchange.response, isPacked(answer) ? null : used);
  count(deps, exchange, answer, used);
}

function count(
  { usage }: ChatDeps,
  { payer, model }: Exchange<ChatMemory> | Exchange<NoMemory>,
  answer: IncomingMessage,
  used: UsageReader,
): void {
  const tokens = answer.statusCode === 200 ? used.usage() : null;
  if (tokens === null) return;
  const { tenantId, userId } = payer;
  usage.recordLater(tenantId, { userId, model, purpose: 'chat', ...tokens });
}

async function chatWithMemory(deps: ChatDeps, exchange: Exchange<ChatMemory>): Promise<void> {
  const { request, response, memoryInput, memory, ownPreset, signal } = exchange;
  const { path, query } = memoryInput;
  const isRetry = Number(request.header(RETRY_HEADER) ?? 0) > 0;
  const stored = path === null ? null : openExchange(deps, { ...memory, path, isRetry, ownPreset });
  // Starts at once, in parallel: the user's message is stored whatever happens to the answer (E7).
  const storing = stored?.storeTurns();
  const wantsMemories = (memoryInput.memory.memory_top_k ?? 1) > 0 && query.trim() !== '';
  const context =
    wantsMemories && stored !== null && query.length <= MAX_CONTENT_LENGTH
      ? await deps.fetchContext({
          tenantId: memory.tenantId,
          userId: memory.userId,
          place: stored.place,
          isNamed: memory.memoryId !== undefined,
          preset: exchange.preset,
          query,
          memory: memoryInput.memory,
          spoken: memoryInput.spoken,
          credentials: credentialsOf(request, deps.isOurKey),
          signal,
        })
      : null;
  response.setHeader('X-Factmill-Memory', wantsMemories && context === null ? 'degraded' : 'on');
  if (typeof context?.degraded === 'string') response.setHeader('X-Factmill-Degraded', context.degraded);
  localsOf(response).eventFields['memories'] = context?.hits.length ?? 0;

  // An answer that is read on its way should not be compressed.
  const answer = await send(deps, exchange, injectContext(exchange.body, query, context), 'identity');
  const plain = isEventStream(answer) ? createStreamReader() : createBodyReader();
  const packed = isPacked(answer) ? unpacking(plain, answer.headers['content-encoding'] ?? '') : null;
  const used = createUsageReader();
  const reader = withUsage(packed ?? plain, isPacked(answer) ? null : used);
  if (wantsMemories && isJson(answer)) await answerWithHits(answer, response, reader, context);
  else await relay(answer, response, reader);
  await packed?.end();
  count(deps, exchange, answer, used);

  if (answer.statusCode !== 200) return;
  await storing;
  await stored?.storeReply(reader.reply());
}

/** Sends the request upstream, with its edits, and releases its bytes. */
function send(
  deps: ChatDeps,
  { request, body, memoryInput, upstream, signal }: Exchange<ChatMemory> | Exchange<NoMemory>,
  edits: readonly Edit[],
  acceptEncoding: string | null,
): Promise<IncomingMessage> {
  const pieces = applyEdits(body.bytes, [...memoryInput.removed, ...edits]);
  return upstream.client.send({
    method: 'POST',
    path: `${CHAT_PATH}${queryOf(request)}`,
    headers: headersOf(request, deps.isOurKey, acceptEncoding),
    body: {
      pieces,
      onSent: () => {
        pieces.length = 0;
        body.release();
      },
    },
    signal,
  });
}

/** Adds the memories that were used to a complete answer (E8). Any other answer passes unchanged. */
async function answerWithHits(
  answer: IncomingMessage,
  response: Response,
  reader: ReplyReader,
  context: FetchedContext | null,
): Promise<void> {
  const body = await readAll(answer).catch((error: unknown) => {
    throw new AppError('upstream_unavailable', 'The chat upstream broke off its answer.', { cause: error });
  });
  reader.push(body);
  const text = body.toString('utf8');
  const sent = isJsonObject(text)
    ? Buffer.from(withMember(text, 'memory_hits', JSON.stringify(context?.hits ?? [])))
    : body;
  const { 'content-length': _, ...headers } = toCallerHeaders(answer.headers);
  response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': sent.length });
  response.end(sent);
}

/** Text that only looks like an object, such as a truncated answer, passes unchanged. */
function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The latest texts of a request. */
function spokenIn(messages: readonly ChatMessage[]): { role: string; content: string }[] {
  const spoken: { role: string; content: string }[] = [];
  let left = MAX_SPOKEN_CHARACTERS;
  for (const message of messages.toReversed()) {
    const content = contentText(message.content);
    left -= content.length;
    if (left < 0 || spoken.length === MAX_SPOKEN) break;
    if (content.trim() !== '') spoken.unshift({ role: String(message.role), content });
  }
  return spoken;
}
