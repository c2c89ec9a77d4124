import { FIRST_ID, markLackingVectors, type Sql } from '@factmill/database';

/**
 * Has every current memory and chunk wait for its vector that has none of this model, or one of an older text (B8):
 * the `embed` job then makes them like those of new memories. One statement for 5,000 rows. Resolves to how many there
 * were.
 */
export async function checkVectors(database: Sql, model: string, signal: AbortSignal): Promise<number> {
  let found = 0;
  for (const stage of ['memories', 'chunks'] as const) {
    let after: string | null = FIRST_ID;
    while (after !== null) {
      signal.throwIfAborted();
      const { next, marked }: { next: string | null; marked: number } = await markLackingVectors(
        database,
        model,
        stage,
        after,
      );
      found += marked;
      after = next;
    }
  }
  return found;
}
