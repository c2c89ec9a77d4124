import { describe, expect, test } from '@jest/globals';
import { findRepetitions, looseText } from './find-repetitions.ts';
import { compressible } from './compressible.fixture.ts';

describe('looseText', () => {
  test.each([
    ['The user likes tea, coffee and juice.', 'the user likes  tea coffee and juice'],
    ['Maya said: "Hello!"', 'maya said hello'],
    ['ＴＥＡ。', 'tea'],
  ])('%s and %s are one', (a, b) => {
    expect(looseText(a)).toBe(looseText(b));
  });

  test.each([
    ['It is 3.5 degrees', 'It is 35 degrees'],
    ['It is -5 degrees', 'It is 5 degrees'],
    ['The user knows C', 'The user knows C++'],
    ['From Rome to Oslo', 'From Oslo to Rome'],
  ])('%s and %s are two', (a, b) => {
    expect(looseText(a)).not.toBe(looseText(b));
  });
});

describe('findRepetitions', () => {
  test('keeps the keyed fact, then the question, then the weightier, then the older', () => {
    const text = 'The user lives in Lisbon.';
    const note = compressible('a', text, { importance: 1 });
    const qa = compressible('b', text, { kind: 'qa' });
    const keyed = compressible('c', text, { kind: 'fact', key: 'home' });
    expect(findRepetitions([note, qa, keyed])).toEqual([{ into: 'c', from: ['a', 'b'] }]);
    expect(findRepetitions([note, qa])).toEqual([{ into: 'b', from: ['a'] }]);
    expect(findRepetitions([compressible('d', text), note])).toEqual([{ into: 'a', from: ['d'] }]);
    expect(findRepetitions([compressible('f', text), compressible('e', text)])).toEqual([
      { into: 'e', from: ['f'] },
    ]);
  });

  test('two keys, two projects or two tiers are two things', () => {
    const text = 'The user lives in Lisbon.';
    expect(
      findRepetitions([
        compressible('a', text, { kind: 'fact', key: 'home' }),
        compressible('b', text, { kind: 'fact', key: 'city' }),
      ]),
    ).toEqual([]);
    expect(findRepetitions([compressible('a', text), compressible('b', text, { project: 'x' })])).toEqual([]);
    expect(findRepetitions([compressible('a', text), compressible('b', text, { tier: 1 })])).toEqual([]);
  });
});
