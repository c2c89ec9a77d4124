import type { Problem } from '@factmill/contracts';

/**
 * - `status`: the server answered with an error.
 * - `connection`: no whole answer came. `code` is `unreachable` when nothing was sent, else `connection_lost`, which
 *   leaves open whether the server did what was asked.
 * - `timeout`: no whole answer came in time, or what was waited for did not happen in time.
 * - `unreadable`: an answer that is not Factmill's; something else is at this address.
 */
export type FactmillErrorKind = 'status' | 'connection' | 'timeout' | 'unreadable';

export type FieldError = Problem['errors'][number];

type Facts = Readonly<{
  kind: FactmillErrorKind;
  code: string;
  detail: string;
  status?: number;
  fields?: readonly FieldError[];
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}>;

/** What every call of the client rejects with, unless its `signal` ended it: then with the signal's reason. */
export class FactmillError extends Error {
  readonly kind: FactmillErrorKind;
  /** HTTP status; undefined unless the server answered. */
  readonly status: number | undefined;
  /** Stable, to act on: the server's code, or `unreachable`, `connection_lost`, `timeout`, `unreadable_answer`. */
  readonly code: string;
  /** A sentence for the person who has to act on it. */
  readonly detail: string;
  /** Which fields of the request are wrong, and why. */
  readonly fields: readonly FieldError[];
  /** What the server's logs call this request. */
  readonly requestId: string | undefined;
  /** Seconds after which another try can succeed, when the server said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(facts: Facts) {
    super(facts.detail, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'FactmillError';
    this.kind = facts.kind;
    this.status = facts.status;
    this.code = facts.code;
    this.detail = facts.detail;
    this.fields = facts.fields ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** Reads an answer that is an error: problem+json, the form of OpenAI's errors, or anything else. */
export async function errorOfResponse(response: Response, nowMs: number): Promise<FactmillError> {
  const body = parseObject(await response.text());
  const upstream = asObject(body['error']);
  return new FactmillError({
    kind: 'status',
    status: response.status,
    code:
      filledString(body['code']) ??
      filledString(upstream['code']) ??
      filledString(upstream['type']) ??
      `http_${response.status}`,
    detail:
      filledString(body['detail']) ??
      filledString(upstream['message']) ??
      `The server answered with status ${response.status}.`,
    fields: Array.isArray(body['errors']) ? body['errors'].filter(isFieldError) : [],
    requestId: filledString(body['request_id']) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: parseRetryAfter(response.headers.get('retry-after'), nowMs),
  });
}

/** System errors after which it is certain that no byte of the request was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What `fetch`, or reading its answer, rejected with. */
export function errorOfConnection(cause: unknown): FactmillError {
  const reason = asObject(asObject(cause)['cause'])['code'];
  const isUnreachable = typeof reason === 'string' && NOT_CONNECTED.has(reason);
  return new FactmillError({
    kind: 'connection',
    code: isUnreachable ? 'unreachable' : 'connection_lost',
    detail: isUnreachable
      ? 'The Factmill server cannot be reached.'
      : 'The connection to the Factmill server broke before the whole answer was there.',
    cause,
  });
}

/** Seconds of a `Retry-After` header, which is a number of them or a date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  // JavaScript makes dates of much that is none; HTTP's always end so.
  const date = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1_000));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function filledString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFieldError(value: unknown): value is FieldError {
  const { field, message } = asObject(value);
  return typeof field === 'string' && typeof message === 'string';
}
