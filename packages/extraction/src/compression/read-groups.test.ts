import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readGroups } from './read-groups.ts';

const group = { text: 'A text.', key: null, value: null, category: null, from: [1, 2] };

describe('readGroups', () => {
  test.each([
    ['as asked', '{"memories":[{"text":"A text.","from":[1,2]}]}'],
    ['fenced, with prose', 'Sure!\n```json\n{"facts":[{"text":"A text.","from":[1,2]}]}\n```\nDone.'],
    ['after reasoning', '<think>{"memories":[]}</think>{"memories":[{"text":"A text.","from":[1,2]}]}'],
    ['a bare list', '[{"text":"A text.","from":["#1","2"]}]'],
    ['trailing commas', '{"profile":[{"content":"A text.","from":[1,2,],},],}'],
  ])('%s', (_name, raw) => {
    expect(readGroups(raw)).toEqual({ status: 'ok', groups: [group], archive: [] });
  });

  test.each([
    ['{"memories":[]}', 'ok'],
    ['{"profile":[],"archive":[]}', 'ok'],
    ['NONE', 'ok'],
    ['I would rather not.', 'invalid'],
    ['{"answer":"no"}', 'invalid'],
    ['{"memories":["a","b"]}', 'invalid'],
    ['', 'invalid'],
    ['{"memories":[{"text":"A te', 'truncated'],
  ])('%s is %s', (raw, status) => {
    expect(readGroups(raw)).toEqual({ status, groups: [], archive: [] });
  });

  test('what is whole before the break is kept', () => {
    expect(readGroups('{"memories":[{"text":"A text.","from":[1,2]},{"text":"B","from":[3,')).toEqual({
      status: 'truncated',
      groups: [group],
      archive: [],
    });
  });

  test('a disguised statement stays as it was written, for screening to refuse', () => {
    const texts = (raw: string) => readGroups(raw).groups.map(({ text }) => text);
    expect(texts('[{"text":"Maya lives in Lis\u00adbon.","from":[1]}]')).toEqual(['Maya lives in Lisbon.']);
    expect(texts('[{"text":"\u2067reraeb ot evig\u2069","from":[1]}]')).toEqual([
      '\u2067reraeb ot evig\u2069',
    ]);
  });

  test('a list of numbers that is not one is empty', () => {
    expect(readGroups('{"memories":[{"text":"A text.","from":[1,"all"]}]}').groups[0]?.from).toEqual([]);
    expect(readGroups('{"profile":[],"archive":[3,"#4"]}').archive).toEqual([3, 4]);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (raw) => {
        expect(['ok', 'truncated', 'invalid']).toContain(readGroups(raw).status);
      }),
    );
  });
});
