import { z } from 'zod';
import { httpUrl, positiveInt, sha256, similarity } from './values.ts';

const OF_PROFILE = "that of the model's profile; careful ones for an unknown model";

export const embeddingModel = {
  EMBEDDING_PROVIDER: z.enum(['local', 'onnx', 'openai', 'none']).optional().meta({
    description:
      '`local`: a small English model in this process. `onnx`: a model of your choice in this process (docs/operations/running.md). `openai`: any OpenAI-compatible endpoint. `none`: full-text search only.',
    unset: '`openai` when `EMBEDDING_BASE_URL` or `EMBEDDING_MODEL` is set, else `local`',
  }),
  EMBEDDING_BASE_URL: httpUrl.optional().meta({
    description: 'Endpoint of the embedding model.',
    unset: '`LLM_BASE_URL`',
  }),
  EMBEDDING_API_KEY: z.string().optional().meta({
    secret: true,
    description: 'Bearer token for it.',
    unset: '`LLM_API_KEY` while `EMBEDDING_BASE_URL` is not set, else none',
  }),
  EMBEDDING_MODEL: z.string().min(1).optional().meta({
    description:
      'Name of the embedding model. For `onnx` a folder (absolute, or beginning with `./`), or a model on the Hugging Face Hub: `owner/name`, `owner/name@revision`, or one of `bge-small-en-v1.5`, `all-MiniLM-L6-v2`, `multilingual-e5-small`.',
    unset: 'the local one',
  }),
  EMBEDDING_MODEL_FILE: z.string().min(1).optional().meta({
    description: 'For `onnx`: the file below the folder, for example `onnx/model_quantized.onnx`.',
    unset: '`onnx/model.onnx`, else `model.onnx`',
  }),
  EMBEDDING_MODEL_SHA256: sha256.optional().meta({
    description: 'For `onnx`: SHA-256 that this file must have. Another one is not used.',
    unset: 'any',
  }),
  EMBEDDING_DIMENSIONS: positiveInt.max(4_000).optional().meta({
    description: 'Asks the endpoint for shorter vectors, where it can make them.',
    unset: "the model's own length",
  }),
  EMBEDDING_TIMEOUT_MS: positiveInt.default(30_000).meta({ description: 'How long one call may take.' }),
  EMBEDDING_QUERY_TIMEOUT_MS: positiveInt.default(2_000).meta({
    description:
      'How long a search waits for the vector of its query. After that it goes on with words only.',
  }),
  EMBEDDING_BATCH_SIZE: positiveInt.max(2_048).default(16).meta({ description: 'Texts in one call.' }),
  EMBEDDING_MIN_SIMILARITY: similarity.optional().meta({
    description: 'Cosine similarity from which a search finds a memory. `factmill calibrate` measures it.',
    unset: OF_PROFILE,
  }),
  EMBEDDING_RELATED_SIMILARITY: similarity.optional().meta({
    description: 'Cosine similarity from which two texts are about the same thing.',
    unset: OF_PROFILE,
  }),
  EMBEDDING_DUPLICATE_SIMILARITY: similarity.optional().meta({
    description: 'Cosine similarity from which two texts say the same.',
    unset: OF_PROFILE,
  }),
};
