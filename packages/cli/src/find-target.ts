import { loadConfig, type RawEnvironment, readUserConfiguration } from '@factmill/config';
import { AppError } from '@factmill/errors';
import { findInstance } from '@factmill/runtime';

/** What a command works on: the API of a running gateway, or the Postgres of the services. */
export type Target =
  Readonly<{ kind: 'api'; url: string; apiKey: string | undefined }> | Readonly<{ kind: 'database' }>;

const NO_TARGET =
  'No running instance was found in the data folder (DATA_DIR). Start npm start first, or say where Factmill is: --url (with FACTMILL_API_KEY), or DATABASE_URL.';

/**
 * The first of: `--url`, FACTMILL_URL, the database of DATABASE_URL, the person's own `url`, the instance that runs on
 * the data folder. Null when there is none of them.
 *
 * The administrator's key of the environment is used only for the instance of the same environment.
 *
 * @throws AppError `config_invalid` for a bad environment or address
 */
export function findTarget(url: string | undefined, environment: RawEnvironment): Target | null {
  const apiKey = filled(environment['FACTMILL_API_KEY']);
  const told = url ?? filled(environment['FACTMILL_URL']);
  if (told !== undefined) return { kind: 'api', url: assertAddress(told), apiKey };
  const { storage, auth } = loadConfig(environment);
  if (storage.databaseUrl !== null) return { kind: 'database' };
  const { url: own } = readUserConfiguration(environment);
  if (own !== undefined) return { kind: 'api', url: own, apiKey };
  const instance = findInstance(storage.dataDir);
  if (instance === null) return null;
  return { kind: 'api', url: instance.url, apiKey: apiKey ?? auth.adminKey ?? undefined };
}

/** @throws AppError `config_invalid` when there is nothing to work on */
export function findSomeTarget(url: string | undefined, environment: RawEnvironment): Target {
  const target = findTarget(url, environment);
  if (target === null) throw new AppError('config_invalid', NO_TARGET);
  return target;
}

function assertAddress(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new AppError(
    'config_invalid',
    '--url has to be an http or https address, such as http://127.0.0.1:8080.',
  );
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
