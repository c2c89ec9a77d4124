import type { ReplayDiff as Page } from '@factmill/contracts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { Button } from '../ui/button.tsx';
import { CountGroup } from '../ui/count-group.tsx';
import { Empty, ErrorNotice, Loading } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';
import { DiffItems } from './diff-items.tsx';

const CHANGES = ['added', 'changed', 'gone', 'same'] as const;

/** What is served beside what the shadow has, by kind of change. `version` changes when it has to be compared anew. */
export function ReplayDiff({ id, version }: Readonly<{ id: string; version: string }>) {
  const [search, change] = useUrlSearch();
  const chosen = CHANGES.find((name) => name === search['change']);
  const diff = useInfiniteQuery({
    queryKey: ['replays', 'diff', id, version, chosen],
    queryFn: ({ pageParam, signal }) =>
      client.replays.diff(
        id,
        { ...(chosen === undefined ? {} : { change: chosen }), cursor: pageParam, limit: 50 },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const again = () => void diff.refetch();
  if (diff.data === undefined)
    return diff.isError ? (
      <ErrorNotice error={diff.error} retry={again} />
    ) : (
      <Loading what="the comparison" />
    );
  const items = diff.data.pages.flatMap(({ data }) => data);
  const counts = diff.data.pages[0]?.counts ?? {};
  return (
    <>
      {diff.isError && <ErrorNotice error={diff.error} retry={again} />}
      <div className="ledger-counts">
        <CountGroup
          name="Memories"
          counts={counts}
          chosen={chosen ?? ''}
          choose={(name) => change({ change: name })}
        />
      </div>
      {items.length === 0 ? (
        <Empty title={chosen === undefined ? 'It would change nothing.' : `None is ${chosen}.`} />
      ) : (
        <DiffItems items={items} />
      )}
      {diff.hasNextPage && (
        <p className="page-actions">
          <Button onClick={() => void diff.fetchNextPage()} disabled={diff.isFetchingNextPage}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}
