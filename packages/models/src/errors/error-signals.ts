import { parseRetryAfter } from './retry-after.ts';

/** The signals of an error, without any of its text. */
export type ErrorSignals = Readonly<{
  /** HTTP status; also the numeric `error.code` that gateways put into a reply of status 200. */
  status: number | undefined;
  /** Lower-case `error.code` and `error.type` of the reply. */
  codes: readonly string[];
  /** Code of a connection that failed, as in `ECONNREFUSED`; `connection lost` when it has none. */
  transport: string | undefined;
  timedOut: boolean;
  html: boolean;
  /** The reply is not what the request asked for, such as too few vectors. */
  badReply: boolean;
  /**
   * A success without an answer. `none`: no reply of such an endpoint at all (an empty or cut body, no choices);
   * `empty`: a completion without text, even at the second attempt.
   */
  noAnswer: 'none' | 'empty' | undefined;
  retryAfterSeconds: number | undefined;
  /** Name of a request parameter that the model refuses. */
  rejectedParameter: string | undefined;
  /** The endpoint says that it lacks the model. */
  missingModel: boolean;
}>;

/** Cause of every `model_*` error: the signals, as a line for the log and as data. Replaces the original error. */
export class ModelCallError extends Error {
  readonly signals: ErrorSignals;

  constructor(message: string, signals: ErrorSignals) {
    super(message);
    this.name = 'ModelCallError';
    this.signals = signals;
  }
}

/** The reply arrived with status 200 but is a web page, an error object, or something else that is no answer. */
export class UnusableReplyError extends Error {
  readonly body: unknown;
  readonly kind: 'no_answer' | 'web_page' | 'wrong_answer';

  /** `wrong_answer`: a reply of such an endpoint, but to another question. */
  constructor(body: unknown, kind: UnusableReplyError['kind'] = 'no_answer') {
    super('unusable reply');
    this.name = 'UnusableReplyError';
    this.body = body;
    this.kind = kind;
  }
}

/** The call exceeded its time limit. */
export class CallTimeoutError extends Error {
  constructor() {
    super('call timed out');
    this.name = 'CallTimeoutError';
  }
}

export const NO_SIGNALS: ErrorSignals = {
  status: undefined,
  codes: [],
  transport: undefined,
  timedOut: false,
  html: false,
  badReply: false,
  noAnswer: undefined,
  retryAfterSeconds: undefined,
  rejectedParameter: undefined,
  missingModel: false,
};

/**
 * Reads the signals of an error from the `openai` client. The SDK's errors are recognised by name and fields,
 * because importing their classes would load the SDK (33 MB) into processes that never call it.
 */
export function readErrorSignals(error: unknown, nowMs: number): ErrorSignals {
  if (error instanceof UnusableReplyError) {
    if (error.kind === 'wrong_answer') return { ...NO_SIGNALS, badReply: true };
    return error.kind === 'web_page' ? { ...NO_SIGNALS, html: true } : readReplySignals(error.body);
  }
  const name = classNameOf(error);
  if (name === 'CallTimeoutError' || name === 'APIConnectionTimeoutError' || name === 'TimeoutError') {
    return { ...NO_SIGNALS, timedOut: true };
  }
  if (isRecord(error) && typeof error['status'] === 'number') {
    const headers = error['headers'] instanceof Headers ? error['headers'] : new Headers();
    return {
      ...NO_SIGNALS,
      status: error['status'],
      codes: readCodes(error),
      html: (headers.get('content-type') ?? '').includes('text/html'),
      retryAfterSeconds: parseRetryAfter(headers, nowMs),
      rejectedParameter: readRejectedParameter(error),
      missingModel: saysMissingModel(error),
    };
  }
  // The SDK's error for a failure reported within a stream.
  if (name === 'APIError') return readReplySignals({ error });
  // A reply that breaks off is a lost connection; a complete one that does not parse is no answer.
  if (name === 'SyntaxError') return { ...NO_SIGNALS, noAnswer: 'none' };
  const transport = readTransportCode(error);
  return transport === undefined ? NO_SIGNALS : { ...NO_SIGNALS, transport };
}

function readReplySignals(body: unknown): ErrorSignals {
  const reported = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(reported)) return { ...NO_SIGNALS, noAnswer: 'none' };
  const code = Number(reported['code'] ?? reported['status']);
  return {
    ...NO_SIGNALS,
    status: Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined,
    codes: readCodes(reported),
    noAnswer: 'none',
  };
}

/** Only short plain words pass: logs show codes, and some endpoints put whole sentences there. */
function readCodes(source: object): string[] {
  const { code, type } = source as { code?: unknown; type?: unknown };
  return [code, type].filter(isPlainWord).map((word) => word.toLowerCase());
}

const MISSING_MODEL_CODES = ['model_not_found', 'modelnotfound'];

/** By code, or by the phrases of Ollama, vLLM and the like; the text is read for nothing else. */
function saysMissingModel(error: object): boolean {
  const { message } = error as { message?: unknown };
  return (
    readCodes(error).some((code) => MISSING_MODEL_CODES.includes(code)) ||
    (typeof message === 'string' &&
      /^(404 )?.{0,12}\bmodel\b.{0,200}(not found|does not exist)/i.test(message))
  );
}

/**
 * Parameters that endpoints refuse with many words and codes. They are recognised by name, in `param` (also with a
 * suffix, as in `response_format.type`) or in the error's text, which is read for nothing else.
 */
const NAMED_PARAMETERS = [
  { name: 'response_format', words: /response_format|json_schema|json_object/ },
  { name: 'stream_options', words: /stream_options/ },
];

function readRejectedParameter(error: object): string | undefined {
  const { code, param, message } = error as { code?: unknown; param?: unknown; message?: unknown };
  const named = NAMED_PARAMETERS.find(({ words }) =>
    [param, message].some((text) => typeof text === 'string' && words.test(text)),
  );
  if (named) return named.name;
  return (code === 'unsupported_parameter' || code === 'unsupported_value') && isPlainWord(param)
    ? param
    : undefined;
}

function isPlainWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][\w.-]{0,63}$/i.test(value);
}

/** Searches the causes for a system error code; undefined when this is no connection error. */
function readTransportCode(error: unknown): string | undefined {
  let isTransport = classNameOf(error) === 'APIConnectionError';
  let current: unknown = error;
  for (let depth = 0; depth < 6 && isRecord(current); depth += 1) {
    const { code, message, cause } = current;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{3,40}$/.test(code)) return code;
    if (message === 'terminated' || message === 'fetch failed') isTransport = true;
    current = cause;
  }
  return isTransport ? 'connection lost' : undefined;
}

/** Name of an error's class. The SDK leaves `name` at `Error`; DOMException has only that. */
export function classNameOf(error: unknown): string {
  if (!(error instanceof Error))
    return isRecord(error) && typeof error['name'] === 'string' ? error['name'] : typeof error;
  return error.name === 'Error' ? error.constructor.name : error.name;
}

/** Whether a value is an object that is no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
