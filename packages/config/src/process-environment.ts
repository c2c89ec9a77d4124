import { readDotEnv } from './dot-env.ts';
import type { RawEnvironment } from './parse-environment.ts';
import { findUnknownNames } from './unknown-names.ts';

/**
 * The process's environment, after `.env` of the working directory has filled in what is not set.
 *
 * @param warn is told, once for each, of variables that look like settings and are none; without it nobody is
 * @throws AppError `config_invalid` when `.env` cannot be used
 */
export function loadProcessEnvironment(warn?: (line: string) => void): RawEnvironment {
  const dotEnv = readDotEnv('.env');
  if (warn !== undefined) findUnknownNames(Object.keys(dotEnv), Object.keys(process.env)).forEach(warn);
  for (const [name, value] of Object.entries(dotEnv)) process.env[name] ??= value;
  return process.env;
}
