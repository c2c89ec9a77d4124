import {
  type EmbeddingEndpoint,
  type EmbeddingModelRow,
  findActiveEmbeddingModel,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import {
  createEmbedder,
  type Embedder,
  type EmbedderConfig,
  LOCAL_EMBEDDING_PROFILE,
} from '@factmill/models';
import { endpointOf } from './endpoint-of.ts';

/** The model that embeds queries and new memories. */
export type ModelInUse = Readonly<{
  embedder: Embedder;
  /** False while older memories may lack vectors of this model. */
  isComplete: boolean;
  /** Runs in this process, so it is never down. */
  isLocal: boolean;
  /** How it is called; undefined when it is not the configured model. */
  endpoint: EmbeddingEndpoint | undefined;
}>;

export type ModelsInUse = Readonly<{
  /** Rejects only when the database cannot be read and never could. */
  inUse: () => Promise<ModelInUse>;
  close: () => Promise<void>;
}>;

export type ModelsInUseDeps = Readonly<{
  database: Sql;
  config: EmbedderConfig;
  /** The embedder of `config`. The caller closes it. */
  configured: Embedder;
  /** Milliseconds. */
  now: () => number;
}>;

/** How long a process may use a cached answer. */
export const IN_USE_FOR_MS = 1_000;

/** After an endpoint refused a replaced model as unknown, this process does not ask for that model for this long. */
const UNUSABLE_FOR_MS = 60_000;
const UNUSABLE: ReadonlySet<string> = new Set(['model_config', 'embedding_mismatch']);

/**
 * Says which embedding model is in use. The database decides (`embedding_models.state`), not the environment: a
 * newly configured model comes into use once all its vectors are built. Until then the previous one stays in use,
 * if this process can call it: always when it is the local model, otherwise when its address is the one configured
 * now. If not, the configured model is in use, incomplete.
 */
export function createModelsInUse(deps: ModelsInUseDeps): ModelsInUse {
  const { config, configured, now } = deps;
  const endpoint = endpointOf(config);
  const previous = new Map<string, Embedder>();
  const unusableUntil = new Map<string, number>();
  let active: { row: EmbeddingModelRow | undefined; readAt: number } | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const readAt = now();
    try {
      active = { row: await findActiveEmbeddingModel(deps.database), readAt };
    } catch (error) {
      if (active === undefined) throw error;
    }
  }

  async function findActive(): Promise<EmbeddingModelRow | undefined> {
    if (active === undefined || now() - active.readAt >= IN_USE_FOR_MS) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    }
    return active?.row;
  }

  function isConfigured(row: EmbeddingModelRow): boolean {
    // A size that the endpoint chose must not change: another size is a mistake, not another model.
    const choosesSize = config.provider === 'openai' && config.dimensions === undefined;
    if (choosesSize && row.id === `${config.model}@${row.dimensions}`) return true;
    return configured.profile?.id === row.id;
  }

  /** The embedder of a model other than the configured one; undefined when this process cannot call it. */
  function embedderOf(row: EmbeddingModelRow): Embedder | undefined {
    if ((unusableUntil.get(row.id) ?? 0) > now()) return undefined;
    const known = previous.get(row.id);
    if (known !== undefined) return known;
    const its = toConfig(row);
    if (its === undefined) return undefined;
    const embedder = createEmbedder(its);
    const noting = async <T>(call: Promise<T>): Promise<T> => {
      try {
        const value = await call;
        if (embedder.profile?.id === row.id) return value;
        throw new AppError('model_config', 'The replaced embedding model is not what it was.');
      } catch (error) {
        if (isAppError(error) && UNUSABLE.has(error.code)) unusableUntil.set(row.id, now() + UNUSABLE_FOR_MS);
        throw error;
      }
    };
    const guarded: Embedder = {
      get profile() {
        return embedder.profile;
      },
      loadProfile: (options) => noting(embedder.loadProfile(options)),
      isCached: embedder.isCached,
      embed: (texts, options) => noting(embedder.embed(texts, options)),
      load: embedder.load,
      isLoaded: embedder.isLoaded,
      close: embedder.close,
    };
    previous.set(row.id, guarded);
    return guarded;
  }

  function toConfig(row: EmbeddingModelRow): EmbedderConfig | undefined {
    if (row.id === LOCAL_EMBEDDING_PROFILE.id) return { provider: 'local' };
    if (config.provider === 'onnx') return toOnnxConfig(config, row);
    if (config.provider !== 'openai' || row.provider !== 'openai' || row.endpointModel === null)
      return undefined;
    if (row.endpointSha256 !== endpoint.endpointSha256) return undefined;
    // The same name with another size is the same model with a new setting.
    if (row.endpointModel === config.model && row.endpointDimensions === (config.dimensions ?? null))
      return undefined;
    const { thresholds: _, dimensions: __, ...same } = config;
    return {
      ...same,
      model: row.endpointModel,
      ...(row.endpointDimensions === null ? {} : { dimensions: row.endpointDimensions }),
    };
  }

  const ofConfigured = { embedder: configured, isLocal: runsHere(config.provider), endpoint };

  return {
    inUse: async () => {
      if (config.provider === 'none') return { ...ofConfigured, isComplete: true };
      const row = await findActive();
      if (row === undefined || isConfigured(row)) return { ...ofConfigured, isComplete: true };
      const embedder = embedderOf(row);
      if (embedder === undefined) return { ...ofConfigured, isComplete: false };
      const isLocal = row.id === LOCAL_EMBEDDING_PROFILE.id || runsHere(row.provider);
      return { embedder, isComplete: true, isLocal, endpoint: undefined };
    },
    close: async () => {
      await Promise.all([...previous.values()].map((embedder) => embedder.close()));
    },
  };
}

/** Whether a provider's models run in this process. */
function runsHere(provider: string | null): boolean {
  return provider === 'local' || provider === 'onnx';
}

/** Another model from ONNX files, by the name or folder that it was registered with; file and digest are not its own. */
function toOnnxConfig(
  config: Extract<EmbedderConfig, { provider: 'onnx' }>,
  row: EmbeddingModelRow,
): EmbedderConfig | undefined {
  if (row.provider !== 'onnx' || row.endpointModel === null || row.endpointModel === config.model)
    return undefined;
  const { thresholds: _, ...same } = config;
  return { ...same, model: row.endpointModel, file: null, sha256: null };
}
