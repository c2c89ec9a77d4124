import { type ErrorCode, type ErrorKind, kindOfCode } from './codes.ts';

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
