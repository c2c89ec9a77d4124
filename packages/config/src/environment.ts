import { isIP } from 'node:net';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const positiveInt = z.coerce.number().int().min(1);
const nonNegativeInt = z.coerce.number().int().min(0);
const similarity = z.coerce.number().min(0).max(1);
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an http or https address, for example http://127.0.0.1:11434/v1',
});

/** A comma-separated list. */
function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const hostName = z
  .string()
  .regex(/^(?:\[[\da-f:.]+\]|[\w.-]+)$/i, 'must be host names without ports, such as factmill.local')
  .transform((name) => name.toLowerCase());

const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text && text !== 'null',
    'must be origins such as https://app.example.com',
  );

const PROXY_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** How many proxies stand before the gateway, or their addresses and networks. */
const trustedProxies = z
  .string()
  .regex(/^(?:\d{1,2}|(?:[\w:.]+(?:\/\d{1,3})?)(?:\s*,\s*[\w:.]+(?:\/\d{1,3})?)*)$/)
  .transform((text) => (/^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())))
  .refine((value) => typeof value === 'number' || value.every(isProxy), {
    error: 'must be a number of proxies, or addresses and networks such as 10.0.0.0/8, separated by commas',
  });

function isProxy(name: string): boolean {
  const [address = '', bits] = name.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return PROXY_NETWORKS.has(name) || (isIP(address) !== 0 && (bits === undefined || Number(bits) <= most));
}

/** Chat upstreams beside the first one, as JSON. */
const chatUpstreams = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,64}$/),
        base_url: httpUrl,
        api_key: z.string().default(''),
        memory: z.boolean().default(false),
        models: z.array(z.string().min(1)).min(1),
      }),
    ),
  );

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RULE = new RegExp(String.raw`^(\*|${METHODS.join('|')}) /v1((?:/(?:[\w.-]+|\*))+)$`);

/** `all`, `none`, or rules of method and path: `*` is any method, any one segment, or, last, the rest of a path. */
const passThrough = z.string().transform((text, context) => {
  if (text === 'all' || text === 'none') return text;
  return text.split(',').map((rule) => {
    const [, method, path] = RULE.exec(rule.trim()) ?? [];
    if (method === undefined || path === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be all, none or rules such as POST /v1/embeddings, GET /v1/files/*',
      });
      return z.NEVER;
    }
    return { method, segments: path.split('/').slice(1) };
  });
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * Every environment variable that Factmill reads, with its rule and default. `.env.example` and the table in
 * README.md are tested against this list. An empty value counts as not set.
 */
export const environmentSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  GATEWAY_PORT: port.default(8080),
  RETRIEVAL_PORT: port.default(8081),
  EXTRACTOR_PORT: port.default(8082),
  RETRIEVAL_URL: httpUrl.optional(),

  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be postgres://user:password@host:5432/database',
    })
    .optional(),
  DATABASE_POOL_MAX: positiveInt.max(500).default(10),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be redis://:password@host:6379, or rediss:// for TLS' })
    .optional(),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores')
    .default('factmill'),

  AUTH: z.enum(['required', 'none']).optional(),
  ALLOWED_HOSTS: z.string().transform(listOf).pipe(z.array(hostName)).optional(),
  ALLOWED_ORIGINS: z.string().transform(listOf).pipe(z.array(origin)).optional(),
  ADMIN_API_KEY: z.string().min(24).max(256).optional(),
  DEFAULT_USER_ID: z.string().min(1).max(256).default('unknown'),
  TRUST_PROXY: trustedProxies.optional(),
  RATE_LIMIT_KEY: nonNegativeInt.default(500),
  RATE_LIMIT_TENANT: nonNegativeInt.default(1_000),
  RATE_LIMIT_BURST_S: nonNegativeInt.max(60).default(10),
  AUTH_FAILURES_PER_MINUTE: nonNegativeInt.default(100),
  BULL_BOARD_WRITABLE: flag.default(false),
  MAX_BODY_BYTES: positiveInt.max(64 * 1024 * 1024).default(4 * 1024 * 1024),
  BODY_BUDGET_BYTES: positiveInt.default(64 * 1024 * 1024),

  LLM_BASE_URL: httpUrl.optional(),
  LLM_API_KEY: z.string().default(''),
  LLM_MODEL: z.string().min(1).optional(),
  LLM_FALLBACK_MODELS: z.string().default(''),
  LLM_MAX_TOKENS: positiveInt.default(512),
  LLM_TEMPERATURE: z.coerce.number().min(0).max(2).default(0.1),
  LLM_TIMEOUT_MS: positiveInt.default(60_000),

  CHAT_BASE_URL: httpUrl.optional(),
  CHAT_API_KEY: z.string().optional(),
  CHAT_MEMORY: flag.default(false),
  CHAT_UPSTREAMS: chatUpstreams.optional(),
  CHAT_PASS_THROUGH: passThrough.optional(),
  CHAT_CONTEXT_FORMAT: z.enum(['facts', 'section', 'summary', 'augmented']).default('augmented'),
  CHAT_MEMORY_TIMEOUT_MS: positiveInt.default(300),
  CHAT_TIMEOUT_MS: positiveInt.default(600_000),
  CHAT_MAX_BODY_BYTES: positiveInt.default(32 * 1024 * 1024),
  CHAT_STREAMS_PER_KEY: positiveInt.max(10_000).default(200),

  EMBEDDING_PROVIDER: z.enum(['local', 'openai', 'none']).optional(),
  EMBEDDING_BASE_URL: httpUrl.optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  EMBEDDING_MODEL: z.string().min(1).optional(),
  EMBEDDING_DIMENSIONS: positiveInt.max(4_000).optional(),
  EMBEDDING_TIMEOUT_MS: positiveInt.default(30_000),
  EMBEDDING_BATCH_SIZE: positiveInt.max(2_048).default(16),
  EMBEDDING_MIN_SIMILARITY: similarity.optional(),
  EMBEDDING_RELATED_SIMILARITY: similarity.optional(),
  EMBEDDING_DUPLICATE_SIMILARITY: similarity.optional(),

  SEARCH_MODE: z.string().optional(),
  RERANK_PROVIDER: z.enum(['none', 'cohere', 'jina', 'tei']).default('none'),
  RERANK_BASE_URL: httpUrl.optional(),
  RERANK_API_KEY: z.string().default(''),
  RERANK_MODEL: z.string().min(1).optional(),
  RERANK_TIMEOUT_MS: positiveInt.default(1_000),
  RERANK_TOP_N: positiveInt.max(200).default(20),

  PRESET: z
    .enum(['standard', 'facts-and-context', 'single-fact', 'tiered', 'categorised', 'reconciled'])
    .default('standard'),
  PROMPTS_DIR: z.string().min(1).optional(),
  DAILY_FLUSH_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM, for example 03:00')
    .default('03:00'),
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })
    .default('UTC'),
  STALE_AFTER_S: nonNegativeInt.max(30 * 86_400).default(1_800),
  EXTRACTOR_CONCURRENCY: positiveInt.max(1_000).default(10),
  MAX_ATTEMPTS: positiveInt.max(100).default(5),
  RETRY_STRATEGY: z.enum(['fixed', 'exponential']).default('fixed'),
  RETRY_INTERVAL_MS: positiveInt.default(5_000),
  RETRY_MAX_INTERVAL_MS: positiveInt.default(300_000),
  BREAKER_PROBE_INTERVAL_MS: positiveInt.max(3_600_000).default(5_000),
  QUEUE_LIMIT: nonNegativeInt.default(0),
  QUEUE_TENANT_LIMIT: nonNegativeInt.default(0),
  SWEEP_INTERVAL_MS: positiveInt.default(2_000),
  SWEEP_GRACE_MS: positiveInt.default(5_000),
  DELETED_RETENTION_DAYS: nonNegativeInt.default(30),
  SHUTDOWN_GRACE_MS: nonNegativeInt.default(10_000),

  COMPRESS_DAILY_AT: z
    .string()
    .regex(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/, 'must be HH:MM, for example 03:00, or off')
    .default('03:00'),
  COMPRESS_WEEKLY_AT: z
    .string()
    .regex(
      /^(?:off|(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday) (?:[01]\d|2[0-3]):[0-5]\d)$/,
      'must be a weekday and HH:MM, for example monday 04:00, or off',
    )
    .default('monday 04:00'),

  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
});

export type Environment = z.infer<typeof environmentSchema>;
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(environmentSchema.shape);
