import { AppError, isAppError } from '@factmill/errors';
import { type ErrorSignals, ModelCallError, NO_SIGNALS } from './error-signals.ts';

/** The error for a model that answered the same question with an empty text twice. */
export function emptyAnswerError(): AppError {
  return new AppError(
    'model_transient',
    'The model answered twice with an empty text. It is tried again; both replies are kept.',
    { cause: new ModelCallError('empty text', { ...NO_SIGNALS, noAnswer: 'empty' }) },
  );
}

/** Whether an error means a success without an answer, and of which kind; see `ErrorSignals`. */
export function noAnswerOf(error: unknown): ErrorSignals['noAnswer'] {
  return isAppError(error) && error.cause instanceof ModelCallError
    ? error.cause.signals.noAnswer
    : undefined;
}
