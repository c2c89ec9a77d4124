import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packPage } from './index-page.fixture.ts';
import { createIndexBuilder } from './user-index.ts';
import { createVocabulary } from './vocabulary.ts';

const NOTHING = { count: 0, texts: [], lexemes: [] };

function indexOf(texts: readonly string[]) {
  const builder = createIndexBuilder();
  builder.add(packPage(texts.map((text) => ({ length: text.length, keys: [], text }))));
  return builder.build({ watermark: '1', model: null });
}

test('a text that one of the memories has is never said to be in none', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'ß', '京', ' ', '\n', '\u00a0', '.', '%'),
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 5 }),
      fc.array(text, { maxLength: 2 }),
      async (texts, since) => {
        const vocabulary = createVocabulary(
          await indexOf(texts),
          null,
          { ...NOTHING, texts: since },
          new Map(),
        );
        for (const one of [...texts, ...since]) {
          for (let at = 0; at < one.length; at += 1)
            expect(vocabulary.mayContain(one.slice(at, at + 5))).toBe(true);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test.each([
  ['gard', true],
  ['GARDEN', true],
  ['den i', true],
  ['garden.', false],
  ['kitchen', false],
  ['garden kitchen', false],
  ['kitchén', true],
])('whether %s may be in a text: %s', async (part, may) => {
  const { mayContain } = createVocabulary(await indexOf(['the garden in may']), null, NOTHING, new Map());
  expect(mayContain(part)).toBe(may);
});

test('a lexeme is where a memory that passes has it, or one that was written since', async () => {
  const builder = createIndexBuilder();
  builder.add(
    packPage([
      { length: 5, keys: [7, 8], lexemes: ['garden', 'may'] },
      { length: 5, keys: [9], lexemes: ['kitchen'] },
    ]),
  );
  const index = await builder.build({ watermark: '1', model: null });
  const since = { ...NOTHING, lexemes: ['attic'] };
  const { mayHave, spelt } = createVocabulary(index, new Uint8Array([1, 0]), since, new Map());
  expect([...spelt()]).toEqual(['garden', 'may', 'kitchen', 'attic']);
  expect(['garden', 'kitchen', 'attic', 'cellar'].map(mayHave)).toEqual([true, false, true, false]);
});
