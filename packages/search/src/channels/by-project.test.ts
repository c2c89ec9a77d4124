import { expect, test } from '@jest/globals';
import { mayName } from './by-project.ts';

test.each([
  ['what is left to do for APOLLO?', ['Hermes', 'apollo'], true],
  ['apollonian', ['Apollo'], true],
  ['what is left to do?', ['Apollo'], false],
  ['go to it', ['go'], false],
  ['anything', [], false],
])('%s, with the projects %j: %s', (query, projects, expected) => {
  expect(mayName(query, projects)).toBe(expected);
});

test('what the case of letters beyond ASCII is, is left to the database', () => {
  expect(mayName('was ist mit izmir?', ['İzmir'])).toBe(true);
  expect(mayName('İzmir', ['izmir'])).toBe(true);
  expect(mayName('什么', [])).toBe(false);
});
