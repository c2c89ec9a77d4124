type Pages<T> = Readonly<{ pages: readonly Readonly<{ data: readonly T[] }>[] }>;

/** All rows that have been fetched so far, without a copy of them. */
export type FetchedRows<T> = Readonly<{ count: number; at: (index: number) => T | undefined }>;

export function toFetchedRows<T>(data: Pages<T> | undefined): FetchedRows<T> {
  const pages = data?.pages ?? [];
  const starts: number[] = [];
  let count = 0;
  for (const page of pages) {
    starts.push(count);
    count += page.data.length;
  }
  const at = (index: number) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return pages[low]?.data[index - (starts[low] ?? 0)];
  };
  return { count, at };
}
