import type { Environment } from './environment.ts';

export type ChatModelConfig = Readonly<{
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Asked for in this order when `model` is not available. */
  fallbackModels: readonly string[];
  maxTokens: number;
  temperature: number;
  timeoutMs: number;
}>;

/** `model` is null where the server has only one. */
export type RerankConfig =
  | Readonly<{ provider: 'none' }>
  | Readonly<{
      provider: 'cohere' | 'jina' | 'tei';
      baseUrl: string;
      apiKey: string;
      model: string | null;
      timeoutMs: number;
      /** How many of the best candidates are sent. */
      topN: number;
    }>;

/** In place of the thresholds of the embedding model's profile. */
export type EmbeddingThresholds = Readonly<{
  minSimilarity?: number;
  relatedSimilarity?: number;
  duplicateSimilarity?: number;
}>;

export type EmbeddingConfig =
  | Readonly<{ provider: 'local'; thresholds?: EmbeddingThresholds }>
  | Readonly<{ provider: 'none' }>
  | Readonly<{
      provider: 'openai';
      baseUrl: string;
      apiKey: string;
      model: string;
      dimensions?: number;
      timeoutMs: number;
      batchSize: number;
      thresholds?: EmbeddingThresholds;
    }>;

/** Where chat completions go. */
export type ChatUpstreamConfig = Readonly<{
  name: string;
  baseUrl: string;
  /** Empty: the caller's own bearer token goes along. */
  apiKey: string;
  /** Turns remembering and recalling on for all chats with it (A13). */
  memory: boolean;
  /** Models it has, each a name or the beginning of names with `*`; empty: any. */
  models: readonly string[];
}>;

/**
 * What of an upstream can be called beside chat completions. `by_key`: everything where the caller's own key goes
 * along, only the list of models where a stored one does.
 */
export type PassThroughConfig = 'by_key' | 'all' | 'none' | readonly PassThroughRule[];

/** `*` is any method, any one segment, or, as the last of several, any rest of the path. */
export type PassThroughRule = Readonly<{ method: string; segments: readonly string[] }>;

/**
 * How long one statement of a class may take in the database:
 * - `search`: less than the 15 s that a gateway waits for retrieval, so that no statement runs for nobody;
 * - `list`: reading by id, lists, statistics. The caller waits, and can ask for less;
 * - `accept`: what a request stores: messages, a memory, a key. It may wait for a lock, and to give up costs the caller
 *   another try, so it is longer than for reading;
 * - `batch`: batches, documents, replays, deletions: hundreds of rows, still within a request;
 * - `maintenance`: work in the background and operator commands, for which no request waits.
 */
export type StatementClass = 'search' | 'list' | 'accept' | 'batch' | 'maintenance';

/** Where things are stored; null means embedded (Postgres) or the Postgres queue backend (Redis). */
type StorageConfig = Readonly<{
  dataDir: string;
  databaseUrl: string | null;
  poolMax: number;
  statementTimeoutsMs: Readonly<Record<StatementClass, number>>;
  redisUrl: string | null;
  queuePrefix: string;
}>;

export type AuthConfig = Readonly<{
  mode: 'required' | 'none';
  adminKey: string | null;
  defaultUserId: string;
}>;

/** What browsers may reach, on every port. */
type BrowsersConfig = Readonly<{
  /** Names that requests may come to; null with API keys: any. `ip` stands for addresses written as numbers. */
  hosts: readonly string[] | null;
  /** Origins of web pages that may call, beside our own. */
  origins: readonly string[];
}>;

/** Points a second (a read by id is about one); 0 is no limit. See docs/access.md. */
export type LimitsConfig = Readonly<{
  keyPerSecond: number;
  tenantPerSecond: number;
  /** How many seconds' worth may come at once in a minute, on top of that. */
  burstSeconds: number;
  /** Failed authentications of one address, or for one key, that are answered before it is refused. */
  authFailuresPerMinute: number;
  /** Proxies whose X-Forwarded-For is believed: how many, or which; false for none. */
  trustProxy: number | readonly string[] | false;
}>;

export type QueueLimits = Readonly<{ queueLimit: number; tenantQueueLimit: number }>;

/** When conversations are extracted. `dailyFlushAt` is `HH:MM` in `Config.timeZone`. */
type SchedulingConfig = Readonly<{
  preset: Environment['PRESET'];
  limits: QueueLimits;
  dailyFlushAt: string;
  staleAfterS: number;
}>;
/** A clock time; `weekday` 0 is Sunday, null every day. */
export type ClockTime = Readonly<{ weekday: number | null; hour: number; minute: number }>;

/** When memories are compressed; null for never. */
export type CompressionConfig = Readonly<{ daily: ClockTime | null; weekly: ClockTime | null }>;

export type Config = Readonly<{
  host: string;
  /** An IANA name; what happens at a time of day goes by it. */
  timeZone: string;
  /** Whether stored messages are made searchable, and searched unless a search says otherwise. */
  searchTurns: boolean;
  logLevel: Environment['LOG_LEVEL'];
  telemetry: Readonly<{ otlpEndpoint: string | null }>;
  storage: StorageConfig;
  auth: AuthConfig;
  limits: LimitsConfig;
  browsers: BrowsersConfig;
  /** Of every process that listens. */
  http: Readonly<{ bodyTimeoutMs: number; maxConnections: number }>;
  shutdownGraceMs: number;
  embedding: EmbeddingConfig;
  scheduling: SchedulingConfig;
  gateway: Readonly<{
    port: number;
    retrievalUrl: string;
    maxBodyBytes: number;
    /** What all large bodies that are read may hold in memory together. */
    bodyBudgetBytes: number;
    bullBoardWritable: boolean;
    chat: Readonly<{
      upstreams: readonly ChatUpstreamConfig[];
      passThrough: PassThroughConfig;
      contextFormat: Environment['CHAT_CONTEXT_FORMAT'];
      memoryTimeoutMs: number;
      timeoutMs: number;
      maxBodyBytes: number;
      /** Exchanges with upstreams that one API key may have open at once. */
      streamsPerKey: number;
    }>;
  }>;
  retrieval: Readonly<{
    port: number;
    maxBodyBytes: number;
    bodyBudgetBytes: number;
    /** How searches are answered that name no mode; null for a mode nobody knows, which means classic (C11). */
    searchMode: SearchMode | 'of-preset' | null;
    preset: Environment['PRESET'];
    rerank: RerankConfig;
  }>;
  extractor: Readonly<{
    port: number;
    /** Folder of prompt templates that replace ours. */
    promptsDir: string | null;
    /** Whether the rules keep notes in the user's own words. */
    keepsOwnWords: boolean;
    concurrency: number;
    chatModel: ChatModelConfig | null;
    maxAttempts: number;
    retry: Readonly<{ strategy: 'fixed' | 'exponential'; intervalMs: number; maxIntervalMs: number }>;
    /** Least time between two tries of a provider that is down, over all extractors. */
    probeIntervalMs: number;
    sweepIntervalMs: number;
    sweepGraceMs: number;
    deletedRetentionDays: number;
    compression: CompressionConfig;
  }>;
}>;

/** As in the REST contract. */
export const SEARCH_MODES = ['fused', 'enhanced', 'classic', 'vector'] as const;
type SearchMode = (typeof SEARCH_MODES)[number];
