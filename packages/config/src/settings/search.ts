import { z } from 'zod';
import { flag, httpUrl, positiveInt, sha256, share } from './values.ts';

export const search = {
  SEARCH_MODE: z
    .string()
    .meta({ allowed: '`fused`, `enhanced`, `classic` or `vector`; anything else means `classic`' })
    .optional()
    .meta({
      description: 'How a search is answered that names no mode.',
      unset: 'as `PRESET` has it; `fused` for `standard`',
    }),
  SEARCH_TURNS: flag.default(true).meta({
    description:
      'Whether stored messages are made searchable, and compete with memories in fused searches that do not say (`include_turns`).',
  }),
  MEMORY_TOP_K: positiveInt.max(200).optional().meta({
    description: 'Memories that a chat or a context gets.',
    unset: 'as the preset has it',
  }),
  MEMORY_RECENCY_WEIGHT: share.optional().meta({
    description: 'Share of recency in the score of what is found.',
    unset: 'as the preset has it',
  }),
  MEMORY_SCORE_THRESHOLD: share.optional().meta({
    description:
      'Relevance below which memories are left out: that of a reranker, or without one the cosine similarity.',
    unset: 'as the preset has it, where a reranker is configured',
  }),
  MEMORY_MMR_LAMBDA: share.optional().meta({
    description: 'Relevance against diversity of what is found; 1 turns diversity off.',
    unset: 'as the preset has it',
  }),
  RERANK_PROVIDER: z.enum(['none', 'cohere', 'jina', 'tei', 'onnx']).default('none').meta({
    description:
      'Form of the reranking endpoint; vLLM and llama.cpp have that of `jina`. `onnx`: a cross-encoder in this process (docs/operations/running.md).',
  }),
  RERANK_BASE_URL: httpUrl.optional().meta({
    description: 'The reranking endpoint: `https://api.cohere.com`, `https://api.jina.ai` or your own.',
    unset: 'no reranking',
  }),
  RERANK_API_KEY: z.string().default('').meta({ secret: true, description: 'Bearer token for it.' }),
  RERANK_MODEL: z.string().min(1).optional().meta({
    description:
      'Name of the reranking model. For `onnx` as `EMBEDDING_MODEL`, for example `ms-marco-MiniLM-L-6-v2`.',
    unset: 'none, which only `tei` accepts',
  }),
  RERANK_MODEL_FILE: z.string().min(1).optional().meta({
    description: 'As `EMBEDDING_MODEL_FILE`.',
    unset: '`onnx/model.onnx`, else `model.onnx`',
  }),
  RERANK_MODEL_SHA256: sha256.optional().meta({ description: 'As `EMBEDDING_MODEL_SHA256`.', unset: 'any' }),
  RERANK_TIMEOUT_MS: positiveInt.optional().meta({
    description: 'How long a search waits for the reranker. After that the results are not reranked.',
    unset: '1000, or 5000 for `onnx`, which needs 0.2 s of processor time for twenty short memories',
  }),
  RERANK_TOP_N: positiveInt
    .max(200)
    .default(20)
    .meta({ description: 'How many of the best candidates are reranked.' }),
};
