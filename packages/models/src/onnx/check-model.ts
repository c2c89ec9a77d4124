import { EMBEDDING_OPTIONS } from './onnx-embeddings.ts';
import { createOnnxModel, type OnnxConfig, type OnnxDeps } from './onnx-model.ts';
import { RERANK_OPTIONS } from './onnx-reranker.ts';

export type CheckedModel = Readonly<{
  name: string;
  /** Of the model's file. */
  sha256: string;
  /** Of the hub, when it said so; null for a folder. */
  commit: string | null;
  maxTokens: number;
  /** Null for a cross-encoder. */
  vectors: Readonly<{ id: string; dimensions: number; pooling: string }> | null;
}>;

/** Fetches a model unless it is there, loads it, runs it once, and says what it is. Rejects as its first use would. */
export async function checkOnnxModel(
  config: OnnxConfig & Readonly<{ kind: 'embedding' | 'reranking' }>,
  deps: OnnxDeps,
): Promise<CheckedModel> {
  const isEmbedding = config.kind === 'embedding';
  const model = isEmbedding
    ? createOnnxModel(config, deps, EMBEDDING_OPTIONS)
    : createOnnxModel(config, deps, RERANK_OPTIONS);
  try {
    const { name, description, commit, about, task } = await model.open();
    return {
      name,
      sha256: description.sha256,
      commit,
      maxTokens: description.maxTokens,
      vectors:
        about === null || task.kind !== 'embed'
          ? null
          : { id: about.profile.id, dimensions: about.profile.dimensions, pooling: task.pooling },
    };
  } finally {
    await model.close();
  }
}
