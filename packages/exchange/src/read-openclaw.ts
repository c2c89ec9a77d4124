import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportItem } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { splitMarkdown } from './split-markdown.ts';

/** The source that its memories are marked with. */
export const OPENCLAW = 'openclaw';

/** Its entries are kept short by the program that writes them; a memory may be no longer. */
const MAX_ENTRY_LENGTH = 8_000;
const MAX_HEADING_LENGTH = 128;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const CORE = 'MEMORY.md';
const JOURNAL = /^(\d{4}-\d\d-\d\d)[^/]*\.md$/;
const JOURNAL_FOLDERS = ['', 'memory'];

/**
 * The memories of an OpenClaw workspace (C15): what `MEMORY.md` says is the core profile (tier 1), what the journals of
 * its days say (`2026-05-10.md`, beside it or in `memory/`) are events of these days (tier 3), oldest first.
 *
 * @throws AppError `invalid_request` when the folder has neither, or a file cannot be read
 */
export async function readOpenClaw(directory: string): Promise<ImportItem[]> {
  const core = await read(directory, CORE);
  const journals: { day: string; name: string }[] = [];
  for (const folder of JOURNAL_FOLDERS) {
    for (const name of await namesIn(directory, folder)) {
      const day = JOURNAL.exec(name)?.[1];
      if (day !== undefined && isDay(day)) journals.push({ day, name: join(folder, name) });
    }
  }
  if (core === null && journals.length === 0) {
    throw new AppError(
      'invalid_request',
      `The folder has neither ${CORE} nor journals such as memory/2026-05-10.md.`,
    );
  }
  const items = core === null ? [] : itemsOf(core, CORE, { tier: 1 });
  for (const { day, name } of journals.toSorted((a, b) => (a.day + a.name < b.day + b.name ? -1 : 1))) {
    const text = await read(directory, name);
    // Noon, so that it is the same day in most time zones.
    const event = { tier: 3, kind: 'event', category: 'event', stated_at: `${day}T12:00:00Z` } as const;
    if (text !== null) items.push(...itemsOf(text, name, event));
  }
  return items;
}

function itemsOf(
  text: string,
  file: string,
  fields: Partial<ImportItem> & Readonly<{ tier: 1 | 3 }>,
): ImportItem[] {
  return splitMarkdown(text, MAX_ENTRY_LENGTH).map(({ heading, text: content }) => {
    // The same entry of a profile stays the same wherever it moves; the same words on another day are another event.
    const identity = [fields.tier, fields.stated_at ?? '', content].join('\n');
    const topic = heading?.slice(0, MAX_HEADING_LENGTH).replaceAll(/\p{C}/gu, ' ').trim();
    return {
      id: createHash('sha256').update(identity).digest('hex'),
      content,
      ...fields,
      ...(topic === undefined || topic === '' ? {} : { topic }),
      metadata: { file },
    };
  });
}

async function namesIn(directory: string, folder: string): Promise<string[]> {
  try {
    return await readdir(join(directory, folder));
  } catch (error) {
    if (folder !== '' && isMissing(error)) return [];
    throw unreadable('The folder', error);
  }
}

/** A plain file's text; null when there is none. Links are not followed: they may lead anywhere. */
async function read(directory: string, name: string): Promise<string | null> {
  const path = join(directory, name);
  try {
    const about = await lstat(path);
    if (!about.isFile()) return null;
    if (about.size > MAX_FILE_BYTES) {
      throw new AppError('invalid_request', `${name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    if (error instanceof AppError) throw error;
    throw unreadable(name, error);
  }
}

function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

function unreadable(what: string, cause: unknown): AppError {
  return new AppError('invalid_request', `${what} cannot be read (${codeOf(cause)}).`, { cause });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
