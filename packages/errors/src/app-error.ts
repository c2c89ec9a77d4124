import { type ErrorCode, kindOfCode } from './codes.ts';

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
  | 'unavailable'
  | 'limited'
  | 'too_large'
  | 'timeout'
  | 'bug';

/** One bad place in an input. `field` is a dotted path (`messages.0.content`), empty for the whole body. */
export type FieldProblem = Readonly<{ field: string; message: string }>;

export type AppErrorOptions = Readonly<{
  cause?: unknown;
  fields?: readonly FieldProblem[];
  /** Seconds until a retry can succeed, when known. */
  retryAfterSeconds?: number;
}>;

/**
 * The one error type of Factmill. `message` is written for the person who has to act on it and is shown to
 * callers, so it never contains conversation text, secrets or configuration values.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.kind = kindOfCode(code);
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether a thrown value is an AppError. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}
