import type { ReactNode } from 'react';

export type RowColumn<T> = Readonly<{ header: string; cell: (row: T) => ReactNode; isNumber?: boolean }>;

/** A table of few rows. Wide ones scroll in themselves, by keyboard as well. */
export function Rows<T>({
  caption,
  columns,
  rows,
  keyOf,
}: Readonly<{
  caption: string;
  columns: readonly RowColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
    <div className="rows" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ header, isNumber }) => (
              <th key={header} scope="col" className={isNumber === true ? 'number' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ header, cell, isNumber }) => (
                <td key={header} className={isNumber === true ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
