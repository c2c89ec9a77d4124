import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergeVectorThenText, type TextHit, type VectorHit } from './merge-vector-then-text.ts';

const id = fc.integer({ min: 0, max: 30 }).map(String);
const vectorHit = fc.record({
  id,
  item: fc.constant(null),
  similarity: fc.double({ min: -1, max: 1, noNaN: true }),
});
const textHit = fc.record({ id, item: fc.constant(null), score: fc.double({ min: 0, max: 1, noNaN: true }) });
const hits = fc.record({
  vector: fc.uniqueArray(vectorHit, { selector: (hit) => hit.id }),
  text: fc.uniqueArray(textHit, { selector: (hit) => hit.id }),
  limit: fc.integer({ min: 1, max: 40 }),
});

function vector(id: string, similarity: number): VectorHit<string> {
  return { id, item: `memory ${id}`, similarity };
}

function text(id: string, score: number): TextHit<string> {
  return { id, item: `memory ${id}`, score };
}

describe('mergeVectorThenText', () => {
  test('vector hits come first, then text hits that are not among them', () => {
    const merged = mergeVectorThenText(
      [vector('a', 0.4), vector('b', 0.8)],
      [text('c', 0.5), text('a', 1)],
      5,
    );
    expect(merged).toEqual([
      { id: 'b', item: 'memory b', score: 0.8, similarity: 0.8, channels: ['vector'] },
      { id: 'a', item: 'memory a', score: 0.4, similarity: 0.4, channels: ['vector', 'text'] },
      { id: 'c', item: 'memory c', score: 0.2, channels: ['text'] },
    ]);
  });

  test('text hits alone keep their scores', () => {
    expect(mergeVectorThenText([], [text('a', 0.2), text('b', 0.9)], 1)).toEqual([
      { id: 'b', item: 'memory b', score: 0.9, channels: ['text'] },
    ]);
  });

  test('equal hits keep the order they came in', () => {
    const merged = mergeVectorThenText([vector('b', 0.5), vector('a', 0.5)], [text('d', 1), text('c', 1)], 4);
    expect(merged.map((hit) => hit.id)).toEqual(['b', 'a', 'd', 'c']);
  });

  test('no duplicates, and never fewer than there are', () => {
    fc.assert(
      fc.property(hits, ({ vector, text, limit }) => {
        const merged = mergeVectorThenText(vector, text, limit);
        const distinct = new Set([...vector, ...text].map((hit) => hit.id));
        expect(merged).toHaveLength(Math.min(limit, distinct.size));
        expect(new Set(merged.map((hit) => hit.id)).size).toBe(merged.length);
      }),
    );
  });

  test('scores lie in 0..1 and never rise, and text hits follow all vector hits', () => {
    fc.assert(
      fc.property(hits, ({ vector, text, limit }) => {
        const merged = mergeVectorThenText(vector, text, limit);
        let previous = 1;
        let vectorOver = false;
        for (const hit of merged) {
          expect(hit.score).toBeGreaterThanOrEqual(0);
          expect(hit.score).toBeLessThanOrEqual(previous);
          previous = hit.score;
          if (hit.similarity === undefined) vectorOver = true;
          else expect(vectorOver).toBe(false);
        }
      }),
    );
  });
});
