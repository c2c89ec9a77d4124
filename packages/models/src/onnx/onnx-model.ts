import { ONNX_WORKER_FILE, type LoadFailure, type OnnxModel } from '@factmill/onnx';
import { AppError } from '@factmill/errors';
import { inProcess } from '../worker/in-process.ts';
import { createModelWorker, type ModelWorker } from '../worker/model-worker.ts';
import type { FetchProgress } from './fetch-file.ts';
import { assertModelFile, parseModelSource, type SettingsPrefix } from './model-source.ts';
import { ensureModel } from './model-store.ts';
import { type ModelDescription, readModel } from './read-model.ts';

/** A model that runs beside this process from ONNX files. */
export type OnnxConfig = Readonly<{
  /** A folder, or a model of the hub; see `parseModelSource`. */
  model: string;
  /** The model's file below its folder; null to look for it. */
  file: string | null;
  /** SHA-256 that the model's file must have; null for any. */
  sha256: string | null;
  modelsDir: string;
  hubUrl: string;
  threads: number;
  /** How long one batch may take, waiting included, once the model is loaded. */
  timeoutMs: number;
}>;

export type OnnxDeps = Readonly<{
  now: () => number;
  /** Called every few seconds while a model is fetched. */
  onFetch?: (progress: FetchProgress) => void;
  retryDelayMs?: number;
}>;

/** What a kind of model makes of the description of its files. */
type Prepared<T> = Readonly<{ task: OnnxModel['task']; about: T }>;

type OpenedModel<T> = Readonly<{
  worker: ModelWorker;
  /** The name without owner, or of the folder. */
  name: string;
  description: ModelDescription;
  commit: string | null;
  task: OnnxModel['task'];
  about: T;
}>;

export type LazyModel<T> = Readonly<{
  /** Fetches, checks and loads the model, once. A failure is repeated for half a minute before it is tried again. */
  open: () => Promise<OpenedModel<T>>;
  /** The model, when it is loaded. */
  opened: () => OpenedModel<T> | undefined;
  close: () => Promise<void>;
}>;

export type OnnxModelOptions<T> = Readonly<{
  settings: SettingsPrefix;
  /** How messages call the model, as the subject of a sentence. */
  title: string;
  warmUp: readonly string[];
  prepare: (name: string, description: ModelDescription) => Prepared<T>;
}>;

const RETRY_AFTER_MS = 30_000;

/** The tokenizer of a model with 250,000 tokens takes about 300 MB. Weights and tensors are outside the limit. */
const MAX_HEAP_MB = 1_024;

/**
 * A model from ONNX files, opened at the first use.
 *
 * @throws AppError `config_invalid` for a name or path that is none
 */
export function createOnnxModel<T>(
  config: OnnxConfig,
  deps: OnnxDeps,
  options: OnnxModelOptions<T>,
): LazyModel<T> {
  const { settings } = options;
  const source = parseModelSource(config.model, settings);
  if (config.file !== null) assertModelFile(config.file, settings);
  const stopping = new AbortController();
  let opening: Promise<OpenedModel<T>> | undefined;
  let opened: OpenedModel<T> | undefined;
  let worker: ModelWorker | undefined;
  let failedAt = 0;

  async function find() {
    if (source.kind === 'folder') return { folder: source.path, file: config.file, commit: null };
    const fetching = {
      now: deps.now,
      retryDelayMs: deps.retryDelayMs ?? 1_000,
      onProgress: deps.onFetch ?? (() => {}),
    };
    return ensureModel(source, { ...config, settings }, fetching, stopping.signal);
  }

  async function openOnce(): Promise<OpenedModel<T>> {
    const { folder, file, commit } = await find();
    const description = await readModel(folder, file, settings, stopping.signal);
    assertPin(description.sha256, config.sha256, settings);
    const { task, about } = options.prepare(source.name, description);
    const { files, maxTokens, padTokenId } = description;
    const started = createModelWorker({
      start: inProcess({
        file: ONNX_WORKER_FILE,
        argument: { files, task, maxTokens, padTokenId, threads: config.threads } satisfies OnnxModel,
        maxHeapMb: MAX_HEAP_MB,
      }),
      warmUp: options.warmUp,
      name: options.title,
      code: settings === 'EMBEDDING' ? 'embedding_unavailable' : 'model_transient',
      toLoadError: (failure) => toLoadError(failure, settings),
    });
    worker = started;
    try {
      stopping.signal.throwIfAborted();
      await started.load();
    } catch (error) {
      await started.close();
      throw error;
    }
    opened = { worker: started, name: source.name, description, commit, task, about };
    return opened;
  }

  return {
    open: () => {
      if (stopping.signal.aborted) return Promise.reject(stopping.signal.reason as Error);
      if (opening === undefined || (failedAt > 0 && deps.now() - failedAt >= RETRY_AFTER_MS)) {
        failedAt = 0;
        opening = openOnce().catch((error: unknown) => {
          stopping.signal.throwIfAborted();
          throw error;
        });
        opening.catch(() => {
          failedAt = deps.now();
        });
      }
      return opening;
    },
    opened: () => opened,
    close: async () => {
      stopping.abort(new AppError('shutting_down', `${options.title} is closed.`));
      await worker?.close();
      await opening?.catch(() => undefined);
    },
  };
}

function assertPin(found: string, pinned: string | null, settings: SettingsPrefix): void {
  if (pinned === null || pinned === found) return;
  throw new AppError(
    'model_config',
    `The file of ${settings}_MODEL has another SHA-256 than ${settings}_MODEL_SHA256: it is another model, or another version of it.`,
  );
}

function toLoadError({ reason, detail }: LoadFailure, settings: SettingsPrefix): AppError {
  const messages: Readonly<Record<LoadFailure['reason'], string>> = {
    runtime_missing:
      'The ONNX runtime is not installed. Install it with `npm run install:onnx`; for an image, build it with `--build-arg ONNX=true`.',
    runtime_unusable:
      'The ONNX runtime cannot be started on this system; it is made for glibc on x64 and arm64, and for macOS on arm64.',
    model_unusable: `The ONNX runtime cannot use the files of ${settings}_MODEL.`,
  };
  return new AppError('model_config', messages[reason], { cause: new Error(detail) });
}
