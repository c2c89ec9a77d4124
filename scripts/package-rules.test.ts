import { expect, test } from '@jest/globals';
import { findViolations, MAY_DEPEND_ON, type Package } from './package-rules.mjs';

const RULES = { 'packages/low': [], 'packages/high': ['low'] };

function violationsOf(given: Partial<Package>): string[] {
  const right = {
    folder: 'packages/high',
    description: 'High.',
    dependencies: ['low'],
    developmentDependencies: [],
    references: ['low'],
  };
  return findViolations([{ ...right, ...given }], RULES);
}

test('a package that depends on what stands below it is right', () => {
  expect(violationsOf({})).toEqual([]);
});

test('a package must not depend on what its row does not name', () => {
  expect(violationsOf({ folder: 'packages/low', dependencies: ['high'], references: ['high'] })).toEqual([
    'packages/low: must not depend on high; see scripts/package-rules.mjs',
  ]);
});

test('a package without a row depends on nothing at run time', () => {
  expect(violationsOf({ folder: 'packages/testkit' })).toEqual([
    'packages/testkit: must not depend on low; see scripts/package-rules.mjs',
  ]);
});

test('references of the compiler are the dependencies, and may be those of development', () => {
  expect(violationsOf({ references: [] })).toEqual(['packages/high: tsconfig.json does not reference low']);
  expect(violationsOf({ references: ['low', 'other'] })).toEqual([
    'packages/high: tsconfig.json references other, which package.json does not name',
  ]);
  expect(violationsOf({ references: ['low', 'other'], developmentDependencies: ['other'] })).toEqual([]);
});

test('a package says what it is', () => {
  expect(violationsOf({ description: undefined })).toEqual([
    'packages/high: package.json has no description',
  ]);
});

test('services depend on packages and never on each other; standalone composes them', () => {
  expect(MAY_DEPEND_ON['services/gateway']).not.toContain('retrieval');
  expect(MAY_DEPEND_ON['services/gateway']).toContain('database');
  expect(MAY_DEPEND_ON['services/standalone']).toEqual(
    expect.arrayContaining(['gateway', 'retrieval', 'extractor', 'client']),
  );
});
