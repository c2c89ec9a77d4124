import { readFileSync } from 'node:fs';
import { SECRET_NAMES } from './environment.ts';
import { type ConfigProblem, invalidConfiguration } from './invalid-configuration.ts';
import type { RawEnvironment } from './parse-environment.ts';

/** Every variable that may be in a file: secret settings, and the key of the commands. */
const IN_FILES: readonly string[] = [...SECRET_NAMES, 'FACTMILL_API_KEY'];

/** The variables that name these files. */
export const FILE_NAMES: readonly string[] = IN_FILES.map(fileNameOf);

/** The variable that names the file of a secret: Docker and Kubernetes mount secrets as files. */
export function fileNameOf(name: string): string {
  return `${name}_FILE`;
}

/**
 * The environment with the secrets that `NAME_FILE` variables name, read from their files. A newline at the end of a
 * file is not part of the secret.
 *
 * @throws AppError `config_invalid` for each file that cannot be used, and for a secret that is set both ways. The
 *   message holds neither paths nor secrets.
 */
export function readSecretFiles(raw: RawEnvironment): RawEnvironment {
  const secrets: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const name of IN_FILES) {
    const path = raw[fileNameOf(name)] ?? '';
    if (path === '') continue;
    const read =
      (raw[name] ?? '') === '' ? readSecret(path) : { rule: `must not be set together with ${name}` };
    if ('rule' in read) problems.push({ name: fileNameOf(name), rule: read.rule });
    else secrets[name] = read.secret;
  }
  if (problems.length > 0) throw invalidConfiguration(problems);
  return { ...raw, ...secrets };
}

function readSecret(path: string): Readonly<{ secret: string } | { rule: string }> {
  try {
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return secret === '' ? { rule: 'names an empty file' } : { secret };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { rule: `names a file that this process cannot read (${code})` };
  }
}
