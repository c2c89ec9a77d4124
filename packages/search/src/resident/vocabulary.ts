import type { Vocabulary } from '../channels/full-text-hits.ts';
import { rangeOf } from './score-terms.ts';
import { idsOf, type UserIndex } from './user-index.ts';
import { uuidAt } from './uuids.ts';

/** What was written since the watermark of an index: how much, its texts, and its lexemes without digits. */
export type WrittenSince = Readonly<{ count: number; texts: readonly string[]; lexemes: readonly string[] }>;

/** Up to so many memories have their texts read one by one. */
const MAX_AMONG = 200;

const ASCII = /^\p{ASCII}*$/u;

/**
 * What words the memories of an index have, and those written since.
 *
 * @param passing the rows that there are at all, not 0; null: all
 * @param stems lexemes of the terms that are asked about
 */
export function createVocabulary(
  index: Pick<UserIndex, 'ids' | 'pieces' | 'spelt' | 'postings'>,
  passing: Uint8Array | null,
  since: WrittenSince,
  stems: ReadonlyMap<string, string>,
): Vocabulary {
  const lexemesSince = new Set(since.lexemes);
  const isPassing = (key: number | undefined) => {
    if (key === undefined) return false;
    const [from, to] = rangeOf(index.postings, key);
    return index.postings.rows.subarray(from, to).some((row) => passing?.[row] !== 0);
  };
  return {
    mayContain(text) {
      // What is lower case beyond ASCII depends on the database's locale.
      if (!ASCII.test(text)) return true;
      const folded = text.toLowerCase();
      const pieces = folded.match(/\S+/g) ?? [];
      return (
        pieces.every((piece) => index.pieces.includes(piece)) ||
        since.texts.some((one) => one.includes(folded))
      );
    },
    spelt: () => new Set([...index.spelt.keys(), ...lexemesSince]),
    stemOf: (term) => stems.get(term) ?? term,
    mayHave: (lexeme) => lexemesSince.has(lexeme) || isPassing(index.spelt.get(lexeme)),
    // What was written since may pass as well.
    among: passing === null || since.count > 0 ? null : fewOf(index, passing),
  };
}

/** The ids of the rows that pass; null when they are too many. */
function fewOf(index: Pick<UserIndex, 'ids'>, passing: Uint8Array): string[] | null {
  const rows: number[] = [];
  for (let row = 0; row < passing.length && rows.length <= MAX_AMONG; row += 1) {
    if (passing[row] !== 0) rows.push(row);
  }
  const ids = idsOf(index, rows);
  return rows.length > MAX_AMONG ? null : rows.map((_, at) => uuidAt(ids, at));
}
