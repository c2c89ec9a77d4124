import { AppError } from '@factmill/errors';
import { isExportHeader, type ExportHeader, readExport } from '@factmill/exchange';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Operator } from './operator.ts';
import { print } from './with-database.ts';

/** Whether a file is an export with everything, not a list of memories. */
export async function isExport(path: string): Promise<boolean> {
  for await (const line of linesOf(path)) return isExportHeader(line);
  return false;
}

/** Imports an export of a user or a tenant, after it was read once to see that it is whole. */
export async function importExport(
  operator: Operator,
  path: string,
  options: Readonly<{ user?: string | undefined; tenant: string | undefined }>,
): Promise<void> {
  let ofFile: ExportHeader = { userId: null };
  const assertFits = (header: ExportHeader) => {
    if (options.user !== undefined && header.userId !== options.user) {
      throw new AppError('invalid_request', 'The file is not of this user. Leave --user out.');
    }
    ofFile = header;
  };
  await countExport(path, assertFits);
  const { imported, known } = await operator.importRows(
    ofFile.userId,
    { path, lines: () => readExport(linesOf(path), assertFits) },
    options.tenant,
  );
  print(`Imported: ${describeCounts(imported)}. There already: ${describeCounts(known)}.`);
}

/** The rows of an export by type, after all of it was read and found whole. */
export async function countExport(
  path: string,
  assertFits: (header: ExportHeader) => void = () => undefined,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const { type } of readExport(linesOf(path), assertFits)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  return parts.join(', ') || 'nothing';
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    await once(stream, 'open');
    yield* createInterface({ input: stream, crlfDelay: Infinity });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof AppError) throw error;
    throw new AppError('invalid_request', `The file cannot be read (${code}).`, { cause: error });
  } finally {
    stream.destroy();
  }
}
