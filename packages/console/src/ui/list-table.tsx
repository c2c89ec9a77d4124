import {
  type ColumnDef,
  createColumnHelper,
  FlexRender,
  type Row,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import { Button } from './button.tsx';
import { toFetchedRows } from './fetched-rows.ts';
import type { ListQuery } from './list-query.ts';
import { ErrorNotice, Loading } from './states.tsx';

const features = tableFeatures({});

export type ListColumn<T> = Readonly<{
  id: string;
  header: string;
  /** A track of a CSS grid. */
  width: string;
  cell: (row: T) => ReactNode;
  /** The field that the API sorts by. */
  sortBy?: string;
  /** Left out on narrow screens. */
  onlyWide?: boolean;
}>;

type Sorting = Readonly<{ by: string; order: 'asc' | 'desc'; onSort: (by: string) => void }>;

type ListTableProps<T> = Readonly<{
  label: string;
  query: ListQuery<T>;
  columns: readonly ListColumn<T>[];
  keyOf: (row: T) => string;
  sorting?: Sorting;
  isMarked?: (row: T) => boolean;
  /** Shown when the list is empty. */
  empty: ReactNode;
}>;

const ROW_HEIGHT = 37;
/** The next page is fetched when so few rows are left below. */
const FETCH_AHEAD = 60;

/** A list of any length: only the rows in sight are in the page, and more are fetched on the way down. */
export function ListTable<T extends object>(props: ListTableProps<T>) {
  const { query, empty } = props;
  if (query.data === undefined) {
    return query.isError ? (
      <ErrorNotice error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Loading what="the list" />
    );
  }
  if (query.data.pages.every(({ data }) => data.length === 0) && !query.hasNextPage) return empty;
  return (
    <>
      {query.isError && <ErrorNotice error={query.error} retry={() => void query.fetchNextPage()} />}
      <VirtualRows {...props} />
    </>
  );
}

function VirtualRows<T extends object>(props: ListTableProps<T>) {
  const { label, query, columns, keyOf, sorting, isMarked } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => toFetchedRows(query.data), [query.data]);
  const virtualizer = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && last >= rows.count - FETCH_AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage, last, rows.count]);

  // The table gets the rows in sight only: models of all of them would be built anew with every page that comes.
  const first = items[0]?.index ?? 0;
  const inSight = useMemo(
    () => Array.from({ length: last - first + 1 }, (_, place) => rows.at(first + place)).filter(isThere),
    [rows, first, last],
  );
  const definitions = useMemo(() => toDefinitions(columns), [columns]);
  const table = useTable({ features, columns: definitions, data: inSight, getRowId: (row: T) => keyOf(row) });
  const tracks = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--columns-narrow': columns
      .filter(({ onlyWide }) => onlyWide !== true)
      .map(({ width }) => width)
      .join(' '),
  } as CSSProperties;

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- listens to links and boxes in the rows
    <div className="list" ref={scroller} onKeyDown={(event) => moveFocus(event, virtualizer, rows.count)}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : rows.count + 1}
        className="list-table"
        style={tracks}
      >
        <ListHead columns={columns} sorting={sorting} />
        <div role="rowgroup" className="list-body" style={{ height: virtualizer.getTotalSize() }}>
          {table.getRowModel().rows.map((row, place) => (
            <ListRow
              key={row.id}
              row={row}
              index={first + place}
              columns={columns}
              isMarked={isMarked?.(row.original) === true}
            />
          ))}
        </div>
      </div>
      <p className="list-end muted" role="status">
        {isFetching && hasNextPage ? 'Loading more…' : `${rows.count}${hasNextPage ? '+' : ''} shown`}
      </p>
    </div>
  );
}

type ListRowProps<T extends object> = Readonly<{
  row: Row<typeof features, T>;
  index: number;
  columns: readonly ListColumn<T>[];
  isMarked: boolean;
}>;

function PlainListRow<T extends object>({ row, index, columns, isMarked }: ListRowProps<T>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={isMarked ? 'list-row marked' : 'list-row'}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
    >
      {row.getAllCells().map((cell, column) => (
        <div key={cell.id} role="cell" className={cellClass(columns[column])}>
          <FlexRender cell={cell} />
        </div>
      ))}
    </div>
  );
}

/** The table makes all its rows anew as the list scrolls; one that shows the same stays as it is. */
const ListRow = memo(
  PlainListRow,
  (before, after) =>
    before.row.original === after.row.original &&
    before.index === after.index &&
    before.columns === after.columns &&
    before.isMarked === after.isMarked,
) as typeof PlainListRow;

function ListHead<T>({
  columns,
  sorting,
}: Readonly<{ columns: readonly ListColumn<T>[]; sorting: Sorting | undefined }>) {
  return (
    <div role="rowgroup" className="list-head">
      <div role="row" aria-rowindex={1} className="list-row">
        {columns.map((column) => {
          const { id, header, sortBy } = column;
          const isSorted = sorting !== undefined && sortBy === sorting.by;
          const direction = sorting?.order === 'asc' ? 'ascending' : 'descending';
          return (
            <div
              key={id}
              role="columnheader"
              className={cellClass(column)}
              aria-sort={isSorted ? direction : undefined}
            >
              {sorting === undefined || sortBy === undefined ? (
                header
              ) : (
                <Button variant="quiet" className="sort" onClick={() => sorting.onSort(sortBy)}>
                  {header}
                  <span aria-hidden="true">{isSorted ? (sorting.order === 'asc' ? ' ▲' : ' ▼') : ''}</span>
                </Button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function toDefinitions<T extends object>(columns: readonly ListColumn<T>[]) {
  const helper = createColumnHelper<typeof features, T>();
  return columns.map(({ id, header, cell }) =>
    helper.display({ id, header, cell: ({ row }) => cell(row.original) }),
  ) as ColumnDef<typeof features, T>[];
}

function cellClass(column: Readonly<{ onlyWide?: boolean }> | undefined): string {
  return column?.onlyWide === true ? 'list-cell only-wide' : 'list-cell';
}

function isThere<T>(row: T | undefined): row is T {
  return row !== undefined;
}

const JUMPS: Readonly<Record<string, (page: number) => number>> = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  PageDown: (page) => page,
  PageUp: (page) => -page,
  Home: () => -Infinity,
  End: () => Infinity,
};

/** Arrow keys, Page up and down, Home and End go from row to row, staying in the column. */
function moveFocus(
  event: KeyboardEvent<HTMLDivElement>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  count: number,
): void {
  const jump = JUMPS[event.key];
  const element = event.target as HTMLElement;
  const row = element.closest<HTMLElement>('[data-index]');
  if (jump === undefined || row === null || element.matches('input:not([type=checkbox]), select')) return;
  event.preventDefault();
  const scroller = event.currentTarget;
  const perPage = Math.max(1, Math.floor(scroller.clientHeight / ROW_HEIGHT) - 2);
  const target = Math.min(count - 1, Math.max(0, Number(row.dataset['index']) + jump(perPage)));
  const place = focusableIn(row).indexOf(element);
  virtualizer.scrollToIndex(target);
  // The row may have to be rendered first.
  const focus = (framesLeft: number): void => {
    const next = scroller.querySelector<HTMLElement>(`[data-index="${target}"]`);
    if (next === null && framesLeft > 0) requestAnimationFrame(() => focus(framesLeft - 1));
    else if (next !== null)
      (focusableIn(next)[place] ?? focusableIn(next)[0])?.focus({ preventScroll: true });
  };
  requestAnimationFrame(() => focus(10));
}

function focusableIn(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('a, button, input')];
}
