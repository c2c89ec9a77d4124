import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deduplicate } from './deduplicate.ts';

const of = (...contents: string[]) => contents.map((content, index) => ({ id: String(index), content }));
const kept = (contents: string[], similarity: Parameters<typeof deduplicate>[1] = null) =>
  deduplicate(of(...contents), similarity).map(({ candidate }) => candidate.content);

describe('deduplicate', () => {
  test('case, punctuation and articles make no difference; every other word does', () => {
    expect(kept(['Has the cat Mina.', 'has cat: MINA', 'Has a dog', 'Had a dog'])).toEqual([
      'Has the cat Mina.',
      'Has a dog',
      'Had a dog',
    ]);
    expect(kept(['He moved', 'She moved', 'He never moved'])).toHaveLength(3);
    expect(kept(['我住在北京', '我住在北京。', '我住在南京'])).toEqual(['我住在北京', '我住在南京']);
    expect(kept(['!!!', '???', '!!!'])).toEqual(['!!!', '???']);
  });

  test('long texts are the same when they are equal', () => {
    const long = `The user likes tea${', and tea'.repeat(200)}.`;
    expect(kept([long, long, long.toUpperCase()])).toEqual([long, long.toUpperCase()]);
  });

  test('nearly equal vectors are duplicates unless the numbers differ', () => {
    const alike = { of: () => 0.999, duplicateSimilarity: 0.998 };
    expect(kept(['Born on 14 March', 'Born on 15 March', 'Birthday: March 14'], alike)).toEqual([
      'Born on 14 March',
      'Born on 15 March',
    ]);
    expect(kept(['Born on 14 March', 'Birthday: March 14'], { ...alike, of: () => undefined })).toHaveLength(
      2,
    );
  });

  test('each stays or is named by the one that does; what stays does not depend on the order of duplicates', () => {
    const word = fc.constantFrom('tea', 'Tea', 'the tea', 'coffee', 'Coffee!', 'rain');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (contents) => {
        const left = deduplicate(of(...contents), null);
        const named = left.flatMap(({ candidate, duplicateIds }) => [candidate.id, ...duplicateIds]);
        expect(named.toSorted()).toEqual(contents.map((_, index) => String(index)).toSorted());
        const backwards = deduplicate(of(...contents).toReversed(), null);
        expect(backwards).toHaveLength(left.length);
        // Again changes nothing.
        expect(
          deduplicate(
            left.map(({ candidate }) => candidate),
            null,
          ),
        ).toHaveLength(left.length);
      }),
    );
  });
});

/** The words in order, as the definition has it. */
function essenceOf(content: string): string {
  const words = content
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  return (words ?? []).filter((word) => !['a', 'an', 'the'].includes(word)).join(' ') || content.trim();
}

test('the same words are found whatever the script and the form of characters', () => {
  const pieces =
    "The|a|an|Ann|then|hate|heat|ﬁsh|fish|Ｆish|é|e\u0301|É|\u0301|2|２|²| | | |.|!|_|’|'|\u00a0|茶|喝茶|𝒜|A|\u212a|K|İ|\ud840|ß|ẞ".split(
      '|',
    );
  const content = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((some) => some.join(''));
  fc.assert(
    fc.property(fc.array(content, { maxLength: 12 }), (contents) => {
      const firsts = new Map<string, string[]>();
      for (const [index, text] of contents.entries()) {
        const same = firsts.get(essenceOf(text));
        if (same === undefined) firsts.set(essenceOf(text), [`m${index}`]);
        else same.push(`m${index}`);
      }
      const left = deduplicate(
        contents.map((content, index) => ({ id: `m${index}`, content })),
        null,
      );
      expect(left.map(({ candidate, duplicateIds }) => [candidate.id, ...duplicateIds])).toEqual([
        ...firsts.values(),
      ]);
    }),
    { numRuns: 2_000 },
  );
});
