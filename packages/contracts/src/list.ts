import { z } from 'zod';

/** The form of every list. `next_cursor` is opaque; null at the end. */
export function listSchema<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

export type List<T> = Readonly<{ data: readonly T[]; next_cursor: string | null }>;
