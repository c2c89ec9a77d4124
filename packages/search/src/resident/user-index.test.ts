import { expect, test } from '@jest/globals';
import { packPage } from './index-page.fixture.ts';
import { createIndexBuilder, idsOf } from './user-index.ts';

const OF = { watermark: '7', model: 'm' };

test('an index has the memories of all its pages', async () => {
  const builder = createIndexBuilder();
  builder.add(
    packPage([
      {
        length: 10,
        keys: [9, 5],
        lexemes: ['nine', 'tiger5'],
        text: 'nine tigers',
        bits: '101',
        facets: ['project:Apollo', 'tier:2'],
      },
      { length: 20, keys: [], text: 'two\n\u00a0tigers ' },
    ]),
  );
  const last = packPage([
    { length: 30, keys: [5, 2 ** 53 - 1], bits: '011', id: 9, facets: ['project:Hermes', 'tier:2'] },
  ]);
  builder.add({ ...last, upcoming: Buffer.alloc(16, 7) });
  expect(builder.upcoming()).toBe(1);
  const index = await builder.build(OF);
  expect(index).toMatchObject({ ...OF, size: 3, projects: ['Apollo', 'Hermes'] });
  expect(index.pieces.split('\n')).toEqual(['nine', 'tigers', 'two']);
  expect([...index.spelt]).toEqual([['nine', 9]]);
  expect(index.upcoming).toEqual(Buffer.alloc(16, 7));
  expect([...index.lengths]).toEqual([10, 20, 30]);
  expect([...index.rowOfCode]).toEqual([0, 2]);
  expect(index.codes).toMatchObject({ size: 2, dimensions: 3 });
  expect([...index.codes.words]).toEqual([0xa000_0000, 0x6000_0000]);
  expect([...(index.facets.get('tier:2') ?? [])]).toEqual([0, 2]);
  expect([...index.postings.keys]).toEqual([5, 9, 2 ** 53 - 1]);
  expect([...index.postings.starts]).toEqual([0, 2, 3, 4]);
  expect([...index.postings.rows]).toEqual([0, 2, 0, 2]);
  expect(idsOf(index, [2, 0])).toEqual(Buffer.concat([Buffer.alloc(16, 9), Buffer.alloc(16, 0)]));
});

test('it takes about as many bytes as its builder says', async () => {
  const builder = createIndexBuilder();
  builder.add(
    packPage(
      Array.from({ length: 50 }, (_, n) => ({
        length: n,
        keys: [1, n + 2],
        lexemes: ['one', `lexeme${'x'.repeat(n)}`],
        text: `piece ${n}`,
        bits: '1'.repeat(384),
        facets: [`tag:${n}`, 'tier:2'],
      })),
    ),
  );
  const { ids, lengths, begins, codes, rowOfCode, postings, facets, pieces, spelt } = await builder.build(OF);
  const parts = [ids, lengths, begins, codes.words, rowOfCode, postings.keys, postings.starts, postings.rows];
  const bytes = [...parts, ...facets.values()].reduce((sum, part) => sum + part.byteLength, 0);
  const names = [...facets.keys(), ...spelt.keys()];
  const maps = names.reduce((sum, name) => sum + 200 + 2 * name.length, 0);
  expect(Math.abs(bytes + maps + 2 * pieces.length - builder.bytes())).toBeLessThan(10);
});

test('a user who has nothing', async () => {
  expect(await createIndexBuilder().build(OF)).toMatchObject({ size: 0, codes: { size: 0 }, projects: [] });
});

test('while an index of many lexemes is built, others have their turn', async () => {
  const builder = createIndexBuilder();
  const keys = Array.from({ length: 100_000 }, (_, n) => n + 1);
  builder.add(packPage([{ length: 10, keys }]));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const index = await builder.build(OF);
  isOver = true;
  expect(index.postings.keys).toHaveLength(keys.length);
  expect(turns).toBeGreaterThanOrEqual(keys.length / 25_000);
});
