import { AppError, isAppError } from '@factmill/errors';

/**
 * The loggable part of a failed statement's error. Postgres puts values into `message`, `detail` and `where` ("Key
 * (content)=(…) already exists"), and the network layer puts hosts into messages, so neither is kept. This is the
 * `cause` that logs may show.
 */
class PostgresFault extends Error {
  /** SQLSTATE (`23505`), or the network's code (`ECONNREFUSED`), or empty. */
  readonly code: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;

  constructor(message: string, code: string, source: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'PostgresFault';
    this.code = code;
    this.constraint = textOrUndefined(source['constraint']);
    this.table = textOrUndefined(source['table']);
    this.column = textOrUndefined(source['column']);
  }
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

// pg reports lost connections with plain errors without a code.
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Connection ended)/;

/** Of OpenSSL and Node.js, when a certificate is not trusted, or the two sides do not agree. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/;
const TLS_MESSAGE = /^(?:The server does not support SSL|There was an error establishing an SSL connection)/;

const CONNECT_TIMEOUT_MESSAGE =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated due to connection timeout)/;

const QUERY_CANCELED = '57014';

/**
 * 40001 serialization failure, 40P01 deadlock, 55P03 lock timeout: the same transaction may succeed when run again.
 */
const RETRYABLE_STATES = new Set(['40001', '40P01', '55P03']);

const TOOK_TOO_LONG =
  'The database took too long to answer. Ask for less at once, or send the same again later.';

/** Whether the database cannot be reached or cannot answer now, as opposed to a wrong statement. */
export function isUnavailable(error: unknown): boolean {
  const source = rootOf(error);
  const code = codeOf(source);
  if (code === '') return CONNECTION_MESSAGE.test(messageOf(source)) || isTlsFault(source);
  if (NETWORK_CODES.has(code) || isTlsFault(source)) return true;
  return isUnavailableState(code) || isLoginState(code);
}

/** Whether no connection became available in time: a further attempt would wait as long. */
export function isConnectTimeout(error: unknown): boolean {
  return CONNECT_TIMEOUT_MESSAGE.test(messageOf(rootOf(error)));
}

/** Whether the server cancelled the statement, by its time limit or on request. The statement then had no effect. */
export function wasCanceled(error: unknown): boolean {
  return codeOf(rootOf(error)) === QUERY_CANCELED;
}

/** Whether the same transaction may succeed when run again: it lost to a concurrent one. */
export function isRetryableConflict(error: unknown): boolean {
  return RETRYABLE_STATES.has(codeOf(rootOf(error)));
}

/** Whether the server and not the statement is at fault: another server may answer the same question. */
export function isFaultOfServer(error: unknown): boolean {
  return isRetryableConflict(error) || (isUnavailable(error) && !wasCanceled(error));
}

/** The SQLSTATE of a database error (or of an AppError made from one), else undefined. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(rootOf(error));
  return /^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.has(code) ? code : undefined;
}

/** The constraint a statement violated, else undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const root = rootOf(error);
  const name = sqlStateOf(error)?.startsWith('23') === true ? textOrUndefined(root['constraint']) : undefined;
  // That of a partition has the name of its table's, and the end of the partition's.
  return name?.replace(/_p\d+$/, '');
}

/**
 * Maps errors of pg to an AppError: `database_unavailable` when a later attempt may succeed, `internal` for a
 * statement that the database refused. An AppError is returned unchanged.
 */
export function toDatabaseError(error: unknown): AppError {
  if (isAppError(error)) return error;
  const source = rootOf(error);
  const code = codeOf(source);
  const cause = new PostgresFault(safeMessage(source, code), code, source);
  if (isLoginState(code) || messageOf(source).startsWith('SASL')) {
    return new AppError(
      'database_unavailable',
      'The database refused the login, or the database named in DATABASE_URL does not exist.',
      { cause },
    );
  }
  if (isTlsFault(source)) {
    return new AppError(
      'database_unavailable',
      `The TLS connection to the database failed (${code === '' ? 'the server has no TLS' : code}): check sslmode and sslrootcert in its address.`,
      { cause },
    );
  }
  if (isRetryableConflict(error)) {
    return new AppError('database_unavailable', 'The transaction lost to a concurrent one. Try again.', {
      cause,
      retryAfterSeconds: 1,
    });
  }
  if (code === QUERY_CANCELED || messageOf(source) === 'Query read timeout') {
    return new AppError('database_unavailable', TOOK_TOO_LONG, { cause });
  }
  if (code === '53300') {
    return new AppError('database_unavailable', 'The database has no connection left.', { cause });
  }
  if (isUnavailable(error)) {
    return new AppError('database_unavailable', 'The database cannot be reached.', { cause });
  }
  return new AppError('internal', `The database refused a statement (${describe(cause)}).`, { cause });
}

function isTlsFault(source: Readonly<Record<string, unknown>>): boolean {
  const code = codeOf(source);
  return TLS_CODE.test(code) || (code === '' && TLS_MESSAGE.test(messageOf(source)));
}

function isUnavailableState(code: string): boolean {
  // 08 connection, 53 resources (disk, memory, connections), 57P operator intervention, 58 system error,
  // 57014 canceled by a timeout, 25006 read-only (a standby after failover), 25P03 idle in transaction too long.
  if (!/^[0-9A-Z]{5}$/.test(code)) return false;
  return /^(08|53|57P|58)/.test(code) || code === QUERY_CANCELED || code === '25006' || code === '25P03';
}

function isLoginState(code: string): boolean {
  return code === '28P01' || code === '28000' || code === '3D000';
}

function describe(fault: PostgresFault): string {
  const parts = [fault.code === '' ? 'no SQLSTATE' : `SQLSTATE ${fault.code}`];
  if (fault.table !== undefined) parts.push(`table ${fault.table}`);
  if (fault.column !== undefined) parts.push(`column ${fault.column}`);
  if (fault.constraint !== undefined) parts.push(`constraint ${fault.constraint}`);
  return parts.join(', ');
}

function safeMessage(source: Readonly<Record<string, unknown>>, code: string): string {
  // Class 42 (syntax, unknown column, missing privilege) names identifiers only, and our statements contain no values.
  if (/^42[0-9A-Z]{3}$/.test(code)) return messageOf(source);
  if (code === '' && (CONNECTION_MESSAGE.test(messageOf(source)) || TLS_MESSAGE.test(messageOf(source))))
    return messageOf(source);
  if (code === '') return textOrUndefined(source['name']) ?? 'database error';
  return `database error ${code}`;
}

function rootOf(error: unknown): Readonly<Record<string, unknown>> {
  if (isAppError(error)) return error.cause === undefined ? {} : rootOf(error.cause);
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}

function codeOf(source: Readonly<Record<string, unknown>>): string {
  const code = source['code'];
  return typeof code === 'string' ? code : '';
}

function messageOf(source: Readonly<Record<string, unknown>>): string {
  const message = source['message'];
  return typeof message === 'string' ? message : '';
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
