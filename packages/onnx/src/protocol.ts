/** How the vectors of tokens become the vector of a text. */
export const POOLINGS = ['mean', 'cls', 'max', 'lasttoken'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** Absolute paths. */
export type ModelFiles = Readonly<{ model: string; tokenizer: string; tokenizerConfig: string | null }>;

/**
 * `embed`: one vector for each text. `score`: the first text is a query, and each further one gets its logit for it.
 */
type ModelTask = Readonly<{ kind: 'embed'; pooling: Pooling }> | Readonly<{ kind: 'score' }>;

/** What the model's process is started with. */
export type OnnxModel = Readonly<{
  files: ModelFiles;
  task: ModelTask;
  /** Tokens of one input, special ones included. Longer texts are cut at their end. */
  maxTokens: number;
  /** What shorter inputs of a batch are filled up with. */
  padTokenId: number;
  /** Processor threads of one run. */
  threads: number;
}>;

/** Texts for the model's process. */
export type OnnxRequest = Readonly<{ id: number; texts: readonly string[] }>;

/**
 * Why a model cannot be loaded: the runtime is not installed, does not run on this machine, or cannot use these
 * files. No text of a user is involved, so `detail` may quote the runtime.
 */
export type LoadFailure = Readonly<{
  reason: 'runtime_missing' | 'runtime_unusable' | 'model_unusable';
  detail: string;
}>;

/** All numbers in one array; or why there are none: `failure` is only the name of an error, which quotes no text. */
export type OnnxReply =
  | Readonly<{ id: number; packed: Float32Array<ArrayBuffer> }>
  | Readonly<{ id: number; failure: string; load?: LoadFailure }>;
