import { AppError, type ErrorCode, isAppError } from '@factmill/errors';
import { classNameOf, type ErrorSignals, ModelCallError, readErrorSignals } from './error-signals.ts';

/** What the message may name: the endpoint's host and the settings to check, never their values. */
export type ModelErrorContext = Readonly<{
  /** Host and port of the endpoint. */
  host?: string;
  /** Prefix of the settings to name, default `LLM`. */
  settings?: 'LLM' | 'EMBEDDING' | 'RERANK';
  /** Milliseconds since the epoch, to turn a Retry-After date into seconds. Default: the system's clock. */
  nowMs?: number;
}>;

type Words = Readonly<{ endpoint: string; settings: string }>;

type Rule = Readonly<{
  code: ErrorCode;
  when: (signals: ErrorSignals) => boolean;
  message: (words: Words, signals: ErrorSignals) => string;
}>;

const QUOTA_CODES = [
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_credits',
  'insufficient_balance',
];
const ACCESS_CODES = ['invalid_api_key', 'authentication_error', 'permission_error'];
const MISSING_CODES = ['not_found_error'];
const TOO_LONG_CODES = ['context_length_exceeded', 'string_above_max_length'];
const INPUT_CODES = ['invalid_request_error'];
const REFUSAL_CODES = ['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'];
const THROTTLE_CODES = ['rate_limit_exceeded', 'rate_limit_error', 'too_many_requests'];
const TRANSIENT_CODES = ['server_error', 'api_error', 'overloaded_error', 'overloaded', 'internal_error'];

/**
 * The one table. The first matching row decides. Specific error codes come before statuses, because endpoints
 * disagree on the status (a used-up quota is 402, 403 or 429; a bad key 400 or 401).
 */
const RULES: readonly Rule[] = [
  {
    code: 'model_quota',
    when: ({ status, codes }) => status === 402 || includesAny(codes, QUOTA_CODES),
    message: ({ endpoint, settings }) =>
      `The quota of ${endpoint} is used up. Top it up, or point ${settings}_BASE_URL at another one.`,
  },
  {
    code: 'model_refusal',
    when: ({ codes }) => includesAny(codes, REFUSAL_CODES),
    message: ({ endpoint }) => `The content filter of ${endpoint} refused the request.`,
  },
  {
    code: 'model_unavailable',
    when: ({ missingModel }) => missingModel,
    message: ({ endpoint, settings }) => `The model does not exist at ${endpoint}. Check ${settings}_MODEL.`,
  },
  {
    code: 'model_config',
    when: ({ status, codes }) => status === 401 || status === 403 || includesAny(codes, ACCESS_CODES),
    message: ({ endpoint, settings }) => `Access denied by ${endpoint}. Check ${settings}_API_KEY.`,
  },
  {
    code: 'model_config',
    // Proxies send pages with 413, 429 and 5xx too; then the status says more.
    when: ({ html, status }) => html && (status === undefined || status === 400),
    message: ({ endpoint, settings }) =>
      `A web page came back from ${endpoint} instead of JSON. Check ${settings}_BASE_URL: it usually ends in /v1.`,
  },
  {
    code: 'model_config',
    when: ({ status, codes }) => status === 404 || status === 405 || includesAny(codes, MISSING_CODES),
    message: ({ endpoint, settings }) =>
      `The model or the path does not exist at ${endpoint}. Check ${settings}_MODEL and ${settings}_BASE_URL.`,
  },
  {
    code: 'model_throttled',
    when: ({ status, codes }) => status === 429 || includesAny(codes, THROTTLE_CODES),
    message: ({ endpoint }, { retryAfterSeconds }) =>
      `Too many requests for ${endpoint}.${retryAfterSeconds === undefined ? '' : ` It accepts more in ${retryAfterSeconds} s.`}`,
  },
  {
    code: 'model_transient',
    when: ({ timedOut }) => timedOut,
    message: ({ endpoint, settings }) =>
      `No complete reply from ${endpoint} in time. If it is only slow, raise ${settings}_TIMEOUT_MS.`,
  },
  {
    code: 'model_transient',
    when: ({ transport }) => transport !== undefined,
    message: ({ endpoint, settings }, { transport }) =>
      `No connection to ${endpoint} (${transport}). Check that it runs and that ${settings}_BASE_URL is right.`,
  },
  {
    code: 'model_transient',
    when: ({ status, codes }) =>
      (status !== undefined && ([408, 409, 425].includes(status) || status >= 500)) ||
      includesAny(codes, TRANSIENT_CODES),
    message: ({ endpoint }, { status }) =>
      `A temporary error${status === undefined ? '' : ` ${status}`} of ${endpoint}. It is tried again.`,
  },
  {
    code: 'model_input',
    when: ({ codes }) => includesAny(codes, TOO_LONG_CODES),
    message: ({ endpoint, settings }) =>
      `The input is too long for the model at ${endpoint}. Send less in one piece, or set ${settings}_MODEL to one with a longer context.`,
  },
  {
    code: 'model_input',
    when: ({ status, codes }) =>
      (status !== undefined && status >= 400 && status < 500) || includesAny(codes, INPUT_CODES),
    message: ({ endpoint }, { status }) =>
      `The request was not accepted by ${endpoint}${status === undefined ? '' : ` (${status})`}. It would not be the next time either.`,
  },
  {
    code: 'model_transient',
    when: ({ noAnswer }) => noAnswer !== undefined,
    message: ({ endpoint, settings }) =>
      `A success without an answer came from ${endpoint}. It is tried again; if that does not end, check ${settings}_BASE_URL and the endpoint's log.`,
  },
  {
    code: 'model_bad_reply',
    when: ({ badReply }) => badReply,
    message: ({ endpoint }) => `The reply of ${endpoint} is not what an OpenAI-compatible one looks like.`,
  },
];

/**
 * Turns any error of a model call into an AppError with a `model_*` code, or `internal` for errors that no endpoint
 * can cause. An AppError is returned unchanged.
 *
 * The message says what to do. Neither it nor the cause holds text of the upstream error, because endpoints quote
 * the prompt and the key there. `retryAfterSeconds` is set when the endpoint gave a time, at most an hour.
 */
export function classifyModelError(error: unknown, context: ModelErrorContext = {}): AppError {
  if (isAppError(error)) return error;
  const signals = readErrorSignals(error, context.nowMs ?? Date.now());
  const rule = RULES.find(({ when }) => when(signals));
  const cause = new ModelCallError(describeSignals(error, signals), signals);
  if (!rule) return new AppError('internal', 'The model client failed in a way it should not.', { cause });
  const words: Words = {
    endpoint: context.host === undefined ? 'the model endpoint' : `the model endpoint ${context.host}`,
    settings: context.settings ?? 'LLM',
  };
  return new AppError(rule.code, rule.message(words, signals), {
    cause,
    ...(signals.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: signals.retryAfterSeconds }),
  });
}

/** A line for the log: names and numbers only. */
function describeSignals(error: unknown, signals: ErrorSignals): string {
  const status = signals.status === undefined ? '' : ` status ${signals.status}`;
  const codes = signals.codes.length === 0 ? '' : ` code ${signals.codes.join(', ')}`;
  const transport = signals.transport === undefined ? '' : ` ${signals.transport}`;
  return `${classNameOf(error)}${status}${codes}${transport}`;
}

function includesAny(codes: readonly string[], wanted: readonly string[]): boolean {
  return codes.some((code) => wanted.includes(code));
}
