import { createBm25, type ScoreOf } from '../bm25.ts';
import { createScratch } from './scratch.ts';
import type { Postings, UserIndex } from './user-index.ts';

/** A row with at least one of the terms: those whose bits are set. */
type ScoredRow = Readonly<{ row: number; terms: number; score: number }>;

export type TermScores = Readonly<{
  /** Best first, then in the order of their ids. */
  best: ScoredRow[];
  /** How many rows have at least one of the terms, and how many have each. */
  found: number;
  documentFrequencies: number[];
  scoreOf: ScoreOf;
}>;

/** Terms are told apart by the bits of a number. */
export const MAX_TERMS = 30;

const ID_BYTES = 16;

/** The terms of each row; 0 between searches. */
const termsScratch = createScratch((length) => new Uint32Array(length));

/**
 * The best rows with at least one of the terms, by BM25 with the document frequencies of the index.
 *
 * @param keys of the terms, at most MAX_TERMS; no row has a null
 * @param passing the rows that there are at all, not 0; null: all
 */
export function scoreTerms(
  index: Pick<UserIndex, 'size' | 'ids' | 'lengths' | 'postings'>,
  keys: readonly (number | null)[],
  limit: number,
  passing: Uint8Array | null = null,
): TermScores {
  const { size, lengths, postings } = index;
  const terms = termsScratch(size);
  const rows: number[] = [];
  let totalLength = 0;
  const documentFrequencies = keys.map((key, term) => {
    const [from, to] = key === null ? [0, 0] : rangeOf(postings, key);
    let count = 0;
    for (let at = from; at < to; at += 1) {
      const row = postings.rows[at] ?? 0;
      if (passing?.[row] === 0) continue;
      count += 1;
      if (terms[row] === 0) {
        rows.push(row);
        totalLength += lengths[row] ?? 0;
      }
      terms[row] = (terms[row] ?? 0) | (1 << term);
    }
    return count;
  });
  const scoreOf = createBm25(documentFrequencies, rows.length, totalLength);
  const isBefore = (one: ScoredRow, other: ScoredRow) =>
    one.score > other.score || (one.score === other.score && compareIds(index.ids, one.row, other.row) < 0);
  const best: ScoredRow[] = [];
  // The oldest first: of equal ones their ids come first, so that the later ones displace none of them.
  for (let place = rows.length - 1; place >= 0; place -= 1) {
    const row = rows[place] ?? 0;
    const ofRow = terms[row] ?? 0;
    const score = scoreOf(ofRow, lengths[row] ?? 0);
    const last = best[limit - 1];
    if (last !== undefined && score < last.score) continue;
    const entry = { row, terms: ofRow, score };
    if (last !== undefined && !isBefore(entry, last)) continue;
    if (last !== undefined) best.pop();
    let at = best.length;
    while (at > 0 && isBefore(entry, best[at - 1] as ScoredRow)) at -= 1;
    best.splice(at, 0, entry);
  }
  for (const row of rows) terms[row] = 0;
  return { best, found: rows.length, documentFrequencies, scoreOf };
}

/** Where a lexeme's rows are; an empty range when none has it. */
export function rangeOf({ keys, starts }: Postings, key: number): [number, number] {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? [starts[low] ?? 0, starts[low + 1] ?? 0] : [0, 0];
}

function compareIds(ids: Buffer, one: number, other: number): number {
  for (let at = 0; at < ID_BYTES; at += 1) {
    const difference = (ids[one * ID_BYTES + at] ?? 0) - (ids[other * ID_BYTES + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
