import { mkdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { describeFailure, Failure } from './failure.mjs';

function failureOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

test('a folder that cannot be written is one sentence', () => {
  const refused = failureOf(() => mkdirSync('/sys/factmill'));
  expect(describeFailure(refused)).toMatch(
    /^\/sys\/factmill (?:is on a read-only|may not be written)[^\n]*\.$/,
  );
  expect(describeFailure({ code: 'ENOSPC', path: '/x', stack: 'Error: …' })).toBe(
    '/x is on a disk that is full.',
  );
});

test('a sentence stays one, and a bug keeps its stack', () => {
  expect(describeFailure(new Failure('Do this.'))).toBe('Do this.');
  expect(describeFailure(new TypeError('x'))).toMatch(/failure\.test/);
  expect(describeFailure(failureOf(() => mkdirSync('/sys/a/b')))).toContain('ENOENT');
});
