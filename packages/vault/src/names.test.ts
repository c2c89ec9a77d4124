import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeName, encodeName, foldedPath, pathProblem } from './names.ts';

const id = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
  fc.constantFrom('..', '.', 'CON', 'nul.txt', 'a/b', 'Ä', 'ä', 'A\u0308', 'alice', 'Alice', 'x.', ' '),
);

describe('names of folders', () => {
  test('every id has a name that no system reads differently, and that leads back to it', () => {
    fc.assert(
      fc.property(id, (value) => {
        const name = encodeName(value);
        expect(pathProblem(name)).toBeNull();
        if (!name.includes('~')) expect(decodeName(name)).toBe(value);
      }),
    );
  });

  test('two ids never share a folder, not even where cases are folded', () => {
    fc.assert(
      fc.property(id, id, (left, right) => {
        fc.pre(left !== right);
        expect(foldedPath(encodeName(left))).not.toBe(foldedPath(encodeName(right)));
      }),
    );
  });

  test.each([
    ['alice', 'alice'],
    ['Alice', '%41lice'],
    ['a/b', 'a%2Fb'],
    ['..', '%2E%2E'],
    ['con', '%63on'],
    ['alice@example.com', 'alice@example.com'],
    ['日', '%E6%97%A5'],
  ])('%j is written %s', (value, name) => {
    expect(encodeName(value)).toBe(name);
  });

  test('a long id ends in a hash', () => {
    const name = encodeName('Ü'.repeat(200));
    expect(name).toMatch(/^(?:%C3%9C)+~[\da-f]{32}$/);
    expect(name).not.toBe(encodeName('Ü'.repeat(201)));
  });

  test.each(['Alice', '%61lice', '%e6%97%a5', '%', 'a b', ''])('no id is written %j', (name) => {
    expect(decodeName(name)).toBeNull();
  });
});

describe('paths', () => {
  test.each([
    ['../a.md', 'leaves the vault'],
    ['a/../../b.md', 'leaves the vault'],
    ['a//b.md', 'leaves the vault'],
    ['a/aux.md', 'reserved'],
    ['a/b:c.md', 'character'],
    ['a/b\\c.md', 'character'],
    ['a/b.md.', 'dot or space'],
    [`${'a/'.repeat(600)}b.md`, 'longer'],
    [`${'a'.repeat(300)}.md`, 'too long'],
  ])('%s is refused', (path, reason) => {
    expect(pathProblem(path)).toContain(reason);
  });

  test('letters of all languages are fine in names of files', () => {
    expect(pathProblem('alice/entries/Über die Straße 東京.md')).toBeNull();
  });
});
