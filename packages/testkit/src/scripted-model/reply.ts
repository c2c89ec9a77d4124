import type { IncomingHttpHeaders } from 'node:http';

/** One request as the server received it. */
export type ScriptedRequest = Readonly<{
  endpoint: 'chat' | 'embeddings' | 'models';
  headers: IncomingHttpHeaders;
  /** The parsed JSON body; an empty object when there was none. */
  body: Readonly<Record<string, unknown>>;
  /** Chat: content of the last user message. Else empty. */
  userText: string;
  /** Milliseconds since the epoch. */
  receivedAtMs: number;
}>;

/** What to answer. Left out: the default of the endpoint, status 200. */
export type ScriptedReply = Readonly<{
  /** Chat: the text of the answer. */
  content?: string | null;
  /** Chat: default `stop`. */
  finishReason?: string;
  delayMs?: number;
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The whole body instead of a completion: text or bytes are sent as they are, anything else as JSON. */
  body?: unknown;
  /** Accept the request and never answer. */
  hang?: boolean;
  /** Cut the connection: before the first byte, or after half of the body with `destroy: 'half'`. */
  destroy?: boolean | 'half';
}>;

/** Decides the reply to a request; undefined means the default. */
export type ReplyFunction = (request: ScriptedRequest) => ScriptedReply | undefined;

const MODES = [
  'ok',
  'refuse-503',
  'throttle',
  'quota',
  'hang',
  'destroy',
  'html',
  'invalid',
  'empty',
] as const;

/** A reply for every request, as data: what a test in another process sends to `POST /__script`. */
export type ModelScript = Readonly<{
  mode: (typeof MODES)[number];
  delayMs?: number | undefined;
  retryAfterSeconds?: number | undefined;
  /** Apply to this many chat calls only, then go on as `ok`. */
  times?: number | undefined;
}>;

/** Reads a script from parsed JSON. Throws TypeError with what is wrong. */
export function parseModelScript(value: unknown): ModelScript {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const mode = MODES.find((known) => known === fields.get('mode'));
  if (mode === undefined) throw new TypeError(`mode must be one of ${MODES.join(', ')}`);
  const readNumber = (name: string): number | undefined => {
    const field = fields.get(name);
    if (field === undefined || (typeof field === 'number' && field >= 0)) return field;
    throw new TypeError(`${name} must be a number from 0`);
  };
  return {
    mode,
    delayMs: readNumber('delayMs'),
    retryAfterSeconds: readNumber('retryAfterSeconds'),
    times: readNumber('times'),
  };
}

/** The reply function of a script. Only chat follows it; embeddings and the model list answer as usual. */
export function toReplyFunction(script: ModelScript): ReplyFunction {
  let left = script.times ?? Number.POSITIVE_INFINITY;
  const reply = replyOfMode(script);
  return ({ endpoint }) => {
    if (endpoint !== 'chat' || left <= 0) return undefined;
    left -= 1;
    return reply;
  };
}

function replyOfMode({ mode, delayMs = 0, retryAfterSeconds }: ModelScript): ScriptedReply {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const common = { delayMs, headers };
  switch (mode) {
    case 'ok':
      return common;
    case 'refuse-503':
      return { ...common, status: 503 };
    case 'throttle':
      return {
        ...common,
        status: 429,
        body: { error: { message: 'slow down', code: 'rate_limit_exceeded' } },
      };
    case 'quota':
      return {
        ...common,
        status: 429,
        body: { error: { message: 'no credit', code: 'insufficient_quota' } },
      };
    case 'hang':
      return { hang: true };
    case 'destroy':
      return { delayMs, destroy: true };
    case 'html':
      return {
        ...common,
        headers: { ...headers, 'content-type': 'text/html' },
        body: '<!doctype html><p>Hello</p>',
      };
    case 'invalid':
      return { ...common, content: 'I am sorry, here is what I found: {"facts": {' };
    default:
      return { ...common, content: '{"facts":{},"context":[]}' };
  }
}
