import type { OnnxConfig } from '../onnx/onnx-model.ts';
import type { EmbeddingProfile, SimilarityThresholds } from './embedding-profiles.ts';

/** Overrides for the thresholds of the model's profile. */
type Thresholds = Readonly<Partial<SimilarityThresholds>>;

/** What a call of an endpoint took, by its own figures. */
export type EmbeddingUsage = Readonly<{ model: string; tokens: number }>;

/** Where vectors come from. Times in milliseconds; an empty `apiKey` sends no Authorization header. */
export type EmbedderConfig =
  | Readonly<{ provider: 'none' }>
  | Readonly<{ provider: 'local'; thresholds?: Thresholds }>
  | (OnnxConfig & Readonly<{ provider: 'onnx'; batchSize: number; thresholds?: Thresholds }>)
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

/** What a text is: some models are trained with different prefixes for what is asked and what is found. */
export type TextRole = 'query' | 'passage';

/** The parts that differ between providers; caching, batching, order and normalising are shared. */
export type EmbeddingSource = Readonly<{
  profile: () => EmbeddingProfile | null;
  batchSize: number;
  /** Whether the vector of a query differs from that of the same text as a passage. */
  tellsQueries?: boolean;
  /** One vector per text, all of the profile's size, of any length. */
  embedBatch: (
    texts: readonly string[],
    options: Readonly<{
      as: TextRole;
      signal: AbortSignal | undefined;
      /** Called for each reply of an endpoint. */
      onUsage?: ((usage: EmbeddingUsage) => void) | undefined;
    }>,
  ) => Promise<ArrayLike<number>[]>;
  /** Loads a local model; undefined where nothing has to be loaded. */
  load?: () => Promise<void>;
  isLoaded?: () => boolean;
  close: () => Promise<void>;
}>;
