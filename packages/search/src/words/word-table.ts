import { type ScoreOf, weighWords } from './weigh-words.ts';

/** Which of a user's memories have which words, as they were read at one time. Rows are numbered in the order of ids. */
export type WordTable = Readonly<{
  size: number;
  /** Of each row the 16 bytes of its id. */
  ids: Buffer;
  /** Of each row how long its text is, in characters. */
  lengths: Uint32Array;
  /** Of each word its key, ascending. */
  keys: BigInt64Array;
  /** Where the rows of a word begin; those of the next begin where they end. */
  starts: Uint32Array;
  /** Of all words the rows that have them, ascending for each. */
  rows: Uint32Array;
}>;

/** What Postgres sends of a table: big-endian, one after the other. */
export type PackedWords = Readonly<{
  ids: Buffer;
  lengths: Buffer;
  keys: Buffer;
  /** How many rows each word has. */
  counts: Buffer;
  rows: Buffer;
}>;

/** A row with at least one of the words. */
type ScoredRow = Readonly<{ row: number; score: number }>;

export type WordScores = Readonly<{
  /** Best first, then in the order of their ids. */
  best: ScoredRow[];
  /** How many rows have at least one of the words. */
  found: number;
  /** How many rows have each word. */
  frequencies: number[];
  scoreOf: ScoreOf;
}>;

const ID_BYTES = 16;
/** Words are told apart by the bits of a number. */
export const MOST_WORDS = 30;

/** @throws RangeError when the parts are not of one table */
export function readWordTable(packed: PackedWords): WordTable {
  const size = packed.ids.length / ID_BYTES;
  const counts = toNumbers(packed.counts);
  const rows = toNumbers(packed.rows);
  const lengths = toNumbers(packed.lengths);
  const keys = new BigInt64Array(copyOf(packed.keys).swap64().buffer);
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, at) => (starts[at + 1] = (starts[at] ?? 0) + count));
  if (lengths.length !== size || keys.length !== counts.length || starts.at(-1) !== rows.length) {
    throw new RangeError('The parts are not of one table of words.');
  }
  return { size, ids: packed.ids, lengths, keys, starts, rows };
}

/** Bytes that a table takes. */
export function sizeOfWords({ ids, lengths, keys, starts, rows }: WordTable): number {
  return [ids, lengths, keys, starts, rows].reduce((sum, part) => sum + part.byteLength, 0);
}

/** The ids of rows, 16 bytes each. */
export function idsOf({ ids }: WordTable, rows: readonly number[]): Buffer {
  return Buffer.concat(rows.map((row) => ids.subarray(row * ID_BYTES, (row + 1) * ID_BYTES)));
}

/**
 * For each row the bits of its words, all 0 between two calls; and the rows that have some. To get and clear memory for
 * each would take as long.
 */
let marks = new Uint32Array(1_024);
let touched = new Uint32Array(1_024);

/**
 * The rows with at least one of the words (none has a null), weighed by BM25 with the frequencies of the words among
 * the rows found.
 *
 * @param words keys, at most MOST_WORDS
 */
export function scoreWords(table: WordTable, words: readonly (bigint | null)[], most: number): WordScores {
  const { size, lengths } = table;
  if (marks.length < size) [marks, touched] = [new Uint32Array(size), new Uint32Array(size)];
  let found = 0;
  let sumOfLengths = 0;
  const frequencies = words.map((key, word) => {
    const [from, to] = key === null ? [0, 0] : rangeOf(table, key);
    for (let at = from; at < to; at += 1) {
      const row = table.rows[at] ?? 0;
      if (marks[row] === 0) {
        touched[found] = row;
        found += 1;
        sumOfLengths += lengths[row] ?? 0;
      }
      marks[row] = (marks[row] ?? 0) | (1 << word);
    }
    return to - from;
  });
  const scoreOf = weighWords(frequencies, found, sumOfLengths);
  const best: ScoredRow[] = [];
  for (let at = 0; at < found; at += 1) {
    const row = touched[at] ?? 0;
    const score = scoreOf(marks[row] ?? 0, lengths[row] ?? 0);
    marks[row] = 0;
    const last = best[most - 1];
    if (last === undefined || score > last.score || (score === last.score && row < last.row)) {
      insert(best, { row, score }, most);
    }
  }
  return { best, found, frequencies, scoreOf };
}

/** Where a word's rows are; nowhere when none has it. */
function rangeOf({ keys, starts }: WordTable, key: bigint): [number, number] {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0n) < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? [starts[low] ?? 0, starts[low + 1] ?? 0] : [0, 0];
}

/** Into a list in order, of which no more than so many stay. */
function insert(best: ScoredRow[], entry: ScoredRow, most: number): void {
  if (best.length === most) best.pop();
  let at = best.length;
  while (at > 0 && isBefore(entry, best[at - 1] as ScoredRow)) at -= 1;
  best.splice(at, 0, entry);
}

function isBefore(one: ScoredRow, other: ScoredRow): boolean {
  return one.score > other.score || (one.score === other.score && one.row < other.row);
}

function toNumbers(bytes: Buffer): Uint32Array<ArrayBuffer> {
  return new Uint32Array(copyOf(bytes).swap32().buffer);
}

/** In memory of its own, which begins where numbers may begin. */
function copyOf(bytes: Buffer): Buffer<ArrayBuffer> {
  const own = Buffer.from(new ArrayBuffer(bytes.length));
  own.set(bytes);
  return own;
}
