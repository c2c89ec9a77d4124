import type { List } from '@factmill/contracts';
import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';

export type ListData<T> = InfiniteData<List<T>, string | undefined>;
export type ListQuery<T> = UseInfiniteQueryResult<ListData<T>>;

/** A list of the API, page after page as somebody reads on. */
export function useList<T>(
  queryKey: readonly unknown[],
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<List<T>>,
  options: Readonly<{ enabled?: boolean; refetchInterval?: number }> = {},
): ListQuery<T> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: List<T>) => page.next_cursor ?? undefined,
    ...options,
  });
}
