import { readFile, stat } from 'node:fs/promises';
import { AppError } from '@factmill/errors';
import { errorCodeOf } from './error-code.ts';
import { isRecord } from '../errors/error-signals.ts';

/** The tokenizer of a model with 250,000 tokens takes 17 MB. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A JSON file of a model; null when it is not there.
 *
 * @param name of the file in messages
 * @throws AppError `model_config` when it is not JSON, or too large
 */
export async function readJsonFile(path: string, name: string): Promise<unknown> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > MAX_JSON_BYTES) throw unreadable(name, `is larger than ${MAX_JSON_BYTES} bytes`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCodeOf(error) ?? '')) return null;
    throw error instanceof AppError ? error : unreadable(name, 'cannot be read', error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unreadable(name, 'is not JSON', error);
  }
}

/** As `readJsonFile`, for files that hold an object. */
export async function readJsonObject(path: string, name: string): Promise<JsonObject | null> {
  const value = await readJsonFile(path, name);
  if (value !== null && !isRecord(value)) throw unreadable(name, 'holds no object');
  return value;
}

/** A whole number of at least 1; undefined for anything else. */
export function positiveWhole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function unreadable(name: string, what: string, cause?: unknown): AppError {
  return new AppError('model_config', `The file ${name} of the model ${what}.`, { cause });
}
