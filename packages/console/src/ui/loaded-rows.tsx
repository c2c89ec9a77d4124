import type { List } from '@factmill/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type RowColumn, Rows } from './rows.tsx';
import { Loaded } from './states.tsx';

/** A short list of the API as a table, or `empty` where it has none. */
export function LoadedRows<T>({
  query,
  what,
  empty,
  ...table
}: Readonly<{
  query: UseQueryResult<Pick<List<T>, 'data'>>;
  what: string;
  empty: ReactNode;
  caption: string;
  columns: readonly RowColumn<T>[];
  keyOf: (row: T) => string;
}>) {
  return (
    <Loaded query={query} what={what}>
      {({ data }) => (data.length === 0 ? empty : <Rows rows={data} {...table} />)}
    </Loaded>
  );
}
