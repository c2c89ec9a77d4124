import { withDeadline } from '@factmill/async';
import { AppError } from '@factmill/errors';
import type { EmbeddingProfile } from '../embedding/embedding-profiles.ts';
import type { EmbedderConfig, EmbeddingSource } from '../embedding/embedding-source.ts';
import { createOnnxModel, type OnnxDeps, type OnnxModelOptions } from './onnx-model.ts';
import { onnxProfileOf, textHandlingOf } from './onnx-profile.ts';
import type { Prefixes } from './read-model.ts';

type OnnxEmbedderConfig = Extract<EmbedderConfig, { provider: 'onnx' }>;

type About = Readonly<{ profile: EmbeddingProfile; prefixes: Prefixes }>;

export const EMBEDDING_OPTIONS: OnnxModelOptions<About> = {
  settings: 'EMBEDDING',
  title: 'The embedding model',
  warmUp: ['load'],
  prepare: (name, description) => {
    const handling = textHandlingOf(name, description);
    return {
      task: { kind: 'embed', pooling: handling.pooling },
      about: { profile: onnxProfileOf(name, description, handling), prefixes: handling.prefixes },
    };
  },
};

/**
 * Vectors from a model in ONNX files. The profile is known once the model is loaded.
 *
 * Errors: `model_config` when an operator has to act (the runtime, a file or a pin), `model_transient` when the hub
 * cannot be reached or a batch takes too long, `embedding_unavailable` when the worker stopped.
 */
export function createOnnxEmbeddings(config: OnnxEmbedderConfig, deps: OnnxDeps): EmbeddingSource {
  const model = createOnnxModel(config, deps, EMBEDDING_OPTIONS);

  return {
    profile: () => model.opened()?.about.profile ?? null,
    batchSize: config.batchSize,
    tellsQueries: true,
    embedBatch: async (texts, { signal, as }) => {
      const { worker, about } = await model.open();
      const prefix = about.prefixes[as];
      const packed = await withDeadline(
        { ms: config.timeoutMs, onTimeout: tookTooLong, signals: [signal] },
        (deadline) =>
          worker.run(
            texts.map((text) => `${prefix}${text}`),
            deadline,
          ),
      );
      const { dimensions } = about.profile;
      if (packed.length !== texts.length * dimensions) {
        throw new AppError(
          'model_config',
          'EMBEDDING_MODEL returns vectors of another length than its config.json says.',
        );
      }
      return texts.map((_, index) => packed.subarray(index * dimensions, (index + 1) * dimensions));
    },
    load: async () => (await model.open()).worker.load(),
    isLoaded: () => model.opened()?.worker.isLoaded() ?? false,
    close: model.close,
  };
}

function tookTooLong(): AppError {
  return new AppError('model_transient', 'The embedding model took longer than EMBEDDING_TIMEOUT_MS.');
}
