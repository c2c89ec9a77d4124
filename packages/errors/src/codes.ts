/**
 * What the caller can do about an error. Transports map it: the gateway to an HTTP status, the extractor to
 * retry, fail or pause.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'unavailable'
  | 'limited'
  | 'too_large'
  | 'timeout'
  | 'bug';

/**
 * Every code that a response, a ledger row or a log line can carry, with its kind. Codes are part of the
 * contract: add, never rename.
 */
const KINDS = {
  invalid_request: 'invalid',
  invalid_json: 'invalid',
  forbidden_key: 'invalid',
  unknown_user: 'invalid',
  payload_too_large: 'too_large',
  request_timeout: 'timeout',
  unauthorized: 'unauthorized',
  session_ended: 'unauthorized',
  forbidden: 'forbidden',
  host_not_allowed: 'forbidden',
  origin_not_allowed: 'forbidden',
  user_locked: 'forbidden',
  console_read_only: 'forbidden',
  pass_through_refused: 'forbidden',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  idempotency_conflict: 'conflict',
  conversation_user_mismatch: 'conflict',
  document_user_mismatch: 'conflict',
  document_limit: 'conflict',
  memory_conflict: 'conflict',
  message_conflict: 'conflict',
  memory_refused: 'invalid',
  state_conflict: 'conflict',
  legal_hold: 'conflict',
  events_gone: 'gone',
  fenced: 'conflict',
  database_unavailable: 'unavailable',
  queue_unavailable: 'unavailable',
  retrieval_unavailable: 'unavailable',
  embedding_unavailable: 'unavailable',
  embedding_mismatch: 'invalid',
  upstream_unavailable: 'unavailable',
  upstream_not_configured: 'not_found',
  overloaded: 'unavailable',
  rate_limited: 'limited',
  shutting_down: 'unavailable',
  model_throttled: 'unavailable',
  model_quota: 'unavailable',
  model_transient: 'unavailable',
  model_unavailable: 'unavailable',
  model_config: 'invalid',
  model_input: 'invalid',
  model_refusal: 'invalid',
  model_truncated: 'invalid',
  model_bad_reply: 'invalid',
  config_invalid: 'invalid',
  schema_outdated: 'unavailable',
  data_dir_locked: 'conflict',
  port_in_use: 'conflict',
  vault_unavailable: 'unavailable',
  vault_path_refused: 'invalid',
  internal: 'bug',
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof KINDS;

/** The kind that belongs to a code. */
export function kindOfCode(code: ErrorCode): ErrorKind {
  return KINDS[code];
}

/** All codes, for documentation and tests. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(KINDS) as ErrorCode[];
