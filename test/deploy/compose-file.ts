import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The repository's root, which is also the build context. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

type Healthcheck = Readonly<{ test?: readonly string[]; disable?: boolean }>;

/** What the tests look at of a service; the whole of it is checked against the schema. */
export type ComposeService = Readonly<{
  image: string;
  build?: Readonly<{ context: string; dockerfile?: string }>;
  command?: readonly string[];
  profiles?: readonly string[];
  init?: boolean;
  read_only?: boolean;
  cap_drop?: readonly string[];
  security_opt?: readonly string[];
  restart?: string;
  stop_grace_period?: string;
  environment?: Readonly<Record<string, string | number | null>>;
  networks?: readonly string[];
  ports?: readonly string[];
  volumes?: readonly string[];
  depends_on?: Readonly<Record<string, { condition: string }>>;
  healthcheck?: Healthcheck;
  deploy?: Readonly<{ resources?: { limits?: { cpus?: string; memory?: string } } }>;
  logging?: Readonly<{ driver: string }>;
}>;

export type ComposeFile = Readonly<{
  services: Readonly<Record<string, ComposeService>>;
  networks: Readonly<Record<string, { internal?: boolean } | null>>;
  volumes: Readonly<Record<string, null>>;
}>;

/** The text of `docker-compose.yml`. */
export function readComposeText(): Promise<string> {
  return readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
}

/** What `.env` has to have: the passwords of the tests. */
export const PASSWORDS = {
  POSTGRES_PASSWORD: 'of-the-owner',
  POSTGRES_SERVICE_PASSWORD: 'of-the-services',
  REDIS_PASSWORD: 'of-redis',
  GRAFANA_PASSWORD: 'of-grafana',
} as const;

/**
 * `docker-compose.yml` with merge keys resolved and variables replaced, as Compose sees it.
 *
 * @throws Error with the sentence that Compose prints, when a variable that has to be set is not
 */
export async function loadComposeFile(
  variables: Readonly<Record<string, string>> = PASSWORDS,
): Promise<ComposeFile> {
  const raw: unknown = parse(await readComposeText(), { merge: true });
  return interpolate(raw, variables) as ComposeFile;
}

/** The environment that Compose gives to a service; names without a value are taken from `variables`. */
export function environmentOf(
  service: ComposeService,
  variables: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).flatMap(([name, value]) => {
      const resolved = value ?? variables[name];
      return resolved === undefined ? [] : [[name, String(resolved)]];
    }),
  );
}

/** Milliseconds of a duration such as `20s` or `1m30s`. */
export function durationMs(duration: string): number {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  return [...duration.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (total, [, count, unit]) => total + Number(count) * (units[unit ?? ''] ?? Number.NaN),
    0,
  );
}

/**
 * All values with `${NAME}`, `${NAME:-default}`, `${NAME:?sentence}` and `$$` replaced. A name without value and default
 * throws.
 */
function interpolate(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(
      /\$(?:\$|\{(?<name>\w+)(?::-(?<fallback>[^}]*)|:\?(?<sentence>[^}]*))?\}|(?<odd>.?))/g,
      (whole: string, ...rest: unknown[]) => {
        if (whole === '$$') return '$';
        const { name, fallback, sentence, odd } = rest.at(-1) as Record<string, string | undefined>;
        const replaced = name === undefined ? undefined : variables[name] || fallback;
        if (replaced === undefined && sentence !== undefined)
          throw new Error(`required variable ${name} is missing a value: ${sentence}`);
        if (replaced === undefined) throw new Error(`no value for ${name ?? `$${odd ?? ''}`}`);
        return replaced;
      },
    );
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, interpolate(child, variables)]),
    );
  }
  return value;
}
