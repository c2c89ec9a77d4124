import type { List } from '@factmill/contracts';

/** Every item of a list, page after page; a page is fetched when the one before has been used up. */
export async function* everyItem<T>(
  fetchPage: (cursor: string | undefined) => Promise<List<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const page: List<T> = await fetchPage(cursor);
    yield* page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
