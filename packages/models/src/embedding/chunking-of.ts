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
const WITHOUT_MODEL: Chunking = { id: 'bound/256', maxTokens: 256, tokenizer: 'bound' };

/** How texts are cut for the configured embedding model. */
export function chunkingOf(config: EmbedderConfig): Chunking {
  if (config.provider === 'none') return WITHOUT_MODEL;
  const profile =
    config.provider === 'local'
      ? LOCAL_EMBEDDING_PROFILE
      : embeddingProfileOf(config.model, config.dimensions ?? 1);
  if (profile === undefined) return WITHOUT_MODEL;
  const maxTokens = Math.min(profile.maxInputTokens, MAX_CHUNK_TOKENS);
  return { id: `${profile.tokenizer}/${maxTokens}`, maxTokens, tokenizer: profile.tokenizer };
}
