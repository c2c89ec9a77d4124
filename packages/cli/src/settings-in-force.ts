import {
  ENVIRONMENT_NAMES,
  fileNameOf,
  loadConfig,
  parseEnvironment,
  type RawEnvironment,
  SECRET_NAMES,
} from '@factmill/config';

export type SettingInForce = Readonly<{ name: string; value: string; source: string }>;

export type SettingSources = Readonly<{
  /** The environment of the process, with `.env` filled in. */
  environment: RawEnvironment;
  dotEnv: Readonly<Record<string, string>>;
  /** What was set at run time, by key (`retry.interval_ms`). */
  settings: Readonly<Record<string, unknown>>;
}>;

const HIDDEN = '(hidden)';

/**
 * Every setting of a service with this environment, with the value in force and its origin: run time, environment, the
 * file of a secret, `.env` or default. Keys and passwords are hidden.
 *
 * @throws AppError `config_invalid` as a start would
 */
export function listSettingsInForce({ environment, dotEnv, settings }: SettingSources): SettingInForce[] {
  const values: Readonly<Record<string, unknown>> = parseEnvironment(environment);
  const derived = derivedValues(environment);
  const atRunTime = new Map(Object.entries(settings).map(([key, value]) => [variableOf(key), value]));
  return ENVIRONMENT_NAMES.map((name) => {
    if (atRunTime.has(name))
      return { name, value: shown(name, atRunTime.get(name)), source: 'config set, at run time' };
    const given = environment[name];
    if (given === undefined || given === '') {
      return { name, value: shown(name, values[name] ?? derived[name]), source: 'default' };
    }
    return { name, value: shown(name, given), source: sourceOf(name, given, { environment, dotEnv }) };
  });
}

function sourceOf(
  name: string,
  given: string,
  { environment, dotEnv }: Pick<SettingSources, 'environment' | 'dotEnv'>,
): string {
  const fileName = fileNameOf(name);
  if (SECRET_NAMES.includes(name) && (environment[fileName] ?? '') !== '') return fileName;
  return dotEnv[name] === given ? '.env' : 'environment';
}

/** The variable that a setting of run time overrides. */
function variableOf(key: string): string {
  return key === 'chat.memory.default' ? 'CHAT_MEMORY' : key.toUpperCase().replaceAll('.', '_');
}

/** Values for variables whose default depends on others. */
function derivedValues(environment: RawEnvironment): Readonly<Record<string, unknown>> {
  const { auth, embedding, gateway } = loadConfig(environment);
  return {
    AUTH: auth.mode,
    RETRIEVAL_URL: gateway.retrievalUrls.join(','),
    EMBEDDING_PROVIDER: embedding.provider,
    ...(embedding.provider === 'openai'
      ? { EMBEDDING_BASE_URL: embedding.baseUrl, EMBEDDING_API_KEY: embedding.apiKey }
      : {}),
    CHAT_BASE_URL: gateway.chat.upstreams.find(({ name }) => name === 'default')?.baseUrl,
  };
}

function shown(name: string, value: unknown): string {
  if (value === undefined || value === '') return 'not set';
  // Of an address only the password is hidden.
  if (SECRET_NAMES.includes(name) && !name.endsWith('_URL')) return HIDDEN;
  return withoutPassword(typeof value === 'string' ? value : JSON.stringify(value));
}

/** An address may hold a password, and its query a key. */
function withoutPassword(text: string): string {
  if (!/^[a-z][a-z+]*:\/\//i.test(text)) return text;
  // Several addresses of Redis servers are no URL.
  if (!URL.canParse(text)) return text.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  const url = new URL(text);
  if (url.password === '' && url.search === '') return text;
  const search = url.search === '' ? '' : `?${HIDDEN}`;
  const user = url.username === '' && url.password === '' ? '' : `${url.username}:${HIDDEN}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${search}`;
}
