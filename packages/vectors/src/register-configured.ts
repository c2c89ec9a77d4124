import { type EmbeddingModelState, registerEmbeddingModel, type Sql } from '@factmill/database';
import type { Embedder, EmbedderConfig, EmbeddingProfile } from '@factmill/models';
import { endpointOf } from './endpoint-of.ts';

/**
 * Makes the configured model known; asks its endpoint once when nobody knows it. Null for the provider `none`.
 * Throws what the embedder and the database throw.
 */
export async function registerConfigured(
  deps: Readonly<{ database: Sql; config: EmbedderConfig; configured: Embedder }>,
  signal?: AbortSignal,
): Promise<{ profile: EmbeddingProfile; state: EmbeddingModelState } | null> {
  const profile = await deps.configured.loadProfile(signal === undefined ? {} : { signal });
  if (profile === null) return null;
  const { id, dimensions } = profile;
  return {
    profile,
    state: await registerEmbeddingModel(deps.database, id, dimensions, endpointOf(deps.config)),
  };
}
