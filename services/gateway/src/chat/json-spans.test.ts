import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { itemsOf, memberOf, membersOf, replaceSpans, withMember, withoutMembers } from './json-spans.ts';

const TEXT = ' {"a" : 1.0, "b\\"c":[1, {"x":"]}"}, "y,"] ,"a":\n"two", "n":null}\n';

/** JSON written in different ways: the spans must not depend on how it is spaced. */
const spaced = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => ({ value, text: JSON.stringify(value, null, space) }));

describe('membersOf', () => {
  test('finds keys and values as they are written, repeated keys included', () => {
    expect(membersOf(TEXT).map(({ key, value }) => [key, TEXT.slice(value.start, value.end)])).toEqual([
      ['a', '1.0'],
      ['b"c', '[1, {"x":"]}"}, "y,"]'],
      ['a', '"two"'],
      ['n', 'null'],
    ]);
    const last = memberOf(TEXT, 0, 'a');
    expect(TEXT.slice(last?.value.start, last?.value.end)).toBe('"two"');
  });

  test('agrees with JSON.parse about any object', () => {
    fc.assert(
      fc.property(spaced, ({ value, text }) => {
        const members = membersOf(text);
        expect(members.map(({ key }) => key)).toEqual(Object.keys(value));
        for (const { key, value: span } of members) {
          expect(JSON.parse(text.slice(span.start, span.end))).toEqual(
            JSON.parse(JSON.stringify(value[key])),
          );
        }
      }),
    );
  });
});

test('itemsOf agrees with JSON.parse about any array', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(itemsOf(text, 0).map((span) => JSON.parse(text.slice(span.start, span.end)))).toEqual(
        JSON.parse(text),
      );
    }),
  );
});

describe('changing one place', () => {
  test('withoutMembers leaves the other bytes alone', () => {
    expect(
      withoutMembers('{"big":12345678901234567890, "memory_id":"x", "t":1.0}', (key) => key !== 'memory_id'),
    ).toBe('{"big":12345678901234567890, "t":1.0}');
    expect(withoutMembers('{ "x":1, "a": 1,\n "x":2, "b": 2 , "x":3 }', (key) => key !== 'x')).toBe(
      '{ "a": 1,\n "b": 2 }',
    );
    expect(withoutMembers('{"memory_id":"x"}', () => false)).toBe('{}');
    expect(withoutMembers(TEXT, () => true)).toBe(TEXT);
  });

  test('what is left after any removal is what JSON.parse would have left', () => {
    fc.assert(
      fc.property(spaced, fc.func(fc.boolean()), ({ value, text }, keep) => {
        const left = Object.fromEntries(Object.entries(value).filter(([key]) => keep(key)));
        expect(JSON.parse(withoutMembers(text, keep))).toEqual(JSON.parse(JSON.stringify(left)));
      }),
    );
  });

  test('withMember adds at the end of an object, empty or not', () => {
    expect(withMember('{}', 'k', '[1]')).toBe('{"k":[1]}');
    expect(withMember('{"a":1.0 }\n', 'k', '"v"')).toBe('{"a":1.0,"k":"v" }\n');
  });

  test('replaceSpans replaces from the back, whatever the order given', () => {
    expect(
      replaceSpans('abcdef', [
        { span: { start: 1, end: 2 }, by: 'BB' },
        { span: { start: 4, end: 6 }, by: '' },
      ]),
    ).toBe('aBBcd');
  });
});
