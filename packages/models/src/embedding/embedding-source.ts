import type { EmbeddingProfile, SimilarityThresholds } from './embedding-profiles.ts';

/** Overrides for the thresholds of the model's profile. */
type Thresholds = Readonly<Partial<SimilarityThresholds>>;

/** Where vectors come from. Times in milliseconds; an empty `apiKey` sends no Authorization header. */
export type EmbedderConfig =
  | Readonly<{ provider: 'none' }>
  | Readonly<{ provider: 'local'; thresholds?: Thresholds }>
  | Readonly<{
      provider: 'openai';
      baseUrl: string;
      apiKey?: string;
      model: string;
      /** Vector size to request from the endpoint; undefined for the model's own. */
      dimensions?: number;
      timeoutMs: number;
      /** Texts per request. */
      batchSize: number;
      thresholds?: Thresholds;
    }>;

/** The parts that differ between providers; caching, batching, order and normalising are shared. */
export type EmbeddingSource = Readonly<{
  profile: () => EmbeddingProfile | null;
  batchSize: number;
  /** One vector per text, all of the profile's size, of any length. */
  embedBatch: (texts: readonly string[], signal?: AbortSignal) => Promise<ArrayLike<number>[]>;
  /** Loads a local model; undefined where nothing has to be loaded. */
  load?: () => Promise<void>;
  isLoaded?: () => boolean;
  close: () => Promise<void>;
}>;
