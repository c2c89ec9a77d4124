import type { OpenAiError, Problem } from '@factmill/contracts';
import { AppError, type ErrorKind, isAppError } from '@factmill/errors';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  limited: 429,
  timeout: 408,
  unavailable: 503,
  bug: 500,
};

const TITLE: Readonly<Record<ErrorKind, string>> = {
  invalid: 'The request is not valid',
  unauthorized: 'Authentication is needed',
  forbidden: 'Not permitted',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  gone: 'Not kept any more',
  too_large: 'The request is too large',
  limited: 'Too many requests',
  timeout: 'The request took too long to arrive',
  unavailable: 'Temporarily unavailable',
  bug: 'Internal error',
};

/** HTTP status of an error's kind. */
export function statusOf(error: AppError): number {
  return STATUS[error.kind];
}

/**
 * Any thrown value as the body of an `application/problem+json` answer. Foreign errors reveal nothing of
 * themselves.
 */
export function toProblem(error: AppError, requestId: string): Problem {
  return {
    type: `urn:factmill:problem:${error.code}`,
    title: TITLE[error.kind],
    status: statusOf(error),
    code: error.code,
    detail:
      error.kind === 'bug'
        ? 'Something went wrong on our side; nothing that was accepted is lost. Quote the request id when you report it.'
        : error.message,
    errors: error.fields.map(({ field, message }) => ({ field, message })),
    request_id: requestId,
  };
}

/** The `type` of OpenAI's own errors for each kind of ours. */
const OPENAI_TYPE: Readonly<Record<ErrorKind, string>> = {
  invalid: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  conflict: 'invalid_request_error',
  gone: 'invalid_request_error',
  too_large: 'invalid_request_error',
  limited: 'rate_limit_error',
  timeout: 'invalid_request_error',
  unavailable: 'server_error',
  bug: 'server_error',
};

/** A problem in OpenAI's error format: its clients show `error.message` and expose `error.code`. */
export function toOpenAiError(error: AppError, problem: Problem): OpenAiError {
  return {
    message: problem.detail,
    type: OPENAI_TYPE[error.kind],
    code: problem.code,
    param: problem.errors[0]?.field ?? null,
  };
}

type BodyParserError = Error & { type: string; status: number };

/** Any thrown value as an AppError, with the errors of Express and its body parser mapped. */
export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error;
  if (error instanceof Error && 'type' in error && 'status' in error) {
    const { type } = error as BodyParserError;
    if (type === 'entity.too.large') {
      return new AppError(
        'payload_too_large',
        'The body is larger than this server accepts; send it in parts.',
      );
    }
    if (type === 'entity.parse.failed') {
      return new AppError('invalid_json', 'The body is not valid JSON.');
    }
    if (
      type === 'encoding.unsupported' ||
      type === 'charset.unsupported' ||
      type === 'entity.verify.failed'
    ) {
      return new AppError('invalid_request', 'The body’s encoding is not supported; send UTF-8 JSON.');
    }
    if (type === 'request.aborted' || type === 'request.size.invalid') {
      return new AppError('invalid_request', 'The body ended before its announced length.');
    }
  }
  if (error instanceof URIError) {
    return new AppError('invalid_request', 'The path is not valid percent-encoded UTF-8.');
  }
  if (error instanceof Error && 'status' in error && error.status === 400) {
    return new AppError(
      'invalid_request',
      'The request cannot be read; is its body compressed as announced?',
    );
  }
  return new AppError('internal', 'Unexpected error.', { cause: error });
}
