import { readDotEnv } from './dot-env.ts';
import type { RawEnvironment } from './parse-environment.ts';
import { readSecretFiles } from './secret-files.ts';
import { findUnknownNames } from './unknown-names.ts';

/**
 * The process's environment; `.env` of the working directory supplies variables that it does not set. Secrets come from
 * their files where `NAME_FILE` variables name them; `process.env`, which child processes get, does not have these.
 *
 * @param warn gets one line for each variable that looks like a setting and is none
 * @throws AppError `config_invalid` when `.env` or a file of a secret cannot be used
 */
export function loadProcessEnvironment(warn?: (line: string) => void): RawEnvironment {
  const dotEnv = readDotEnv('.env');
  if (warn !== undefined) findUnknownNames(Object.keys(dotEnv), Object.keys(process.env)).forEach(warn);
  for (const [name, value] of Object.entries(dotEnv)) process.env[name] ??= value;
  return readSecretFiles(process.env);
}
