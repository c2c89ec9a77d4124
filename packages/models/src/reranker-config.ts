import type { EmbeddingUsage } from './embedding/embedding-source.ts';
import type { OnnxConfig } from './onnx/onnx-model.ts';

export type EndpointRerankerConfig = Readonly<{
  /** The API format of the endpoint. */
  provider: 'cohere' | 'jina' | 'tei';
  baseUrl: string;
  apiKey: string;
  model: string | null;
  timeoutMs: number;
  topN: number;
}>;

export type RerankerConfig =
  | Readonly<{ provider: 'none' }>
  | (OnnxConfig & Readonly<{ provider: 'onnx'; topN: number }>)
  | EndpointRerankerConfig;

export type Reranker = Readonly<{
  /** Maximum of documents to send. */
  topN: number;
  /**
   * What its scores are: `logits` always need the sigmoid; an endpoint does not say (`unknown`), as hosted models have
   * applied it and servers of raw models have not. See `toRelevances`.
   */
  scale: 'logits' | 'unknown';
  /**
   * The model's score of each document for the query, in the order of the documents. `onUsage` is called for the reply
   * of an endpoint, with the tokens if it says them, else 0; local models cost nothing.
   */
  rerank: (
    query: string,
    documents: readonly string[],
    onUsage?: (usage: EmbeddingUsage) => void,
  ) => Promise<number[]>;
  /** Loads a local model; nothing for endpoints. */
  load: () => Promise<void>;
  close: () => Promise<void>;
}>;
