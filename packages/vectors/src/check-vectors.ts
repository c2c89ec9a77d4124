import { FIRST_ID, markLackingTurnParts, markLackingVectors, type Sql } from '@factmill/database';

/**
 * Has every current memory, chunk and part of a turn wait for its vector that has none of this model, or one of an
 * older text (B8): the `embed` job then makes them like those of new ones. One statement for 5,000 rows. Resolves to
 * how many there were.
 */
export async function checkVectors(database: Sql, model: string, signal: AbortSignal): Promise<number> {
  const windows = [
    (after: string) => markLackingVectors(database, model, 'memories', after),
    (after: string) => markLackingVectors(database, model, 'chunks', after),
    (after: string) => markLackingTurnParts(database, model, after),
  ];
  let found = 0;
  for (const markWindow of windows) {
    let after: string | null = FIRST_ID;
    while (after !== null) {
      signal.throwIfAborted();
      const { next, marked }: { next: string | null; marked: number } = await markWindow(after);
      found += marked;
      after = next;
    }
  }
  return found;
}
