import { AppError } from '@factmill/errors';
import { createHash } from 'node:crypto';

const FORMAT = 'factmill.export';
const VERSION = 1;
/** A document of a million characters, twice. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** Whose rows a file has: of one user, or with null of all users of one tenant. */
export type ExportHeader = Readonly<{ userId: string | null }>;

/** A line between the first and the last, with its number in the file, from 1. */
export type ExportLine = Readonly<{ type: string; line: string; number: number }>;

/**
 * The lines of an export, each with its line feed: a header, the rows, and an end with their numbers by type and the
 * SHA-256 of their lines. The same rows have the same sum, whenever they are exported.
 */
export async function* writeExport(
  { userId }: ExportHeader,
  rows: AsyncIterable<Readonly<{ type: string; line: string }>>,
  now: Date,
): AsyncGenerator<string> {
  const sum = createHash('sha256');
  const counts: Record<string, number> = {};
  yield `${JSON.stringify({
    format: FORMAT,
    version: VERSION,
    scope: userId === null ? 'tenant' : 'user',
    ...(userId === null ? {} : { user_id: userId }),
    exported_at: now.toISOString(),
  })}\n`;
  for await (const { type, line } of rows) {
    const text = `${line}\n`;
    sum.update(text);
    counts[type] = (counts[type] ?? 0) + 1;
    yield text;
  }
  yield `${JSON.stringify({ type: 'end', counts, sha256: sum.digest('hex') })}\n`;
}

/** Whether this is the first line of an export that `readExport` reads. */
export function isExportHeader(line: string): boolean {
  return headerOf(line) !== null;
}

/**
 * Reads the lines of an export, without line feeds, and yields those of its rows. It has been read to its end, and its
 * sum is right, only when this ends without an error.
 *
 * @param assertFits is told what the header says, before anything is yielded
 * @throws AppError `invalid_request` without text of the file
 */
export async function* readExport(
  lines: AsyncIterable<string> | Iterable<string>,
  assertFits: (header: ExportHeader) => void,
): AsyncGenerator<ExportLine> {
  const sum = createHash('sha256');
  const counts: Record<string, number> = {};
  let number = 0;
  let end: Record<string, unknown> | null = null;
  for await (const line of lines) {
    number += 1;
    if (number === 1) {
      const header = headerOf(line);
      if (header === null) throw notAnExport();
      assertFits(header);
      continue;
    }
    if (end !== null && line.trim() !== '') throw broken(number, 'it comes after the end');
    if (end !== null) continue;
    if (line.length > MAX_LINE_CHARACTERS) throw broken(number, 'it is too long');
    const row = objectOf(line);
    const type = row?.['type'];
    if (row === null || typeof type !== 'string') throw broken(number, 'it is no row');
    if (type === 'end') end = row;
    else {
      sum.update(`${line}\n`);
      counts[type] = (counts[type] ?? 0) + 1;
      yield { type, line, number };
    }
  }
  if (number === 0) throw notAnExport();
  if (end === null) throw incomplete('its last line is missing');
  if (JSON.stringify(end['counts']) !== JSON.stringify(counts)) throw incomplete('lines are missing');
  if (end['sha256'] !== sum.digest('hex')) throw incomplete('its lines are not those that were written');
}

function headerOf(line: string): ExportHeader | null {
  const header = objectOf(line);
  if (header?.['format'] !== FORMAT || header['version'] !== VERSION) return null;
  const { scope, user_id: userId } = header;
  if (scope === 'tenant') return { userId: null };
  return scope === 'user' && typeof userId === 'string' ? { userId } : null;
}

function objectOf(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function notAnExport(): AppError {
  return new AppError(
    'invalid_request',
    `This is not an export of Factmill: its first line is to have "format":"${FORMAT}" and "version":${VERSION}.`,
  );
}

function broken(number: number, why: string): AppError {
  return new AppError('invalid_request', `Line ${number} of the export cannot be used: ${why}.`);
}

function incomplete(why: string): AppError {
  return new AppError('invalid_request', `The export is not whole: ${why}. Nothing was imported.`);
}
