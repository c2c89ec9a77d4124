import {
  type AuthConfig,
  type ChatModelConfig,
  type ChatUpstreamConfig,
  type ClockTime,
  type Config,
  type VaultConfig,
  SEARCH_MODES,
} from './config.ts';
import { databaseAddress } from './database-config.ts';
import type { Environment } from './environment.ts';
import { apiRoot, embeddingConfig, rerankConfig } from './model-config.ts';
import { parseEnvironment, type RawEnvironment } from './parse-environment.ts';
import { redisConfig } from './redis-config.ts';

const WILDCARDS = new Set(['0.0.0.0', '::']);
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Whether this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/**
 * Environment → configuration of all services. The only reader of the environment; pure.
 *
 * @throws AppError `config_invalid` naming every bad variable and its rule, never a value.
 */
export function loadConfig(raw: RawEnvironment): Config {
  const env = parseEnvironment(raw);
  return deepFreeze({
    host: env.HOST,
    timeZone: env.TIME_ZONE,
    searchTurns: env.SEARCH_TURNS,
    logLevel: env.LOG_LEVEL,
    telemetry: { otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null },
    modelPrices: env.MODEL_PRICES ?? {},
    importOpenClawDir: env.IMPORT_OPENCLAW_DIR ?? null,
    storage: {
      dataDir: env.DATA_DIR,
      databaseUrl: databaseAddress(env.DATABASE_URL, env),
      readUrl: databaseAddress(env.DATABASE_READ_URL, env),
      // DATABASE_PASSWORD is of the other user.
      ownerUrl: databaseAddress(env.DATABASE_OWNER_URL, {}),
      poolMax: env.DATABASE_POOL_MAX,
      preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
      statementTimeoutsMs: {
        search: env.STATEMENT_TIMEOUT_SEARCH_MS,
        list: env.STATEMENT_TIMEOUT_LIST_MS,
        accept: env.STATEMENT_TIMEOUT_ACCEPT_MS,
        batch: env.STATEMENT_TIMEOUT_BATCH_MS,
        maintenance: env.STATEMENT_TIMEOUT_MAINTENANCE_MS,
      },
      ...redisConfig(env),
    },
    auth: {
      mode: authMode(env),
      adminKey: env.ADMIN_API_KEY ?? null,
      defaultUserId: env.DEFAULT_USER_ID,
    },
    browsers: {
      hosts: authMode(env) === 'none' ? hostsWithoutKeys(env) : null,
      origins: env.ALLOWED_ORIGINS ?? [],
    },
    limits: {
      keyPerSecond: env.RATE_LIMIT_KEY,
      tenantPerSecond: env.RATE_LIMIT_TENANT,
      burstSeconds: env.RATE_LIMIT_BURST_S,
      authFailuresPerMinute: env.AUTH_FAILURES_PER_MINUTE,
      trustProxy: env.TRUST_PROXY ?? false,
    },
    console: { isEnabled: env.CONSOLE, isWritable: env.CONSOLE_WRITABLE },
    http: { bodyTimeoutMs: env.BODY_TIMEOUT_MS, maxConnections: env.MAX_CONNECTIONS },
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    embedding: embeddingConfig(env),
    scheduling: {
      preset: env.PRESET,
      limits: { queueLimit: env.QUEUE_LIMIT, tenantQueueLimit: env.QUEUE_TENANT_LIMIT },
      dailyFlushAt: env.DAILY_FLUSH_AT,
      staleAfterS: env.STALE_AFTER_S,
    },
    events: { retentionDays: env.EVENTS_RETENTION_DAYS },
    webhooks: { privateNetworks: env.WEBHOOKS_PRIVATE_NETWORKS },
    gateway: gatewayConfig(env),
    retrieval: retrievalConfig(env),
    extractor: extractorConfig(env),
  });
}

function gatewayConfig(env: Environment): Config['gateway'] {
  return {
    port: env.GATEWAY_PORT,
    retrievalUrls: (env.RETRIEVAL_URL ?? [`http://127.0.0.1:${env.RETRIEVAL_PORT}`]).map((url) =>
      url.replace(/(?<!\/)\/+$/, ''),
    ),
    maxBodyBytes: env.MAX_BODY_BYTES,
    bodyBudgetBytes: env.BODY_BUDGET_BYTES,
    bullBoardWritable: env.BULL_BOARD_WRITABLE,
    chat: {
      upstreams: chatUpstreams(env),
      passThrough: env.CHAT_PASS_THROUGH ?? 'by_key',
      contextFormat: env.CHAT_CONTEXT_FORMAT ?? null,
      memoryTimeoutMs: env.CHAT_MEMORY_TIMEOUT_MS,
      timeoutMs: env.CHAT_TIMEOUT_MS,
      maxBodyBytes: env.CHAT_MAX_BODY_BYTES,
      streamsPerKey: env.CHAT_STREAMS_PER_KEY,
    },
  };
}

function retrievalConfig(env: Environment): Config['retrieval'] {
  return {
    port: env.RETRIEVAL_PORT,
    maxBodyBytes: env.MAX_BODY_BYTES,
    bodyBudgetBytes: env.BODY_BUDGET_BYTES,
    searchMode:
      env.SEARCH_MODE === undefined
        ? 'of-preset'
        : (SEARCH_MODES.find((mode) => mode === env.SEARCH_MODE) ?? null),
    preset: env.PRESET,
    memory: {
      topK: env.MEMORY_TOP_K,
      recencyWeight: env.MEMORY_RECENCY_WEIGHT,
      scoreThreshold: env.MEMORY_SCORE_THRESHOLD,
      mmrLambda: env.MEMORY_MMR_LAMBDA,
    },
    rerank: rerankConfig(env),
    queryTimeoutMs: env.EMBEDDING_QUERY_TIMEOUT_MS,
  };
}

function extractorConfig(env: Environment): Config['extractor'] {
  return {
    port: env.EXTRACTOR_PORT,
    enabled: env.EXTRACTION_ENABLED,
    promptsDir: env.PROMPTS_DIR ?? null,
    keepsOwnWords: env.KEEP_OWN_WORDS,
    maxEntries: env.MEMORY_MAX_ENTRIES,
    summaries: env.MEMORY_SUMMARIES,
    concurrency: env.EXTRACTOR_CONCURRENCY,
    chatModel: chatModelConfig(env),
    maxAttempts: env.MAX_ATTEMPTS,
    retry: {
      strategy: env.RETRY_STRATEGY,
      intervalMs: env.RETRY_INTERVAL_MS,
      maxIntervalMs: env.RETRY_MAX_INTERVAL_MS,
    },
    probeIntervalMs: env.BREAKER_PROBE_INTERVAL_MS,
    sweepIntervalMs: env.SWEEP_INTERVAL_MS,
    sweepGraceMs: env.SWEEP_GRACE_MS,
    deletedRetentionDays: env.DELETED_RETENTION_DAYS,
    compression: {
      daily: clockTime(env.COMPRESS_DAILY_AT),
      weekly: clockTime(env.COMPRESS_WEEKLY_AT),
    },
    vault: vaultConfig(env),
  };
}

function vaultConfig(env: Environment): VaultConfig | null {
  if (env.VAULT_DIR === undefined) return null;
  return {
    dir: env.VAULT_DIR,
    tenant: env.VAULT_TENANT,
    maxFiles: env.VAULT_MAX_FILES,
    scanIntervalMs: env.VAULT_SCAN_S * 1_000,
  };
}

function authMode(env: Environment): AuthConfig['mode'] {
  return env.AUTH ?? (isLoopback(env.HOST) ? 'none' : 'required');
}

/** A service on all addresses does not know its own names. Numeric addresses are safe: DNS cannot rebind them. */
function hostsWithoutKeys({ HOST: host, ALLOWED_HOSTS: allowed }: Environment): string[] {
  const own = WILDCARDS.has(host) ? 'ip' : host.includes(':') ? `[${host}]` : host;
  return [...new Set(['localhost', '127.0.0.1', '[::1]', own.toLowerCase(), ...(allowed ?? [])])];
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** `HH:MM`, with a weekday before it or not; `off` is null. */
function clockTime(text: string): ClockTime | null {
  if (text === 'off') return null;
  const [hour = 0, minute = 0] = text.slice(-5).split(':').map(Number);
  const weekday = WEEKDAYS.indexOf(text.slice(0, -6));
  return { weekday: weekday < 0 ? null : weekday, hour, minute };
}

function chatModelConfig(env: Environment): ChatModelConfig | null {
  if (env.LLM_BASE_URL === undefined || env.LLM_MODEL === undefined) return null;
  return {
    baseUrl: apiRoot(env.LLM_BASE_URL),
    apiKey: env.LLM_API_KEY,
    model: env.LLM_MODEL,
    fallbackModels: env.LLM_FALLBACK_MODELS.split(',')
      .map((model) => model.trim())
      .filter((model) => model !== ''),
    contextTokens: env.LLM_CONTEXT_TOKENS,
    maxTokens: env.LLM_MAX_TOKENS,
    temperature: env.LLM_TEMPERATURE,
    timeoutMs: env.LLM_TIMEOUT_MS,
  };
}

/** The extraction endpoint also serves chats, unless another one is configured. */
function chatUpstreams(env: Environment): ChatUpstreamConfig[] {
  const baseUrl = env.CHAT_BASE_URL ?? env.LLM_BASE_URL;
  const fallbackKey = env.CHAT_BASE_URL === undefined ? env.LLM_API_KEY : '';
  const first =
    baseUrl === undefined
      ? []
      : [
          {
            name: 'default',
            baseUrl: apiRoot(baseUrl),
            apiKey: env.CHAT_API_KEY ?? fallbackKey,
            memory: env.CHAT_MEMORY ?? null,
            preset: env.CHAT_PRESET ?? null,
            models: [],
          },
        ];
  const more = (env.CHAT_UPSTREAMS ?? []).map(({ base_url: url, api_key: apiKey, ...upstream }) => ({
    ...upstream,
    memory: upstream.memory ?? null,
    preset: upstream.preset ?? null,
    baseUrl: apiRoot(url),
    apiKey,
  }));
  return [...more, ...first];
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null) deepFreeze(child as object);
  }
  return Object.freeze(value);
}
