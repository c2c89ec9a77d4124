import { withDeadline } from '@factmill/async';
import { AppError } from '@factmill/errors';
import type { Reranker } from '../reranker-config.ts';
import { createOnnxModel, type OnnxConfig, type OnnxDeps, type OnnxModelOptions } from './onnx-model.ts';

export const RERANK_OPTIONS: OnnxModelOptions<null> = {
  settings: 'RERANK',
  title: 'The reranking model',
  warmUp: ['load', 'load'],
  prepare: () => ({ task: { kind: 'score' }, about: null }),
};

/**
 * A cross-encoder from ONNX files, such as `ms-marco-MiniLM-L-6-v2`. Its scores are logits. Until `load` has resolved,
 * `rerank` rejects at once.
 */
export function createOnnxReranker(
  config: OnnxConfig & Readonly<{ topN: number }>,
  deps: OnnxDeps,
): Reranker {
  const model = createOnnxModel(config, deps, RERANK_OPTIONS);
  return {
    topN: config.topN,
    scale: 'logits',
    rerank: async (query, documents) => {
      if (documents.length === 0) return [];
      const opened = model.opened();
      if (opened === undefined) {
        // No search waits for a model that is being fetched.
        model.open().catch(() => undefined);
        throw new AppError('model_transient', 'The reranking model is not loaded yet.');
      }
      const scores = await withDeadline({ ms: config.timeoutMs, onTimeout: tookTooLong }, (deadline) =>
        opened.worker.run([query, ...documents], deadline),
      );
      return [...scores];
    },
    load: async () => (await model.open()).worker.load(),
    close: model.close,
  };
}

function tookTooLong(): AppError {
  return new AppError('model_transient', 'The reranking model took longer than RERANK_TIMEOUT_MS.');
}
