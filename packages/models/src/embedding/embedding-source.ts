import type { EmbeddingProfile, SimilarityThresholds } from './embedding-profiles.ts';

/** In place of those of the model's profile. */
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
      /** Vector size to ask the endpoint for; leave out for the model's own. */
      dimensions?: number;
      timeoutMs: number;
      /** Texts per request. */
      batchSize: number;
      thresholds?: Thresholds;
    }>;

/** What a provider has to bring; caching, batching, order and normalising are the same for all. */
export type EmbeddingSource = Readonly<{
  profile: () => EmbeddingProfile | null;
  batchSize: number;
  /** One vector per text, all of the profile's size, of any length. */
  embedBatch: (texts: readonly string[], signal?: AbortSignal) => Promise<ArrayLike<number>[]>;
  /** Gets a model of this process ready; left out where nothing has to be loaded. */
  load?: () => Promise<void>;
  isLoaded?: () => boolean;
  close: () => Promise<void>;
}>;
