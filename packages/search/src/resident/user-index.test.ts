import { expect, test } from '@jest/globals';
import { packPage } from './index-page.fixture.ts';
import { createIndexBuilder, idsOf } from './user-index.ts';

const OF = { watermark: '7', model: 'm' };

test('an index has the memories of all its pages', () => {
  const builder = createIndexBuilder();
  builder.add(
    packPage([
      { length: 10, keys: [9, 5], bits: '101', facets: ['project:Apollo', 'tier:2'] },
      { length: 20, keys: [] },
    ]),
  );
  const last = packPage([
    { length: 30, keys: [5, 2 ** 53 - 1], bits: '011', id: 9, facets: ['project:Hermes', 'tier:2'] },
  ]);
  builder.add({ ...last, upcoming: Buffer.alloc(16, 7) });
  expect(builder.upcoming()).toBe(1);
  const index = builder.build(OF);
  expect(index).toMatchObject({ ...OF, size: 3, projects: ['Apollo', 'Hermes'] });
  expect(index.upcoming).toEqual(Buffer.alloc(16, 7));
  expect([...index.lengths]).toEqual([10, 20, 30]);
  expect([...index.rowOfCode]).toEqual([0, 2]);
  expect(index.codes).toMatchObject({ size: 2, dimensions: 3 });
  expect([...index.codes.bytes]).toEqual([0xa0, 0x60]);
  expect([...(index.facets.get('tier:2') ?? [])]).toEqual([0, 2]);
  expect([...index.postings.keys]).toEqual([5, 9, 2 ** 53 - 1]);
  expect([...index.postings.starts]).toEqual([0, 2, 3, 4]);
  expect([...index.postings.rows]).toEqual([0, 2, 0, 2]);
  expect(idsOf(index, [2, 0])).toEqual(Buffer.concat([Buffer.alloc(16, 9), Buffer.alloc(16, 0)]));
});

test('it takes about as many bytes as its builder says', () => {
  const builder = createIndexBuilder();
  builder.add(
    packPage(
      Array.from({ length: 50 }, (_, n) => ({
        length: n,
        keys: [1, n + 2],
        bits: '1'.repeat(384),
        facets: [`tag:${n}`, 'tier:2'],
      })),
    ),
  );
  const { ids, lengths, begins, codes, rowOfCode, postings, facets } = builder.build(OF);
  const parts = [ids, lengths, begins, codes.bytes, rowOfCode, postings.keys, postings.starts, postings.rows];
  const bytes = [...parts, ...facets.values()].reduce((sum, part) => sum + part.byteLength, 0);
  const maps = [...facets.keys()].reduce((sum, facet) => sum + 200 + 2 * facet.length, 0);
  expect(Math.abs(bytes + maps - builder.bytes())).toBeLessThan(10);
});

test('a user who has nothing', () => {
  expect(createIndexBuilder().build(OF)).toMatchObject({ size: 0, codes: { size: 0 }, projects: [] });
});
