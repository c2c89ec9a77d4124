import type { ModelOutput } from '@factmill/database';

/** Beside the errors and not in them, so that no log can show a reply. */
const outputs = new WeakMap<Error, ModelOutput>();

/** Notes what a model call that failed has brought all the same. Returns the error. */
export function noteOutput(error: unknown, output: ModelOutput): unknown {
  if (error instanceof Error) outputs.set(error, output);
  return error;
}

/** What a model call that failed has brought all the same: it is paid for, and explains the failure. */
export function failedOutputOf(error: unknown): ModelOutput | undefined {
  return error instanceof Error ? outputs.get(error) : undefined;
}
