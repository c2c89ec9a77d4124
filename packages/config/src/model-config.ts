import { join } from 'node:path';
import type { EmbeddingConfig, EmbeddingThresholds, RerankConfig } from './config.ts';
import type { Environment } from './environment.ts';

const RERANK_TIMEOUT_MS = { endpoint: 1_000, here: 5_000 };

/** What embedding and reranking have in common. */
function onnxConfig(env: Environment) {
  return {
    provider: 'onnx',
    modelsDir: env.MODELS_DIR ?? join(env.DATA_DIR, 'models'),
    hubUrl: env.MODELS_URL,
    threads: env.ONNX_THREADS,
  } as const;
}

/** Which model reranks, if any. */
export function rerankConfig(env: Environment): RerankConfig {
  const { RERANK_PROVIDER: provider, RERANK_BASE_URL: baseUrl, RERANK_MODEL: model } = env;
  if (provider === 'onnx' && model !== undefined) {
    return {
      ...onnxConfig(env),
      model,
      file: env.RERANK_MODEL_FILE ?? null,
      sha256: env.RERANK_MODEL_SHA256 ?? null,
      timeoutMs: env.RERANK_TIMEOUT_MS ?? RERANK_TIMEOUT_MS.here,
      topN: env.RERANK_TOP_N,
    };
  }
  if (provider === 'none' || provider === 'onnx' || baseUrl === undefined) return { provider: 'none' };
  return {
    provider,
    baseUrl,
    apiKey: env.RERANK_API_KEY,
    model: env.RERANK_MODEL ?? null,
    timeoutMs: env.RERANK_TIMEOUT_MS ?? RERANK_TIMEOUT_MS.endpoint,
    topN: env.RERANK_TOP_N,
  };
}

/** Where vectors come from. */
export function embeddingConfig(env: Environment): EmbeddingConfig {
  const provider =
    env.EMBEDDING_PROVIDER ??
    (env.EMBEDDING_BASE_URL !== undefined || env.EMBEDDING_MODEL !== undefined ? 'openai' : 'local');
  const baseUrl = env.EMBEDDING_BASE_URL ?? env.LLM_BASE_URL;
  if (provider === 'none') return { provider };
  const thresholds = embeddingThresholds(env);
  if (provider === 'onnx' && env.EMBEDDING_MODEL !== undefined) {
    return {
      ...onnxConfig(env),
      model: env.EMBEDDING_MODEL,
      file: env.EMBEDDING_MODEL_FILE ?? null,
      sha256: env.EMBEDDING_MODEL_SHA256 ?? null,
      timeoutMs: env.EMBEDDING_TIMEOUT_MS,
      batchSize: env.EMBEDDING_BATCH_SIZE,
      ...thresholds,
    };
  }
  if (provider !== 'openai' || baseUrl === undefined || env.EMBEDDING_MODEL === undefined) {
    return { provider: 'local', ...thresholds };
  }
  // The chat key belongs to the chat host. It is used for embeddings only when both share the address.
  const fallbackKey = env.EMBEDDING_BASE_URL === undefined ? env.LLM_API_KEY : '';
  return {
    provider,
    baseUrl: apiRoot(baseUrl),
    apiKey: env.EMBEDDING_API_KEY ?? fallbackKey,
    model: env.EMBEDDING_MODEL,
    ...(env.EMBEDDING_DIMENSIONS === undefined ? {} : { dimensions: env.EMBEDDING_DIMENSIONS }),
    timeoutMs: env.EMBEDDING_TIMEOUT_MS,
    batchSize: env.EMBEDDING_BATCH_SIZE,
    ...thresholds,
  };
}

function embeddingThresholds(env: Environment): { thresholds?: EmbeddingThresholds } {
  const thresholds = {
    ...(env.EMBEDDING_MIN_SIMILARITY === undefined ? {} : { minSimilarity: env.EMBEDDING_MIN_SIMILARITY }),
    ...(env.EMBEDDING_RELATED_SIMILARITY === undefined
      ? {}
      : { relatedSimilarity: env.EMBEDDING_RELATED_SIMILARITY }),
    ...(env.EMBEDDING_DUPLICATE_SIMILARITY === undefined
      ? {}
      : { duplicateSimilarity: env.EMBEDDING_DUPLICATE_SIMILARITY }),
  };
  return Object.keys(thresholds).length === 0 ? {} : { thresholds };
}

/** OpenAI clients expect a root that ends in `/v1`. It is appended to a bare host; any path stays as it is. */
export function apiRoot(url: string): string {
  const parsed = new URL(url);
  return parsed.pathname === '/' ? new URL('/v1', parsed).href : url.replace(/(?<!\/)\/+$/, '');
}
