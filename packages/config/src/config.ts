import type { Environment } from './environment.ts';
import type { ModelPrices } from './model-prices.ts';

export type ChatModelConfig = Readonly<{
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Asked for in this order when `model` is not available. */
  fallbackModels: readonly string[];
  /** Of prompt and reply together. */
  contextTokens: number;
  maxTokens: number;
  temperature: number;
  timeoutMs: number;
}>;

/** A model that runs in the process, from files in a folder or of the hub. */
type OnnxConfig = Readonly<{
  provider: 'onnx';
  model: string;
  /** The model's file below its folder; null to look for it. */
  file: string | null;
  /** What the model's file must have; null for anything. */
  sha256: string | null;
  modelsDir: string;
  hubUrl: string;
  /** Processor threads of one model. */
  threads: number;
  timeoutMs: number;
}>;

/** `model` is null where the server has only one. */
export type RerankConfig =
  | Readonly<{ provider: 'none' }>
  | (OnnxConfig & Readonly<{ topN: number }>)
  | Readonly<{
      provider: 'cohere' | 'jina' | 'tei';
      baseUrl: string;
      apiKey: string;
      model: string | null;
      timeoutMs: number;
      /** How many of the best candidates are sent. */
      topN: number;
    }>;

/** Overrides for the thresholds of the embedding model's profile. */
export type EmbeddingThresholds = Readonly<{
  minSimilarity?: number;
  relatedSimilarity?: number;
  duplicateSimilarity?: number;
}>;

export type EmbeddingConfig =
  | Readonly<{ provider: 'local'; thresholds?: EmbeddingThresholds }>
  | Readonly<{ provider: 'none' }>
  | (OnnxConfig & Readonly<{ batchSize: number; thresholds?: EmbeddingThresholds }>)
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

/** An upstream of chat completions. */
export type ChatUpstreamConfig = Readonly<{
  name: string;
  baseUrl: string;
  /** Empty: the caller's own bearer token is forwarded. */
  apiKey: string;
  /** Whether chats with this upstream store turns and use memories (A13); null: as the preset has it. */
  memory: boolean | null;
  /** Null: that of the deployment. */
  preset: Environment['PRESET'] | null;
  /** Models it has, each a name or the beginning of names with `*`; empty: any. */
  models: readonly string[];
}>;

/**
 * Which further paths of an upstream may be called. `by_key`: all of them when the caller's own key is forwarded,
 * only the list of models when a stored key is used.
 */
export type PassThroughConfig = 'by_key' | 'all' | 'none' | readonly PassThroughRule[];

/** `*` matches any method, any one segment, or, as the last segment, any rest of the path. */
export type PassThroughRule = Readonly<{ method: string; segments: readonly string[] }>;

/**
 * Time limit of one statement in the database, by class:
 * - `search`: below the 15 s that a gateway waits for retrieval, so that no statement outlives its caller;
 * - `list`: reads by id, lists, statistics; the caller can ask for less;
 * - `accept`: writes of one request: messages, a memory, a key. They may wait for a lock, and a timeout costs the
 *   caller a retry, so the limit is longer than for reads;
 * - `batch`: batches, documents, replays, deletions: hundreds of rows within one request;
 * - `maintenance`: background work and operator commands; no request waits for them.
 */
export type StatementClass = 'search' | 'list' | 'accept' | 'batch' | 'maintenance';

/** Where Redis is, as `RedisAddress` of packages/redis. */
type RedisConfig = Readonly<{
  url: string;
  mode: 'single' | 'sentinel' | 'cluster';
  sentinelMaster: string;
  sentinelPassword: string | undefined;
  tls: Readonly<{ ca: string | undefined; cert: string | undefined; key: string | undefined }>;
}>;

/** Storage addresses; null means embedded (Postgres) or the Postgres queue backend (Redis). */
type StorageConfig = Readonly<{
  dataDir: string;
  databaseUrl: string | null;
  /** Of a replica for searches; null without one. */
  readUrl: string | null;
  /** For migrating, where the user of `databaseUrl` does not own the tables. */
  ownerUrl: string | null;
  poolMax: number;
  preparedStatements: boolean;
  statementTimeoutsMs: Readonly<Record<StatementClass, number>>;
  redis: RedisConfig | null;
  /** Of every key in Redis; in braces for a cluster. */
  queuePrefix: string;
}>;

export type AuthConfig = Readonly<{
  mode: 'required' | 'none';
  adminKey: string | null;
  defaultUserId: string;
}>;

/** What browsers may reach, on every port. */
type BrowsersConfig = Readonly<{
  /** Host names that requests may use; null with API keys: any. `ip` stands for addresses written as numbers. */
  hosts: readonly string[] | null;
  /** Origins of web pages that may call, beside our own. */
  origins: readonly string[];
}>;

/** Points a second (a read by id is about one); 0 is no limit. See docs/access.md. */
export type LimitsConfig = Readonly<{
  keyPerSecond: number;
  tenantPerSecond: number;
  /** A caller may spend this many seconds' worth of points at once, on top of the rate. */
  burstSeconds: number;
  /** Failed authentications per address or key before further ones are refused. */
  authFailuresPerMinute: number;
  /** Which proxies may set X-Forwarded-For: a number of hops, or addresses; false for none. */
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
  /** An IANA name; times of day are in this zone. */
  timeZone: string;
  /** Whether stored messages are made searchable, and searched unless a search says otherwise. */
  searchTurns: boolean;
  logLevel: Environment['LOG_LEVEL'];
  telemetry: Readonly<{ otlpEndpoint: string | null }>;
  modelPrices: ModelPrices;
  /** Folder that is imported while nothing is stored; null for none. */
  importOpenClawDir: string | null;
  storage: StorageConfig;
  auth: AuthConfig;
  limits: LimitsConfig;
  browsers: BrowsersConfig;
  /** Whether browsers have the console, and whether it may change anything. */
  console: Readonly<{ isEnabled: boolean; isWritable: boolean }>;
  /** Of every process that listens. */
  http: Readonly<{ bodyTimeoutMs: number; maxConnections: number }>;
  shutdownGraceMs: number;
  embedding: EmbeddingConfig;
  scheduling: SchedulingConfig;
  events: Readonly<{ retentionDays: number }>;
  /** Whether webhooks may lead into private networks, and over http. */
  webhooks: Readonly<{ privateNetworks: boolean }>;
  gateway: Readonly<{
    port: number;
    /** One, or several processes of it. */
    retrievalUrls: readonly string[];
    maxBodyBytes: number;
    /** What all large bodies that are read may hold in memory together. */
    bodyBudgetBytes: number;
    bullBoardWritable: boolean;
    chat: Readonly<{
      upstreams: readonly ChatUpstreamConfig[];
      passThrough: PassThroughConfig;
      /** Null: as the preset has it. */
      contextFormat: NonNullable<Environment['CHAT_CONTEXT_FORMAT']> | null;
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
    /** The default search mode; null when a configured mode is unknown, which means classic (C11). */
    searchMode: SearchMode | 'of-preset' | null;
    preset: Environment['PRESET'];
    /** Numbers in place of those of presets; undefined: the preset's. */
    memory: Readonly<{
      topK: number | undefined;
      recencyWeight: number | undefined;
      scoreThreshold: number | undefined;
      mmrLambda: number | undefined;
    }>;
    rerank: RerankConfig;
    /** How long a search waits for the vector of its query. */
    queryTimeoutMs: number;
  }>;
  extractor: Readonly<{
    port: number;
    /** Whether anything is extracted; what is accepted waits otherwise. */
    enabled: boolean;
    /** Folder of prompt templates that replace ours. */
    promptsDir: string | null;
    /** Whether the rules keep notes in the user's own words. */
    keepsOwnWords: boolean;
    /** In place of the preset's; undefined: the preset's. */
    maxEntries: number | undefined;
    summaries: boolean | undefined;
    concurrency: number;
    chatModel: ChatModelConfig | null;
    maxAttempts: number;
    retry: Readonly<{ strategy: 'fixed' | 'exponential'; intervalMs: number; maxIntervalMs: number }>;
    /** Minimum time between two probes of a provider that is down, over all extractors. */
    probeIntervalMs: number;
    sweepIntervalMs: number;
    sweepGraceMs: number;
    deletedRetentionDays: number;
    compression: CompressionConfig;
    /** Null for none. */
    vault: VaultConfig | null;
  }>;
}>;

/** A folder of Markdown files, one per memory of a tenant. */
export type VaultConfig = Readonly<{
  dir: string;
  /** By name. */
  tenant: string;
  maxFiles: number;
  scanIntervalMs: number;
}>;

/** As in the REST contract. */
export const SEARCH_MODES = ['fused', 'enhanced', 'classic', 'vector'] as const;
type SearchMode = (typeof SEARCH_MODES)[number];
