import { registerEmbeddingModel, type Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { type Embedder, readsWhole } from '@factmill/models';
import { type Logger, withSpan } from '@factmill/telemetry';

/** Vectors by text, of one model, and what their similarities mean. */
export type Vectors = Readonly<{
  model: string;
  duplicateSimilarity: number;
  relatedSimilarity: number;
  /** False for a text that the model cannot tell from others: its vector is good for nothing but itself. */
  reads: (text: string) => boolean;
  byText: ReadonlyMap<string, readonly number[]>;
}>;

export type EmbedTexts = (texts: readonly string[], signal: AbortSignal) => Promise<Vectors>;

/** Embeds texts and makes sure that the database knows the model. Throws what the embedder throws. */
export function createEmbedTexts(deps: { embedder: Embedder; database: Sql }): EmbedTexts {
  const registered = new Set<string>();
  return async (texts, signal) => {
    const unique = [...new Set(texts)];
    const vectors = await deps.embedder.embed(unique, { signal });
    const profile = await deps.embedder.loadProfile({ signal });
    if (profile === null) throw new Error('an embedder that embeds has a profile');
    if (!registered.has(profile.id)) {
      await registerEmbeddingModel(deps.database, profile.id, profile.dimensions);
      registered.add(profile.id);
    }
    return {
      model: profile.id,
      duplicateSimilarity: profile.duplicateSimilarity,
      relatedSimilarity: profile.relatedSimilarity,
      reads: (text) => readsWhole(profile, text),
      byText: new Map(unique.map((text, index) => [text, vectors[index] ?? []])),
    };
  };
}

/** Embedding fails open: null, and the vectors follow later (C13). */
export async function embedOrLater(
  embedTexts: EmbedTexts,
  texts: readonly string[],
  signal: AbortSignal,
  logger: Logger,
): Promise<Vectors | null> {
  if (texts.length === 0) return null;
  try {
    return await withSpan('embed', { attributes: { texts: texts.length } }, () => embedTexts(texts, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.code === 'database_unavailable') throw error;
    logger.warn(
      { code: isAppError(error) ? error.code : 'internal', texts: texts.length },
      'vectors follow later',
    );
    return null;
  }
}
