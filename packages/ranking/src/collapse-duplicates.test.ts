import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collapseDuplicates } from './collapse-duplicates.ts';

const of = (...contents: string[]) => contents.map((content, index) => ({ id: String(index), content }));
const kept = (contents: string[], similarity: Parameters<typeof collapseDuplicates>[1] = null) =>
  collapseDuplicates(of(...contents), similarity).map(({ candidate }) => candidate.content);

describe('collapseDuplicates', () => {
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

  test('nearly equal vectors collapse unless the numbers differ', () => {
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
        const collapsed = collapseDuplicates(of(...contents), null);
        const named = collapsed.flatMap(({ candidate, duplicateIds }) => [candidate.id, ...duplicateIds]);
        expect(named.toSorted()).toEqual(contents.map((_, index) => String(index)).toSorted());
        const backwards = collapseDuplicates(of(...contents).toReversed(), null);
        expect(backwards).toHaveLength(collapsed.length);
        // Again changes nothing.
        expect(
          collapseDuplicates(
            collapsed.map(({ candidate }) => candidate),
            null,
          ),
        ).toHaveLength(collapsed.length);
      }),
    );
  });
});
