import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { B, K1 } from '../bm25.ts';
import { type IndexedMemory, packPage } from './index-page.fixture.ts';
import { scoreTerms } from './score-terms.ts';
import { createIndexBuilder } from './user-index.ts';

function indexOf(memories: readonly IndexedMemory[]) {
  const builder = createIndexBuilder();
  builder.add(packPage(memories));
  return builder.build({ watermark: '1', model: null });
}

/** BM25 as it is written in books, over the memories with one of the terms; of equal ones the smallest id first. */
function bm25(
  memories: readonly IndexedMemory[],
  query: readonly (number | null)[],
): [row: number, score: number][] {
  const has = ({ keys }: IndexedMemory, key: number | null) => key !== null && keys.includes(key);
  const found = memories.flatMap((memory, row) =>
    query.some((key) => has(memory, key)) ? [[row, memory] as const] : [],
  );
  const average = found.reduce((sum, [, { length }]) => sum + length, 0) / found.length;
  const weights = query.map((key) => {
    const count = found.filter(([, memory]) => has(memory, key)).length;
    return Math.log(1 + (found.length - count + 0.5) / (count + 0.5));
  });
  const idOf = (row: number) => memories[row]?.id ?? row;
  return found
    .map(([row, memory]): [number, number] => {
      const weight = weights.reduce((sum, one, at) => sum + (has(memory, query[at] ?? null) ? one : 0), 0);
      return [row, weight / (1 - B + 1 / K1 + (B * memory.length) / average)];
    })
    .sort(([rowA, a], [rowB, b]) => b - a || idOf(rowA) - idOf(rowB));
}

const keys = fc.constantFrom(0, 1, 2, 3, 2 ** 32, 2 ** 53 - 1);
const memories = fc
  .array(
    fc.record({ length: fc.integer({ min: 1, max: 300 }), keys: fc.uniqueArray(keys, { maxLength: 6 }) }),
    { maxLength: 60 },
  )
  // As random ids are: in another order than the rows.
  .map((all) => all.map((memory, row) => ({ ...memory, id: (row * 37) % 61 })));
const queries = fc.uniqueArray(fc.oneof(keys, fc.constant(null)), { minLength: 1, maxLength: 6 });

test('the best by BM25 are found, best first, then in the order of their ids', async () => {
  await fc.assert(
    fc.asyncProperty(memories, queries, fc.nat(20), async (all, query, more) => {
      const expected = bm25(all, query);
      const { best, found, documentFrequencies, scoreOf } = scoreTerms(await indexOf(all), query, more + 1);
      expect(found).toBe(expected.length);
      expect(best.map(({ row, score }) => [row, score])).toEqual(expected.slice(0, more + 1));
      expect(documentFrequencies).toEqual(
        query.map((key) => all.filter((memory) => key !== null && memory.keys.includes(key)).length),
      );
      for (const { row, score, terms } of best) {
        const memory = all[row] as IndexedMemory;
        const bits = query.reduce<number>(
          (sum, key, at) => sum | (key !== null && memory.keys.includes(key) ? 1 << at : 0),
          0,
        );
        expect([terms, scoreOf(bits, memory.length)]).toEqual([bits, score]);
      }
    }),
  );
});

test('terms that no memory of the index has still give a score to those of the delta', async () => {
  const { found, scoreOf } = scoreTerms(await indexOf([]), [1, null], 5);
  expect(found).toBe(0);
  expect(scoreOf(1, 40)).toBeGreaterThan(0);
});
