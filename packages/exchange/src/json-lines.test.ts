import { expect, test } from '@jest/globals';
import { parseExport } from './json-lines.ts';

const HEADER = '{"format":"factmill-memories","version":1,"user_id":"maya"}';
const ITEM =
  '{"id":"1","kind":"fact","key":"home","value":"Lisbon","content":"The user lives in Lisbon.","tier":1}';

test('a list of memories of an earlier version can be imported', () => {
  expect(parseExport(`${HEADER}\n${ITEM}\n`)).toMatchObject([
    { id: '1', key: 'home', value: 'Lisbon', tier: 1 },
  ]);
});

test.each([
  ['', /not an export of Factmill/],
  ['hidden', /not an export of Factmill/],
  ['{"format":"factmill-memories","version":2}', /not an export of Factmill/],
  [`${HEADER}\nhidden`, /^Item 1 of the export cannot be used: see id\.$/],
  [`${HEADER}\n${ITEM}\n{"id":"x","content":"hidden","tier":9}`, /^Item 2 .* see tier\.$/],
])('%j is refused, and nothing of it is shown', (text, sentence) => {
  expect(() => parseExport(text)).toThrow(sentence);
  expect(() => parseExport(text)).not.toThrow(/hidden/);
});
