import { type EmbeddingModelState, registerEmbeddingModel, type Sql } from '@factmill/database';
import type { Embedder, EmbedderConfig, EmbeddingProfile } from '@factmill/models';
import { assertSameSize } from './assert-same-size.ts';
import { endpointOf } from './endpoint-of.ts';

/**
 * Registers the configured model; asks its endpoint once for the vector size when that is unknown. Null for the
 * provider `none`. Throws errors of the embedder and the database, and `embedding_mismatch`.
 */
export async function registerConfigured(
  deps: Readonly<{ database: Sql; config: EmbedderConfig; configured: Embedder }>,
  signal?: AbortSignal,
): Promise<{ profile: EmbeddingProfile; state: EmbeddingModelState } | null> {
  const profile = await deps.configured.loadProfile(signal === undefined ? {} : { signal });
  if (profile === null) return null;
  const endpoint = endpointOf(deps.config);
  await assertSameSize(deps.database, profile, endpoint);
  const state = await registerEmbeddingModel(deps.database, profile.id, profile.dimensions, endpoint);
  return { profile, state };
}
