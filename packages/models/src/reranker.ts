import { createEndpointClient } from './endpoint/endpoint-client.ts';
import { isRecord, UnusableReplyError } from './errors/error-signals.ts';
import type { OnnxDeps } from './onnx/onnx-model.ts';
import { createOnnxReranker } from './onnx/onnx-reranker.ts';
import type { EndpointRerankerConfig, Reranker, RerankerConfig } from './reranker-config.ts';

/** The path of each format when the base URL has none. */
const PATHS = { cohere: '/v2', jina: '/v1', tei: '' } as const;

/**
 * The cross-encoder of a provider; null for `none`. `rerank` throws AppError with a `model_*` code.
 *
 * @throws AppError `config_invalid` for a model of the provider `onnx` that has no such name
 */
export function createReranker(config: RerankerConfig, deps: OnnxDeps = { now: Date.now }): Reranker | null {
  if (config.provider === 'none') return null;
  return config.provider === 'onnx' ? createOnnxReranker(config, deps) : createEndpointReranker(config, deps);
}

/** A cross-encoder behind an HTTP endpoint; a reply that omits documents or names unknown ones is invalid. */
function createEndpointReranker(config: EndpointRerankerConfig, deps: Pick<OnnxDeps, 'now'>): Reranker {
  const { provider, apiKey, model, timeoutMs, topN } = config;
  const endpoint = createEndpointClient({
    baseUrl: rootOf(config.baseUrl, provider),
    apiKey,
    timeoutMs,
    settings: 'RERANK',
    now: deps.now,
  });
  const named = model === null ? {} : { model };
  return {
    topN,
    scale: 'unknown',
    async rerank(query, documents, onUsage) {
      if (documents.length === 0) return [];
      const body = { ...named, query, ...fieldsOf(provider, documents) };
      const { body: reply } = await endpoint.post('/rerank', body);
      onUsage?.({ model: model ?? provider, tokens: readTokens(reply) });
      const scores = readScores(reply, documents.length);
      if (scores === undefined) throw endpoint.toError(new UnusableReplyError(reply, 'wrong_answer'));
      return scores;
    },
    load: async () => {},
    close: endpoint.close,
  };
}

/** The documents in the format of each provider, all of them to be scored. */
function fieldsOf(provider: keyof typeof PATHS, documents: readonly string[]): object {
  if (provider === 'tei') return { texts: documents, truncate: true };
  const fields = { documents, top_n: documents.length };
  return provider === 'jina' ? { ...fields, return_documents: false } : fields;
}

/** The base URL without `/rerank`. */
function rootOf(baseUrl: string, provider: keyof typeof PATHS): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/rerank$/, '');
  url.pathname = path === '' && !/\/rerank\/*$/.test(url.pathname) ? PATHS[provider] : path;
  return url.href;
}

/** `usage.total_tokens` of Jina, `meta.tokens.input_tokens` of Cohere; TEI does not say. */
function readTokens(reply: unknown): number {
  const { usage, meta } = isRecord(reply) ? reply : {};
  const counted = isRecord(meta) ? meta['tokens'] : undefined;
  const tokens = isRecord(usage) ? usage['total_tokens'] : isRecord(counted) ? counted['input_tokens'] : 0;
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.trunc(tokens) : 0;
}

/** `[{index, score}]` as TEI answers, or `{results: [{index, relevance_score}]}`. */
function readScores(reply: unknown, count: number): number[] | undefined {
  const results: unknown = isRecord(reply) ? reply['results'] : reply;
  if (!Array.isArray(results)) return undefined;
  const scores: (number | undefined)[] = Array.from({ length: count });
  for (const result of results as unknown[]) {
    if (!isRecord(result)) return undefined;
    const { index } = result;
    const score = result['relevance_score'] ?? result['score'];
    if (typeof index !== 'number' || !(index in scores) || !Number.isFinite(score)) return undefined;
    scores[index] = score as number;
  }
  return scores.every((score) => score !== undefined) ? scores : undefined;
}
