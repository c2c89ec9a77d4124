import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from './list.mjs';
import { mutate } from './mutation.mjs';

const root = new URL('../../', import.meta.url);
const pathOf = (file: string) => fileURLToPath(new URL(file, root));

describe('mutations', () => {
  test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
    'still fits the code: %s',
    (_name, mutation) => {
      const text = readFileSync(pathOf(mutation.file), 'utf8');
      expect(mutate(text, mutation)).not.toBe(text);
      expect(mutation.tests.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
      expect(mutation.tests).not.toEqual([]);
    },
  );

  test('have names of their own, and docs/features.md says how many there are', () => {
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
    expect(readFileSync(pathOf('docs/features.md'), 'utf8')).toContain(`${MUTATIONS.length} mutations`);
  });

  test('what occurs twice, or not at all, is no place for an edit', () => {
    const edit = { name: 'x', search: 'a', replace: 'b' };
    expect(mutate('cac', edit)).toBe('cbc');
    for (const text of ['aa', 'cc', '']) expect(() => mutate(text, edit)).toThrow('once is right');
  });
});
