import { parseModelSource } from '../onnx/model-source.ts';
import { type EmbeddingProfile, embeddingProfileOf, LOCAL_EMBEDDING_PROFILE } from './embedding-profiles.ts';
import type { EmbedderConfig } from './embedding-source.ts';

/** How texts are cut for an embedding model; known without calling it. */
export type Chunking = Readonly<{
  /** Two texts with the same id were cut alike. */
  id: string;
  maxTokens: number;
  tokenizer: EmbeddingProfile['tokenizer'];
}>;

/**
 * Limit for models with long inputs: the vector of a longer text says too little about each statement in it, and
 * such a chunk does not fit into a prompt beside others.
 */
const MAX_CHUNK_TOKENS = 512;

/** Without an embedding model, texts are cut small enough for most models. */
const WITHOUT_MODEL = { maxTokens: 256, tokenizer: 'bound' } as const;

/** To be raised when documents are cut in another way. */
const VERSION = 2;

/**
 * How texts are cut for the configured embedding model.
 *
 * @throws AppError `config_invalid` for a model of the provider `onnx` that has no such name
 */
export function chunkingOf(config: EmbedderConfig): Chunking {
  const profile = profileOf(config);
  const { tokenizer, maxTokens } =
    profile === undefined
      ? WITHOUT_MODEL
      : { tokenizer: profile.tokenizer, maxTokens: Math.min(profile.maxInputTokens, MAX_CHUNK_TOKENS) };
  return { id: `${tokenizer}/${maxTokens}/${VERSION}`, maxTokens, tokenizer };
}

/** Without a size, which does not matter here. */
function profileOf(config: EmbedderConfig): EmbeddingProfile | undefined {
  if (config.provider === 'none') return undefined;
  if (config.provider === 'local') return LOCAL_EMBEDDING_PROFILE;
  if (config.provider === 'openai') return embeddingProfileOf(config.model, config.dimensions ?? 1);
  return embeddingProfileOf(parseModelSource(config.model, 'EMBEDDING').name, 1);
}
