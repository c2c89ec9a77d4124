import { untilAborted } from '@factmill/async';
import { AppError } from '@factmill/errors';
import { type EmbeddingProfile, withThresholds } from './embedding-profiles.ts';
import { createOnnxEmbeddings } from '../onnx/onnx-embeddings.ts';
import type { OnnxDeps } from '../onnx/onnx-model.ts';
import type { EmbedderConfig, EmbeddingSource, EmbeddingUsage, TextRole } from './embedding-source.ts';
import { createEndpointEmbeddings } from './endpoint-embeddings.ts';
import { createLocalEmbeddings } from './local-embeddings.ts';
import { toUnitVector } from './unit-vector.ts';
import { createVectorCache } from './vector-cache.ts';

type EmbedOptions = Readonly<{
  signal?: AbortSignal;
  /** Default `passage`: what is stored and found. */
  as?: TextRole;
  /** Called for each reply of an endpoint, also when the call fails afterwards. Local models cost nothing. */
  onUsage?: ((usage: EmbeddingUsage) => void) | undefined;
}>;

export type Embedder = Readonly<{
  /** The properties of the vectors. Null for provider `none`, and for an unknown model until its first reply. */
  profile: EmbeddingProfile | null;
  /** The profile with known dimensions; asks the endpoint once if necessary. Null only for provider `none`. */
  loadProfile: (options?: EmbedOptions) => Promise<EmbeddingProfile | null>;
  /** Whether all these passages are cached, so that `embed` calls no model. */
  isCached: (texts: readonly string[]) => boolean;
  /** One L2-normalised vector per text, in the order of the texts. */
  embed: (texts: readonly string[], options?: EmbedOptions) => Promise<number[][]>;
  /** Loads a local model, so that `embed` does not have to; nothing for endpoints. */
  load: () => Promise<void>;
  /** False while `embed` would have to load the model first. */
  isLoaded: () => boolean;
  close: () => Promise<void>;
}>;

const CACHED_VECTORS = 2000;

/**
 * Creates the embedder of a provider. Nothing is loaded or connected before the first `embed` or `load`.
 *
 * `embed` throws AppError: `embedding_unavailable` (no provider, or the local model stopped), a `model_*` code
 * (endpoint), `model_input` for a blank text, `shutting_down` after `close`; or the signal's reason, at once. It
 * returns all vectors of a call or none.
 */
export function createEmbedder(config: EmbedderConfig, deps: OnnxDeps = { now: Date.now }): Embedder {
  if (config.provider === 'none') return NO_EMBEDDER;
  const source = createSource(config, deps);
  const { thresholds } = config;
  if (thresholds === undefined) return createEmbedderOf(source);
  const profile = () => {
    const own = source.profile();
    return own === null ? null : withThresholds(own, thresholds);
  };
  return createEmbedderOf({ ...source, profile });
}

function createSource(
  config: Exclude<EmbedderConfig, { provider: 'none' }>,
  deps: OnnxDeps,
): EmbeddingSource {
  if (config.provider === 'local') return createLocalEmbeddings();
  return config.provider === 'onnx'
    ? createOnnxEmbeddings(config, deps)
    : createEndpointEmbeddings(config, deps);
}

/** The embedder around a source. */
function createEmbedderOf(source: EmbeddingSource): Embedder {
  const cache = createVectorCache(CACHED_VECTORS);

  const keyOf = (text: string, as: TextRole) =>
    as === 'query' && source.tellsQueries === true ? `query\0${text}` : text;

  const embed = async (
    texts: readonly string[],
    { signal, as = 'passage', onUsage }: EmbedOptions = {},
  ): Promise<number[][]> => {
    signal?.throwIfAborted();
    if (texts.some((text) => text.trim() === '')) {
      throw new AppError('model_input', 'A blank text has no embedding. Leave it out.');
    }
    const vectors = new Map<string, Float32Array | undefined>();
    for (const text of texts) vectors.set(text, cache.get(keyOf(text, as)));
    const missing = [...vectors].filter(([, vector]) => !vector).map(([text]) => text);
    // One batch after the other, so that short calls of others get their turn during a long one.
    for (let from = 0; from < missing.length; from += source.batchSize) {
      const batch = missing.slice(from, from + source.batchSize);
      const raw = await untilAborted(source.embedBatch(batch, { as, signal, onUsage }), signal);
      batch.forEach((text, index) => {
        const vector = toUnitVector(raw[index] ?? []);
        cache.set(keyOf(text, as), vector);
        vectors.set(text, vector);
      });
    }
    return texts.map((text) => Array.from(vectors.get(text) ?? []));
  };

  return {
    get profile() {
      return source.profile();
    },
    loadProfile: async (options) => {
      if (!source.profile()) await embed(['dimensions'], options);
      return source.profile();
    },
    isCached: (texts) => texts.every((text) => cache.get(text) !== undefined),
    embed,
    load: source.load ?? (async () => {}),
    isLoaded: source.isLoaded ?? (() => true),
    close: source.close,
  };
}

const NO_EMBEDDER: Embedder = {
  profile: null,
  loadProfile: async () => null,
  isCached: () => false,
  embed: async () => {
    throw new AppError(
      'embedding_unavailable',
      'Embeddings are off. Set EMBEDDING_PROVIDER to turn them on.',
    );
  },
  load: async () => {},
  isLoaded: () => true,
  close: async () => {},
};
