import { closestMatch } from 'leven';
import { ENVIRONMENT_NAMES } from './environment.ts';
import { FILE_NAMES } from './secret-files.ts';

const SETTINGS: readonly string[] = [...ENVIRONMENT_NAMES, ...FILE_NAMES];

/** Variables that Factmill's programs and files read beside the settings: of the CLI and of docker-compose.yml. */
export const OTHER_NAMES: readonly string[] = [
  'BACKUP_FOLDER',
  'BACKUP_INTERVAL_S',
  'BACKUP_KEEP',
  'FACTMILL_API_KEY',
  'FACTMILL_IMAGE',
  'FACTMILL_URL',
  'FACTMILL_ONNX',
  'GATEWAY_BIND',
  'GRAFANA_PASSWORD',
  'GRAFANA_PORT',
  'JAEGER_PORT',
  'POSTGRES_PASSWORD',
  'POSTGRES_SERVICE_PASSWORD',
  'PROMETHEUS_PORT',
  'STOP_GRACE_PERIOD',
];

/**
 * Names with this beginning are meant for Factmill. Kubernetes adds `GATEWAY_SERVICE_HOST` and the like for its
 * services.
 */
const PREFIXES =
  /^(?:LLM|CHAT|EMBEDDING|RERANK|EXTRACTOR|RETRIEVAL|GATEWAY|QUEUE|SWEEP|RETRY|BREAKER|COMPRESS|PRESET)_(?!SERVICE_|PORT_)/;
const OF_OTHERS = /^(?:OTEL|NODE|NPM|PNPM|COMPOSE|DOCKER)_|^npm_/;

/** A longer name cannot be a misspelt setting. */
const MAX_NAME_LENGTH = 64;

/**
 * One line for every variable that looks like a setting and is none: each name in `.env`, and each name of the
 * process that begins like a setting or nearly spells one. Names only, never values.
 */
export function findUnknownNames(dotEnv: readonly string[], environment: readonly string[]): string[] {
  const own = new Set(dotEnv);
  const ofProcess = environment.filter((name) => !own.has(name)).map((name) => describe(name, false));
  return [...dotEnv.map((name) => describe(name, true)), ...ofProcess].filter((line) => line !== null);
}

function describe(name: string, isOfDotEnv: boolean): string | null {
  if (SETTINGS.includes(name) || OTHER_NAMES.includes(name) || OF_OTHERS.test(name)) return null;
  const where = isOfDotEnv ? ' in .env' : '';
  const near = nearest(name);
  if (near !== undefined) return `${name}${where} is not a setting; did you mean ${near}?`;
  return isOfDotEnv || PREFIXES.test(name) ? `${name}${where} is not a setting; .env.example has all.` : null;
}

/** The setting that the name misspells. Short names are close to many words: `HOST` to `HOME`. */
function nearest(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const maxDistance = name.length < 8 ? 1 : 2;
  return closestMatch(name.toUpperCase(), [...SETTINGS], { maxDistance });
}
