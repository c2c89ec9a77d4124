import type { ModelOutput } from '@factmill/database';

/** Separate from the errors, so that no log can show a reply. */
const outputs = new WeakMap<Error, ModelOutput>();

/** Stores the output of a failed model call. Returns the error. */
export function noteOutput(error: unknown, output: ModelOutput): unknown {
  if (error instanceof Error) outputs.set(error, output);
  return error;
}

/** The output of a failed model call: it is paid for, and explains the failure. */
export function failedOutputOf(error: unknown): ModelOutput | undefined {
  return error instanceof Error ? outputs.get(error) : undefined;
}
