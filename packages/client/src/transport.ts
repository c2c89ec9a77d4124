import { errorOfConnection, errorOfResponse, FactmillError } from './factmill-error.ts';
import { type ClientOperation, type OperationName, OPERATIONS } from './operations.ts';
import { pause } from './pause.ts';
import { isUndone, mayRepeat, pauseBefore } from './repeat-policy.ts';

/** Options of every call. */
export type RequestOptions = Readonly<{
  /** Ends the call with its pauses and attempts; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of one attempt: until its whole answer arrived, or until a stream begins. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}>;

export type KeyedOptions = RequestOptions &
  Readonly<{
    /** Calls with the same key and the same content count as one. Default: one key for all attempts of this call. */
    idempotencyKey?: string | undefined;
  }>;

export type Settings = Readonly<{
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string | undefined;
  userId: string | undefined;
  timeoutMs: number;
  maxRetries: number;
}>;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The arguments of a call. `id` replaces `{id}` in the operation's path. */
type Subject = Readonly<{
  id?: string;
  query?: Query | undefined;
  body?: Readonly<Record<string, unknown>>;
  /** A body that is not JSON. */
  file?: Readonly<{ type: string; content: NonNullable<RequestInit['body']> }>;
}>;

export type Transport = Readonly<{
  settings: Settings;
  /** Makes a call and repeats it where that is safe; resolves to the answer's body, undefined for none. */
  send: <T>(name: OperationName, subject: Subject, options?: KeyedOptions) => Promise<T>;
  /** As `send`, and resolves as soon as the answer begins. */
  open: (name: OperationName, subject: Subject, options?: KeyedOptions) => Promise<Response>;
}>;

export type TransportDeps = Readonly<{
  fetch: typeof fetch;
  random: () => number;
  nowMs: () => number;
  newId: () => string;
}>;

type Prepared = Readonly<{ url: string; init: RequestInit }>;

/** The connection to one server: addresses, headers, time limits, attempts and errors of all calls. */
export function createTransport(settings: Settings, deps: TransportDeps): Transport {
  async function attempt<T>(
    { url, init }: Prepared,
    options: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const signals = options.signal === undefined ? [late.signal] : [late.signal, options.signal];
    try {
      const response = await deps.fetch(url, { ...init, signal: AbortSignal.any(signals) });
      if (!response.ok) throw await errorOfResponse(response, deps.nowMs());
      return await read(response);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (late.signal.aborted) {
        throw new FactmillError({
          kind: 'timeout',
          code: 'timeout',
          detail: `The Factmill server did not answer within ${timeoutMs} ms.`,
          cause: error,
        });
      }
      throw error instanceof FactmillError ? error : errorOfConnection(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async function call<T>(
    name: OperationName,
    subject: Subject,
    options: KeyedOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T | undefined> {
    options.signal?.throwIfAborted();
    const operation: ClientOperation = OPERATIONS[name];
    const prepared = prepare(operation, subject, options, settings, deps.newId);
    const maxRetries = options.maxRetries ?? settings.maxRetries;
    let mayBeDone = false;
    for (let retry = 1; ; retry += 1) {
      try {
        return await attempt(prepared, options, read);
      } catch (error) {
        if (!(error instanceof FactmillError)) throw error;
        if (mayBeDone && operation.isDoneWhenGone === true && error.status === 404) return undefined;
        if (retry > maxRetries || !mayRepeat(operation.repeat, error)) throw error;
        const pauseMs = pauseBefore(retry, error.retryAfterSeconds, deps.random());
        if (pauseMs === null) throw error;
        mayBeDone ||= !isUndone(error);
        await pause(pauseMs, options.signal);
      }
    }
  }

  return {
    settings,
    // The contract defines the types of answers. A server that breaks it goes unnoticed here.
    send: async <T>(name: OperationName, subject: Subject, options: KeyedOptions = {}) =>
      (await call(name, subject, options, readJson)) as T,
    open: async (name, subject, options = {}) => {
      const response = await call(name, subject, options, (opened) => Promise.resolve(opened));
      if (response === undefined) throw new TypeError('This operation has no answer to open.');
      return response;
    },
  };
}

/** Everything that the attempts of a call share. Throws a TypeError for arguments that cannot be sent. */
function prepare(
  operation: ClientOperation,
  { id, query, body, file }: Subject,
  options: KeyedOptions,
  settings: Settings,
  newId: () => string,
): Prepared {
  const { userId } = settings;
  const sentQuery = operation.user === 'query' ? withUser(query, userId) : query;
  const sentBody = operation.user === 'body' ? withUser(body, userId) : body;
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(sentQuery ?? {})) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  const search = parameters.toString();
  const path = id === undefined ? operation.path : operation.path.replace('{id}', () => pathSegment(id));

  const headers = new Headers();
  if (settings.apiKey !== undefined) headers.set('authorization', `Bearer ${settings.apiKey}`);
  if (sentBody !== undefined) headers.set('content-type', 'application/json');
  else if (file !== undefined) headers.set('content-type', file.type);
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  if (operation.isKeyed === true) headers.set('idempotency-key', options.idempotencyKey ?? newId());
  return {
    url: `${settings.baseUrl}${path}${search === '' ? '' : `?${search}`}`,
    init: {
      method: operation.method,
      headers,
      // Following a redirect could turn a POST into a GET whose answer looks like success. So a redirect is an error.
      redirect: 'manual',
      ...(sentBody === undefined ? {} : { body: JSON.stringify(sentBody) }),
      ...(file === undefined ? {} : { body: file.content }),
    },
  };
}

function withUser<T extends Readonly<Record<string, unknown>>>(
  fields: T | undefined,
  userId: string | undefined,
): T | Readonly<{ user_id: string }> | undefined {
  if (userId === undefined || fields?.['user_id'] !== undefined || fields?.['all_users'] === true) {
    return fields;
  }
  return { ...fields, user_id: userId };
}

/** A URL cannot carry these three as a path segment: they would lead to another operation. */
function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError('An id is not empty, “.” or “..”.');
  return encodeURIComponent(id);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FactmillError({
      kind: 'unreadable',
      code: 'unreadable_answer',
      status: response.status,
      detail: 'The answer is not JSON; is this the address of a Factmill server?',
      requestId: response.headers.get('x-request-id') ?? undefined,
      cause,
    });
  }
}
