import { describe, expect, test } from '@jest/globals';
import { isAppError } from '@factmill/errors';
import type { Config } from './config.ts';
import { loadConfig } from './load-config.ts';
import type { RawEnvironment } from './parse-environment.ts';

function problemsOf(environment: RawEnvironment): { names: string[]; message: string } {
  try {
    loadConfig(environment);
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toBe('config_invalid');
    return {
      names: error.fields.map(({ field }) => field).sort(),
      message: JSON.stringify([error.message, error.fields]),
    };
  }
  throw new Error('the configuration was accepted');
}

describe('defaults', () => {
  test('an empty environment is a whole configuration: embedded, local, without a model', () => {
    const config = loadConfig({});
    expect(config.storage).toMatchObject({
      databaseUrl: null,
      ownerUrl: null,
      redis: null,
      dataDir: './data',
      queuePrefix: 'factmill',
    });
    expect(config.auth).toEqual({ mode: 'none', adminKey: null, defaultUserId: 'unknown' });
    expect(config.embedding).toEqual({ provider: 'local' });
    expect(config.extractor.chatModel).toBeNull();
    expect(config.gateway).toMatchObject({
      port: 8080,
      retrievalUrls: ['http://127.0.0.1:8081'],
      bullBoardWritable: false,
    });
    expect(config.scheduling).toEqual({
      preset: 'standard',
      limits: { queueLimit: 0, tenantQueueLimit: 0 },
      dailyFlushAt: '02:30',
      staleAfterS: 1_800,
    });
    expect(config.timeZone).toBe('UTC');
    expect(config.extractor.retry).toEqual({ strategy: 'fixed', intervalMs: 5_000, maxIntervalMs: 300_000 });
  });

  test('what waits is flushed half an hour before the events of the day are compressed', () => {
    const { scheduling, extractor } = loadConfig({});
    const [hour = 0, minute = 0] = scheduling.dailyFlushAt.split(':').map(Number);
    const { daily } = extractor.compression;
    expect((daily?.hour ?? 0) * 60 + (daily?.minute ?? 0) - (hour * 60 + minute)).toBe(30);
  });

  test('an empty value counts as not set', () => {
    expect(loadConfig({ GATEWAY_PORT: '', REDIS_URL: '', LLM_BASE_URL: '', AUTH: '' })).toEqual(
      loadConfig({}),
    );
  });

  test.each([
    ['127.0.0.1', 'none'],
    ['localhost', 'none'],
    ['::1', 'none'],
    ['0.0.0.0', 'required'],
    ['::', 'required'],
    ['192.0.2.7', 'required'],
  ])('bound to %s, authentication is %s', (HOST, mode) => {
    expect(loadConfig({ HOST }).auth.mode).toBe(mode);
    expect(loadConfig({ HOST, AUTH: 'required' }).auth.mode).toBe('required');
    expect(loadConfig({ HOST, AUTH: 'none' }).auth.mode).toBe('none');
  });

  test('retrieval is found on its port, or where RETRIEVAL_URL says', () => {
    const urls = (environment: RawEnvironment) => loadConfig(environment).gateway.retrievalUrls;
    expect(urls({ RETRIEVAL_PORT: '9001' })).toEqual(['http://127.0.0.1:9001']);
    expect(urls({ RETRIEVAL_URL: 'http://retrieval:8081/' })).toEqual(['http://retrieval:8081']);
    expect(urls({ RETRIEVAL_URL: 'http://a:1/, http://b:2' })).toEqual(['http://a:1', 'http://b:2']);
    expect(problemsOf({ RETRIEVAL_URL: 'http://a:1,b:2' }).names).toEqual(['RETRIEVAL_URL']);
  });
});

describe('passwords', () => {
  const storage = (environment: RawEnvironment) => loadConfig(environment).storage;
  const odd = 'p@ss/w%rd: #1';

  test('a password of its own goes into an address as it is, unless that has one', () => {
    const { databaseUrl, redis } = storage({
      DATABASE_URL: 'postgres://app@db.test:5432/factmill?connect_timeout=5',
      DATABASE_PASSWORD: odd,
      REDIS_URL: 'redis://redis.test:6379/1',
      REDIS_PASSWORD: odd,
    });
    expect(databaseUrl).toBe(
      `postgres://app:${encodeURIComponent(odd)}@db.test:5432/factmill?connect_timeout=5`,
    );
    expect(redis?.url).toBe(`redis://:${encodeURIComponent(odd)}@redis.test:6379/1`);
    const own = { DATABASE_URL: 'postgres://a:own@db.test/b', REDIS_URL: 'redis://:own@redis.test' };
    expect(storage({ ...own, DATABASE_PASSWORD: odd, REDIS_PASSWORD: odd })).toEqual(storage(own));
    expect(storage({ DATABASE_PASSWORD: odd }).databaseUrl).toBeNull();
  });
});

describe('Postgres', () => {
  const host = 'postgres://app@db.test:5432/factmill';

  test('the modes of TLS mean what they mean to libpq', () => {
    const { storage } = loadConfig({
      DATABASE_URL: `${host}?sslmode=require`,
      DATABASE_READ_URL: 'postgres://app@replica.test/factmill?sslmode=verify-full&sslrootcert=/ca.pem',
      DATABASE_PASSWORD: 'pw',
    });
    expect(storage).toMatchObject({
      databaseUrl: 'postgres://app:pw@db.test:5432/factmill?sslmode=require&uselibpqcompat=true',
      readUrl:
        'postgres://app:pw@replica.test/factmill?sslmode=verify-full&sslrootcert=/ca.pem&uselibpqcompat=true',
    });
    expect(loadConfig({ DATABASE_URL: host }).storage).toMatchObject({ databaseUrl: host, readUrl: null });
  });

  test.each<[RawEnvironment, string[]]>([
    [{ DATABASE_READ_URL: host }, ['DATABASE_URL']],
    ...['allow', 'prefer', 'no-verify', 'on'].map((mode): [RawEnvironment, string[]] => [
      { DATABASE_URL: `${host}?sslmode=${mode}` },
      ['DATABASE_URL'],
    ]),
    [{ DATABASE_URL: `${host}?sslmode=verify-ca` }, ['DATABASE_URL']],
    [{ DATABASE_URL: host, DATABASE_READ_URL: `${host}?sslrootcert=/ca.pem` }, ['DATABASE_READ_URL']],
  ])('%j is refused', (environment, names) => {
    expect(problemsOf(environment).names).toEqual(names);
  });
});

describe('Redis', () => {
  const storage = (environment: RawEnvironment) => loadConfig(environment).storage;
  const pem = '-----BEGIN CERTIFICATE-----\nhidden';

  test('the addresses of several servers, with a prefix that keeps keys in one slot of a cluster', () => {
    const REDIS_URL = 'rediss://app@a.test:7000,b.test,[::1]:7002';
    const given = { REDIS_URL, REDIS_PASSWORD: 'p@ss', REDIS_TLS_CA: pem };
    expect(storage({ ...given, REDIS_MODE: 'cluster', QUEUE_PREFIX: 'ours' })).toMatchObject({
      queuePrefix: '{ours}',
      redis: { url: 'rediss://app:p%40ss@a.test:7000,b.test,[::1]:7002', mode: 'cluster', tls: { ca: pem } },
    });
    expect(storage({ ...given, REDIS_MODE: 'sentinel', REDIS_SENTINEL_MASTER: 'main' })).toMatchObject({
      queuePrefix: 'factmill',
      redis: { mode: 'sentinel', sentinelMaster: 'main' },
    });
  });

  test.each<[RawEnvironment, string[]]>([
    [{ REDIS_URL: 'redis://a,b' }, ['REDIS_MODE']],
    [{ REDIS_MODE: 'sentinel' }, ['REDIS_URL']],
    [{ REDIS_MODE: 'cluster', REDIS_URL: 'redis://:p@a,b/1' }, ['REDIS_URL']],
    [{ REDIS_URL: 'redis://a', REDIS_TLS_CA: pem }, ['REDIS_URL']],
    [{ REDIS_URL: 'rediss://a', REDIS_TLS_CERT: pem }, ['REDIS_TLS_KEY']],
    [{ REDIS_URL: 'rediss://a', REDIS_TLS_KEY: pem }, ['REDIS_TLS_CERT']],
    [{ REDIS_URL: 'rediss://a', REDIS_TLS_CA: '/etc/hidden/ca.pem' }, ['REDIS_TLS_CA']],
    ...['redis://a,', 'redis://a,http://b', 'redis://a:b', 'redis://a?tls=true', 'redis://a/one'].map(
      (REDIS_URL): [RawEnvironment, string[]] => [{ REDIS_URL, REDIS_MODE: 'cluster' }, ['REDIS_URL']],
    ),
  ])('%j is refused', (environment, names) => {
    const problems = problemsOf(environment);
    expect([...new Set(problems.names)]).toEqual(names);
    expect(problems.message).not.toContain('hidden');
  });
});

describe('models', () => {
  const chat = { LLM_BASE_URL: 'http://model.test:1234', LLM_MODEL: 'small' };

  test('fallback models come in their order, without blanks (B1)', () => {
    const { chatModel } = loadConfig({ ...chat, LLM_FALLBACK_MODELS: ' tiny, mini:1b,, ' }).extractor;
    expect(chatModel?.fallbackModels).toEqual(['tiny', 'mini:1b']);
  });

  test('a chat endpoint without a key is used without one (A6)', () => {
    expect(loadConfig(chat).extractor.chatModel).toEqual({
      baseUrl: 'http://model.test:1234/v1',
      apiKey: '',
      model: 'small',
      fallbackModels: [],
      contextTokens: 32_768,
      maxTokens: 512,
      temperature: 0.1,
      timeoutMs: 60_000,
    });
  });

  test.each([
    ['http://model.test', 'http://model.test/v1'],
    ['http://model.test/', 'http://model.test/v1'],
    ['https://model.test/v1/', 'https://model.test/v1'],
    ['https://model.test/openai/v3', 'https://model.test/openai/v3'],
  ])('%s is called at %s', (LLM_BASE_URL, expected) => {
    expect(loadConfig({ LLM_BASE_URL, LLM_MODEL: 'small' }).extractor.chatModel?.baseUrl).toBe(expected);
  });

  test('the embedding endpoint falls back to the chat endpoint with its key (D3)', () => {
    expect(
      loadConfig({ ...chat, LLM_API_KEY: 'chat-key', EMBEDDING_MODEL: 'vectors' }).embedding,
    ).toMatchObject({
      provider: 'openai',
      baseUrl: 'http://model.test:1234/v1',
      apiKey: 'chat-key',
      model: 'vectors',
    });
  });

  test('the chat key never goes to another host', () => {
    const own = {
      ...chat,
      LLM_API_KEY: 'chat-key',
      EMBEDDING_MODEL: 'vectors',
      EMBEDDING_BASE_URL: 'http://other.test',
    };
    expect(loadConfig(own).embedding).toMatchObject({ baseUrl: 'http://other.test/v1', apiKey: '' });
    expect(loadConfig({ ...own, EMBEDDING_API_KEY: 'own-key' }).embedding).toMatchObject({
      apiKey: 'own-key',
    });
  });

  test('a chat endpoint alone leaves embedding local; the provider can be named', () => {
    expect(loadConfig(chat).embedding).toEqual({ provider: 'local' });
    expect(loadConfig({ EMBEDDING_PROVIDER: 'none' }).embedding).toEqual({ provider: 'none' });
  });

  test('a model from ONNX files has a name or a folder, and no address', () => {
    const onnx = { EMBEDDING_PROVIDER: 'onnx', EMBEDDING_MODEL: './models/e5', DATA_DIR: '/var/factmill' };
    expect(loadConfig(onnx).embedding).toEqual({
      provider: 'onnx',
      model: './models/e5',
      file: null,
      sha256: null,
      modelsDir: '/var/factmill/models',
      hubUrl: 'https://huggingface.co',
      threads: 1,
      timeoutMs: 30_000,
      batchSize: 16,
    });
    expect(
      loadConfig({ RERANK_PROVIDER: 'onnx', RERANK_MODEL: 'a/b', MODELS_DIR: '/models', ONNX_THREADS: '2' })
        .retrieval.rerank,
    ).toMatchObject({ provider: 'onnx', model: 'a/b', modelsDir: '/models', threads: 2, timeoutMs: 5_000 });
    expect(problemsOf({ EMBEDDING_PROVIDER: 'onnx', RERANK_PROVIDER: 'onnx' }).names).toEqual([
      'EMBEDDING_MODEL',
      'RERANK_MODEL',
    ]);
    expect(problemsOf({ EMBEDDING_MODEL_SHA256: 'abc' }).names).toContain('EMBEDDING_MODEL_SHA256');
  });

  test('the operator’s thresholds go along with the model', () => {
    const measured = { EMBEDDING_MIN_SIMILARITY: '0.4', EMBEDDING_DUPLICATE_SIMILARITY: '0.97' };
    const thresholds = { minSimilarity: 0.4, duplicateSimilarity: 0.97 };
    expect(loadConfig(measured).embedding).toEqual({ provider: 'local', thresholds });
    expect(loadConfig({ ...chat, ...measured, EMBEDDING_MODEL: 'vectors' }).embedding).toMatchObject({
      thresholds,
    });
    expect(problemsOf({ EMBEDDING_RELATED_SIMILARITY: '1.5' }).names).toEqual([
      'EMBEDDING_RELATED_SIMILARITY',
    ]);
  });
});

describe('a bad configuration', () => {
  test('names every bad variable with its rule, and no value', () => {
    const { names, message } = problemsOf({
      GATEWAY_PORT: 'hidden-port',
      DATABASE_URL: 'hidden://user:hidden-password@host/db',
      REDIS_URL: 'http://hidden-redis',
      AUTH: 'hidden-mode',
      ADMIN_API_KEY: 'hidden-short',
      QUEUE_PREFIX: 'hidden:prefix',
      MAX_BODY_BYTES: '0',
      LLM_TEMPERATURE: '77.125',
      LOG_LEVEL: 'hidden-level',
      BULL_BOARD_WRITABLE: 'hidden-yes',
      LLM_MODEL: 'hidden-model',
    });
    expect(names).toEqual([
      'ADMIN_API_KEY',
      'AUTH',
      'BULL_BOARD_WRITABLE',
      'DATABASE_URL',
      'GATEWAY_PORT',
      'LLM_BASE_URL',
      'LLM_TEMPERATURE',
      'LOG_LEVEL',
      'MAX_BODY_BYTES',
      'QUEUE_PREFIX',
      'REDIS_URL',
    ]);
    expect(message).not.toMatch(/hidden|77\.125/);
  });

  test.each([
    [{ LLM_BASE_URL: 'http://model.test' }, ['LLM_MODEL']],
    [{ LLM_MODEL: 'small' }, ['LLM_BASE_URL']],
    [{ EMBEDDING_PROVIDER: 'openai' }, ['EMBEDDING_BASE_URL', 'EMBEDDING_MODEL']],
    [{ EMBEDDING_MODEL: 'vectors' }, ['EMBEDDING_BASE_URL']],
    [{ EMBEDDING_BASE_URL: 'http://model.test' }, ['EMBEDDING_MODEL']],
  ])('%j is half a setting', (environment: RawEnvironment, expected) => {
    expect(problemsOf(environment).names).toEqual(expected);
  });
});

describe('when memories are compressed', () => {
  const compression = (environment: RawEnvironment) => loadConfig(environment).extractor.compression;

  test('at night and on Monday unless told, or never', () => {
    expect(compression({})).toEqual({
      daily: { weekday: null, hour: 3, minute: 0 },
      weekly: { weekday: 1, hour: 4, minute: 0 },
    });
    expect(compression({ COMPRESS_DAILY_AT: '23:59', COMPRESS_WEEKLY_AT: 'sunday 00:05' })).toEqual({
      daily: { weekday: null, hour: 23, minute: 59 },
      weekly: { weekday: 0, hour: 0, minute: 5 },
    });
    expect(compression({ COMPRESS_DAILY_AT: 'off', COMPRESS_WEEKLY_AT: 'off' })).toEqual({
      daily: null,
      weekly: null,
    });
  });

  test('what is no time is refused', () => {
    expect(
      problemsOf({ COMPRESS_DAILY_AT: '24:00', COMPRESS_WEEKLY_AT: '04:00', TIME_ZONE: 'Nowhere/Land' })
        .names,
    ).toEqual(['COMPRESS_DAILY_AT', 'COMPRESS_WEEKLY_AT', 'TIME_ZONE']);
  });
});

describe('names and origins that browsers may use', () => {
  const browsers = (environment: RawEnvironment) => loadConfig(environment).browsers;

  test('without keys only names of this machine, with keys any', () => {
    expect(browsers({}).hosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(browsers({ HOST: '::1' }).hosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(browsers({ HOST: '0.0.0.0', AUTH: 'none', ALLOWED_HOSTS: 'Memory.lan, factmill' }).hosts).toEqual([
      'localhost',
      '127.0.0.1',
      '[::1]',
      'ip',
      'memory.lan',
      'factmill',
    ]);
    expect(browsers({ HOST: '0.0.0.0' }).hosts).toBeNull();
    expect(browsers({ AUTH: 'required' }).hosts).toBeNull();
  });

  test('origins are scheme, host and port, and nothing else', () => {
    expect(browsers({ ALLOWED_ORIGINS: 'https://a.example, http://localhost:3000' }).origins).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ]);
    for (const wrong of ['*', 'null', 'a.example', 'https://a.example/', 'https://a.example/path']) {
      expect(problemsOf({ ALLOWED_ORIGINS: wrong }).names).toEqual(['ALLOWED_ORIGINS']);
    }
    expect(problemsOf({ ALLOWED_HOSTS: 'http://memory.lan:8080' }).names).toEqual(['ALLOWED_HOSTS']);
  });
});

test('the configuration cannot be changed', () => {
  const config = loadConfig({}) as { -readonly [K in keyof Config]: Config[K] };
  expect(() => {
    config.host = '0.0.0.0';
  }).toThrow(TypeError);
  expect(Object.isFrozen(config.scheduling.limits)).toBe(true);
  expect(Object.isFrozen(config.extractor.retry)).toBe(true);
});

describe('proxies that are trusted', () => {
  const trusted = (value?: string) => loadConfig({ TRUST_PROXY: value }).limits.trustProxy;

  test('none, a number of them, or their addresses and networks', () => {
    expect(trusted()).toBe(false);
    expect(trusted('1')).toBe(1);
    expect(trusted('loopback, 10.0.0.0/8,2001:db8::/32')).toEqual([
      'loopback',
      '10.0.0.0/8',
      '2001:db8::/32',
    ]);
  });

  test('never everybody', () => {
    for (const value of ['true', '*', 'proxy.example', '10.0.0.0/33', '10.0.0', '10.0.0.0/8,', '-1']) {
      expect([value, problemsOf({ TRUST_PROXY: value }).names]).toEqual([value, ['TRUST_PROXY']]);
    }
  });
});
