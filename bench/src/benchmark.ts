/** One line of the results. */
export type Row = Readonly<{
  benchmark: string;
  measure: string;
  ours: string;
  /** Empty: the measure has none. */
  baseline?: string;
  ratio?: number;
  /** What is aimed for, in words, and whether it was reached. */
  aim?: Readonly<{ text: string; reached: boolean }>;
}>;

type Options = Readonly<{
  /** Small amounts, to see that everything runs; the numbers mean little. */
  quick: boolean;
  profileDirectory?: string | undefined;
  /** URL of a database of `search-large` that is filled when it is empty and kept. */
  keptDatabase?: string | undefined;
  /** Of `embedded-search`: how many memories the user has. */
  memories?: number | undefined;
}>;

export type Benchmark = (options: Options) => Promise<Row[]>;

/** `12.3 ms`, `1,234 ms`. */
export function inMs(ms: number): string {
  return `${ms < 100 ? ms.toFixed(1) : grouped(ms)} ms`;
}

/** `1,234`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en');
}
