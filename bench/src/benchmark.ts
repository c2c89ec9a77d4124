/** One line of the results. */
export type Row = Readonly<{
  benchmark: string;
  measure: string;
  ours: string;
  /** Empty for a measure without unit. */
  baseline?: string;
  ratio?: number;
  /** The aim in words, and whether it was reached. */
  aim?: Readonly<{ text: string; reached: boolean }>;
}>;

type Options = Readonly<{
  /** Small amounts, to check that everything runs; the numbers mean little. */
  quick: boolean;
  profileDirectory?: string | undefined;
  /** URL of a database for `search-large`; it is filled when empty, and kept. */
  keptDatabase?: string | undefined;
  /** `embedded` only: how many memories its single user has. Without it there are three users. */
  memories?: number | undefined;
}>;

export type Benchmark = (options: Options) => Promise<Row[]>;

/** `12.3 ms`, `1,234 ms`. */
export function inMs(ms: number): string {
  return `${ms < 100 ? ms.toFixed(1) : grouped(ms)} ms`;
}

/** `0.123 ms`. */
export function inFineMs(ms: number): string {
  return `${ms.toFixed(3)} ms`;
}

/** `1,234`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en');
}
