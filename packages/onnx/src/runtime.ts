import type * as tokenizers from '@huggingface/tokenizers';
import type * as onnxruntime from 'onnxruntime-node';
import type { LoadFailure } from './protocol.ts';

export type Runtime = typeof onnxruntime;
type Tokenizers = typeof tokenizers;

/** Why a model cannot be loaded. */
export class LoadError extends Error {
  readonly reason: LoadFailure['reason'];

  constructor(reason: LoadFailure['reason'], message: string) {
    super(message);
    this.name = 'LoadError';
    this.reason = reason;
  }
}

/** What the caller of a model that could not be loaded is told. Other errors are of its files. */
export function toLoadFailure(error: unknown): LoadFailure {
  const reason = error instanceof LoadError ? error.reason : 'model_unusable';
  const detail = error instanceof Error ? error.message : String(error);
  return { reason, detail: detail.slice(0, 300) };
}

/**
 * The optional libraries.
 *
 * @throws LoadError `runtime_missing` when they are not installed, `runtime_unusable` when they do not run here
 */
export async function importRuntime(): Promise<Readonly<{ runtime: Runtime; tokenizers: Tokenizers }>> {
  try {
    return { runtime: await import('onnxruntime-node'), tokenizers: await import('@huggingface/tokenizers') };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw new LoadError(
      isMissing ? 'runtime_missing' : 'runtime_unusable',
      error instanceof Error ? error.message : String(error),
    );
  }
}
