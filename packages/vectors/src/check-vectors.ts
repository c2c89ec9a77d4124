import { FIRST_ID, markMissingTurnParts, markMissingVectors, type Sql } from '@factmill/database';

/**
 * Marks every current memory, chunk and turn part whose vector is missing or of an older text (B8). The `embed` job
 * then computes it as for new ones. One statement per 5,000 rows. Resolves to the number marked.
 */
export async function checkVectors(database: Sql, model: string, signal: AbortSignal): Promise<number> {
  const windows = [
    (after: string) => markMissingVectors(database, model, 'memories', after),
    (after: string) => markMissingVectors(database, model, 'chunks', after),
    (after: string) => markMissingTurnParts(database, model, after),
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
