import { AppError } from '@factmill/errors';
import type { z } from 'zod';

type CursorPosition = readonly (string | number)[];

/** An opaque list position: the sort values of the last row, in order. */
export function encodeCursor(position: CursorPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The position in a cursor that an earlier page gave out; null for none. `schema` describes this list's positions,
 * strictly enough that the database can read every position that passes.
 *
 * @throws AppError `invalid_request` when the cursor is forged or belongs to another list.
 */
export function decodeCursor<T extends CursorPosition>(
  cursor: string | undefined,
  schema: z.ZodType<T>,
): T | null {
  if (cursor === undefined) return null;
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new AppError(
    'invalid_request',
    'The cursor is not one that this list has given out; start without it.',
    {
      fields: [{ field: 'cursor', message: 'is not valid' }],
    },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
