import type OpenAI from 'openai';
import { withDeadline } from '@factmill/async';
import { AppError, isAppError } from '@factmill/errors';
import { CallTimeoutError, UnusableReplyError } from '../errors/error-signals.ts';
import { classifyModelError } from '../errors/model-error.ts';
import { noteReceived, toReceived } from '../errors/received-reply.ts';

export type EndpointConfig = Readonly<{
  baseUrl: string;
  apiKey?: string;
  timeoutMs: number;
  /** Prefix of the settings in error messages. */
  settings: 'LLM' | 'EMBEDDING' | 'RERANK';
  now: () => number;
}>;

/** A reply, raw and parsed: a JSON body, or all of its server-sent events once the last has arrived. */
export type PostReply = Readonly<{ raw: string; body?: unknown; events?: readonly unknown[] }>;

export type EndpointClient = Readonly<{
  /**
   * Posts JSON to a path under the base URL and returns the parsed reply of any shape. Throws the reason of
   * `signal` when that fires, else AppError with a `model_*` code; a reply of status 200 that cannot be parsed is
   * noted with the error (`receivedReplyOf`).
   */
  post: (path: string, body: object, signal?: AbortSignal) => Promise<PostReply>;
  /** Gets the JSON at a path under the base URL. Throws as `post` does. */
  get: (path: string, signal?: AbortSignal) => Promise<unknown>;
  /** Classifies an error found in a reply, with this endpoint's name in the message. */
  toError: (error: unknown) => AppError;
  close: () => Promise<void>;
}>;

/**
 * A connection to one OpenAI-compatible endpoint. The SDK's own retries are off: one layer above retries. Node's
 * fetch keeps connections alive. Organisation and project headers, and the SDK's log, which would print prompts,
 * ignore the environment. User and password in the URL become Basic authentication when there is no key.
 */
export function createEndpointClient(config: EndpointConfig): EndpointClient {
  const { settings, timeoutMs, now } = config;
  const { url, basicAuth } = parseBaseUrl(config.baseUrl, settings);
  const authorization = config.apiKey ? `Bearer ${config.apiKey}` : basicAuth;
  let client: Promise<OpenAI> | undefined;
  const closing = new AbortController();
  const toError = (error: unknown): AppError =>
    classifyModelError(error, { host: url.host, settings, nowMs: now() });

  const call = async <T>(
    signal: AbortSignal | undefined,
    use: (client: OpenAI, callSignal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    try {
      const deadline = {
        ms: timeoutMs,
        onTimeout: () => new CallTimeoutError(),
        signals: [signal, closing.signal],
      };
      return await withDeadline(deadline, async (callSignal) => {
        client ??= loadClient(url, authorization, timeoutMs);
        return use(await client, callSignal);
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw isAppError(error) ? error : toError(error);
    }
  };

  return {
    toError,
    post: (path, body, signal) =>
      call(signal, async (client, callSignal) => {
        const response = await client.post(path, { body, signal: callSignal }).asResponse();
        const type = response.headers.get('content-type') ?? '';
        const raw = await response.text();
        try {
          return isEventStream(type, raw)
            ? { raw, events: await readEvents(raw, client) }
            : { raw, body: toJson(raw, type) };
        } catch (error) {
          throw noteReceived(toError(error), toReceived(raw));
        }
      }),
    get: (path, signal) =>
      call(signal, async (client, callSignal) => {
        const response = await client.get(path, { signal: callSignal }).asResponse();
        return toJson(await response.text(), response.headers.get('content-type') ?? '');
      }),
    close: async () => {
      closing.abort(new AppError('shutting_down', 'The model client is closed.'));
    },
  };
}

/** Loads the SDK with the first call: it takes 33 MB, which a process with local models only does not need. */
async function loadClient(url: URL, authorization: string | null, timeoutMs: number): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: url.href.replace(/(?<!\/)\/+$/, ''),
    // The SDK requires a key; the header below decides what is sent.
    apiKey: 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // Our own deadline covers everything from connecting to the last byte; the SDK's is a backstop.
    timeout: timeoutMs + 1000,
    defaultHeaders: { Authorization: authorization },
  });
}

/** Some endpoints stream without being asked, and some do not say so. */
function isEventStream(type: string, text: string): boolean {
  return type.includes('text/event-stream') || /^\s*(?:data|event):/.test(text);
}

/** The events of a stream. Uses the client, because its log is off and never shows a chunk. */
async function readEvents(text: string, client: OpenAI): Promise<unknown[]> {
  const { Stream } = await import('openai/streaming');
  const events: unknown[] = [];
  const stream = Stream.fromSSEResponse<unknown>(new Response(text), new AbortController(), client);
  for await (const event of stream) events.push(event);
  return events;
}

/** Many endpoints send JSON with another content type. A web page with the type JSON is an error. */
function toJson(text: string, type: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const isPage = !type.includes('json') && /^\s*(<!doctype html|<html|<head|<body)/i.test(text);
    throw new UnusableReplyError(text, isPage || type.includes('text/html') ? 'web_page' : 'no_answer');
  }
}

function parseBaseUrl(baseUrl: string, settings: string): Readonly<{ url: URL; basicAuth: string | null }> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new AppError('model_config', `${settings}_BASE_URL must be an http or https URL.`);
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, basicAuth: null };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, basicAuth: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
