import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { AppError } from '@factmill/errors';

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][\w.]*\s*=\s*/;

/**
 * The variables of a `.env` file; none when there is no file.
 *
 * @throws AppError `config_invalid` when the file exists and cannot be used. The message quotes no line of the
 *   file.
 */
export function readDotEnv(path: string): Readonly<Record<string, string>> {
  const text = read(path)?.replace(/^\uFEFF/, '');
  if (text === undefined) return {};
  const line = findForeignLine(text);
  if (line !== null) {
    throw new AppError(
      'config_invalid',
      `.env cannot be used: line ${line} is not NAME=value, a comment or empty.`,
    );
  }
  return parseEnv(text) as Record<string, string>;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const sentence =
      code === 'EISDIR'
        ? '.env is a folder; make it a file of NAME=value lines, or remove it.'
        : `.env cannot be read (${code ?? 'unknown error'}); check who may read the file.`;
    throw new AppError('config_invalid', sentence, { cause: error });
  }
}

/** The first line that is no assignment, comment or part of a quoted value; lines are counted from 1. */
function findForeignLine(text: string): number | null {
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(?:#|$)/.test(line)) continue;
    const assignment = ASSIGNMENT.exec(line);
    if (assignment === null) return index + 1;
    const value = line.slice(assignment[0].length);
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote === undefined || value.includes(quote, 1)) continue;
    const end = lines.findIndex((later, at) => at > index && later.includes(quote));
    // A quote that is never closed is part of the value, as Node reads it.
    if (end > 0) index = end;
  }
  return null;
}
