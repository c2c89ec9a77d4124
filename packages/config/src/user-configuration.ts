import { userIdSchema } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { RawEnvironment } from './parse-environment.ts';
import { httpUrl } from './settings/values.ts';

const schema = z.strictObject({ user_id: userIdSchema.optional(), url: httpUrl.optional() });

/** What a person configures for the local clients: the commands, the tool over stdio, the demo. */
export type UserConfiguration = Readonly<z.infer<typeof schema>>;

/** Its settings, with what each is for. */
export const USER_SETTINGS = {
  user_id: 'whose memory local clients use',
  url: 'the gateway that local clients call',
} as const satisfies Record<keyof UserConfiguration, string>;

export function isUserSetting(key: string): key is keyof UserConfiguration {
  return Object.hasOwn(USER_SETTINGS, key);
}

/** The file of the person's own configuration, as the XDG Base Directory Specification places it. */
export function userConfigurationPath(environment: RawEnvironment): string {
  const given = environment['XDG_CONFIG_HOME'] ?? '';
  // A relative path has to be ignored, says the specification.
  const folder = isAbsolute(given) ? given : join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'factmill', 'config.json');
}

/** @throws AppError `config_invalid` when the file is there and cannot be used; the message quotes nothing of it */
export function readUserConfiguration(environment: RawEnvironment): UserConfiguration {
  const path = userConfigurationPath(environment);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new AppError('config_invalid', `${path} cannot be read (${code ?? 'unknown error'}).`, {
      cause: error,
    });
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new AppError(
    'config_invalid',
    `${path} cannot be used: it is to be a JSON object with ${Object.keys(USER_SETTINGS).join(' and ')}, each a text. Correct it or delete it.`,
  );
}

/**
 * Sets one value, or removes it with null. The file is replaced as a whole, and only its owner may read it. Resolves
 * to its path.
 *
 * @throws AppError `config_invalid` when the value does not fit, or the file cannot be written
 */
export function writeUserSetting(
  environment: RawEnvironment,
  key: keyof UserConfiguration,
  value: string | null,
): string {
  const { [key]: _, ...others } = readUserConfiguration(environment);
  const wanted = schema.safeParse(value === null ? others : { ...others, [key]: value });
  if (!wanted.success) {
    const rule = key === 'url' ? 'an http or https address' : '1 to 256 printable characters';
    throw new AppError('config_invalid', `${key} must be ${rule}.`);
  }
  const path = userConfigurationPath(environment);
  const temporary = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(wanted.data, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new AppError('config_invalid', `${path} cannot be written (${code ?? 'unknown error'}).`, {
      cause: error,
    });
  }
  return path;
}

/**
 * The user of a local client (A20): as the caller names one, else as configured, else the person at this machine
 * as `hostname:username`. A key says itself whose it is, so with one nobody is guessed: undefined.
 *
 * @param told named for this run
 */
export function localUserOf(
  environment: RawEnvironment,
  { told, hasKey }: Readonly<{ told?: string | undefined; hasKey: boolean }>,
): string | undefined {
  const configured = told ?? readUserConfiguration(environment).user_id ?? environment['DEFAULT_USER_ID'];
  if (configured !== undefined && configured !== '') return configured;
  return hasKey ? undefined : personAtThisMachine();
}

function personAtThisMachine(): string {
  return `${hostname()}:${loginName()}`.replaceAll(/\p{C}/gu, '').slice(0, 256);
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user id of a container need not have a name.
    return String(process.getuid?.() ?? 'user');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
