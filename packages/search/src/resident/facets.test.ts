import { expect, test } from '@jest/globals';
import { type Facets, findPassing, projectsOf } from './facets.ts';

const facets: Facets = new Map([
  ['tag:work', Uint32Array.of(0, 1, 3)],
  ['tag:rare', Uint32Array.of(1)],
  ['tier:1', Uint32Array.of(0)],
  ['tier:3', Uint32Array.of(2, 3)],
  ['project:Apollo', Uint32Array.of(4)],
]);
const passing = (...groups: string[][]) => {
  const found = findPassing({ size: 5, facets }, groups);
  return found === null ? null : [...found];
};

test('a row passes that has one facet of each group', () => {
  expect(passing(['tag:work'])).toEqual([1, 1, 0, 1, 0]);
  expect(passing(['tag:work'], ['tag:rare'])).toEqual([0, 1, 0, 0, 0]);
  expect(passing(['tier:1', 'tier:3'])).toEqual([1, 0, 1, 1, 0]);
  expect(passing(['tier:1', 'tier:3'], ['tag:work'])).toEqual([1, 0, 0, 1, 0]);
  expect(passing(['tag:work'], ['tier:2', 'tier:3'])).toEqual([0, 0, 0, 1, 0]);
});

test('what no row has, and a group without facets, leave none', () => {
  expect(passing(['tag:unheard'])).toEqual([0, 0, 0, 0, 0]);
  expect(passing([])).toEqual([0, 0, 0, 0, 0]);
});

test('without groups there is nothing to check', () => {
  expect(passing()).toBeNull();
});

test('projects are named as they are', () => {
  expect(projectsOf(facets)).toEqual(['Apollo']);
});
