import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LENGTH, SATURATION } from './weigh-words.ts';
import { idsOf, type PackedWords, readWordTable, scoreWords } from './word-table.ts';

/** A memory by its length and the keys of its words; its row is its place. */
type Memory = Readonly<{ length: number; words: readonly bigint[] }>;

function pack(memories: readonly Memory[]): PackedWords {
  const keys = [...new Set(memories.flatMap(({ words }) => words))].sort((a, b) => (a < b ? -1 : 1));
  const rowsOf = (key: bigint) => memories.flatMap(({ words }, row) => (words.includes(key) ? [row] : []));
  const numbers = (all: readonly number[]) => {
    const bytes = Buffer.alloc(4 * all.length);
    all.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
    return bytes;
  };
  const packedKeys = Buffer.alloc(8 * keys.length);
  keys.forEach((key, at) => packedKeys.writeBigInt64BE(key, 8 * at));
  return {
    ids: Buffer.concat(memories.map((_, row) => Buffer.alloc(16, row))),
    lengths: numbers(memories.map(({ length }) => length)),
    keys: packedKeys,
    counts: numbers(keys.map((key) => rowsOf(key).length)),
    rows: numbers(keys.flatMap(rowsOf)),
  };
}

/** BM25 as it is written in books, over the memories with one of the words. */
function bm25(
  memories: readonly Memory[],
  query: readonly (bigint | null)[],
): [row: number, score: number][] {
  const has = ({ words }: Memory, key: bigint | null) => key !== null && words.includes(key);
  const found = memories.flatMap((memory, row) =>
    query.some((key) => has(memory, key)) ? [[row, memory] as const] : [],
  );
  const average = found.reduce((sum, [, { length }]) => sum + length, 0) / found.length;
  const weights = query.map((key) => {
    const count = found.filter(([, memory]) => has(memory, key)).length;
    return Math.log(1 + (found.length - count + 0.5) / (count + 0.5));
  });
  return found
    .map(([row, memory]): [number, number] => {
      const weight = weights.reduce((sum, one, at) => sum + (has(memory, query[at] ?? null) ? one : 0), 0);
      return [row, weight / (1 - LENGTH + 1 / SATURATION + (LENGTH * memory.length) / average)];
    })
    .sort(([rowA, a], [rowB, b]) => b - a || rowA - rowB);
}

const keys = fc.bigInt({ min: -4n, max: 4n }).map((key) => key * 2n ** 60n);
const memory = fc.record({
  length: fc.integer({ min: 1, max: 300 }),
  words: fc.uniqueArray(keys, { maxLength: 6 }),
});
const queries = fc.uniqueArray(fc.oneof(keys, fc.constant(null)), { minLength: 1, maxLength: 6 });

test('the best by BM25 are found, best first, then in their order', () => {
  fc.assert(
    fc.property(fc.array(memory, { maxLength: 60 }), queries, fc.nat(20), (memories, query, most) => {
      const expected = bm25(memories, query);
      const { best, found, frequencies, scoreOf } = scoreWords(
        readWordTable(pack(memories)),
        query,
        most + 1,
      );
      expect(found).toBe(expected.length);
      expect(best.map(({ row, score }) => [row, score])).toEqual(expected.slice(0, most + 1));
      expect(frequencies).toEqual(
        query.map((key) => memories.filter(({ words }) => key !== null && words.includes(key)).length),
      );
      for (const { row, score } of best) {
        const { words, length } = memories[row] as Memory;
        const bits = query.reduce(
          (sum, key, at) => sum | (key !== null && words.includes(key) ? 1 << at : 0),
          0,
        );
        expect(scoreOf(bits, length)).toBe(score);
      }
    }),
  );
});

test('what no memory has still has a score for those to come', () => {
  const { found, scoreOf } = scoreWords(readWordTable(pack([])), [1n, null], 5);
  expect(found).toBe(0);
  expect(scoreOf(1, 40)).toBeGreaterThan(0);
});

test('ids are given by row, and parts of different tables are refused', () => {
  const table = readWordTable(pack([1, 2, 3].map((length) => ({ length, words: [7n] }))));
  expect(idsOf(table, [2, 0])).toEqual(Buffer.concat([Buffer.alloc(16, 2), Buffer.alloc(16, 0)]));
  const packed = pack([{ length: 1, words: [7n] }]);
  expect(() => readWordTable({ ...packed, rows: Buffer.alloc(8) })).toThrow(RangeError);
});
