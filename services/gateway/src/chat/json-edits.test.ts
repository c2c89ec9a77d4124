import { expect, test } from '@jest/globals';
import { applyEdits, withMember } from './json-edits.ts';

test('withMember adds at the end of an object, empty or not', () => {
  expect(withMember('{}', 'k', '[1]')).toBe('{"k":[1]}');
  expect(withMember('{"a":1.0 }\n', 'k', '"v"')).toBe('{"a":1.0,"k":"v" }\n');
});

test('edits are made wherever they stand, and what stays is not copied', () => {
  const bytes = Buffer.from('abcdef');
  const pieces = applyEdits(bytes, [
    { start: 4, end: 6, by: '' },
    { start: 1, end: 2, by: 'BB' },
  ]);
  expect(Buffer.concat(pieces).toString()).toBe('aBBcd');
  expect(pieces[0]?.buffer).toBe(bytes.buffer);
});
