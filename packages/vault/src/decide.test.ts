import type { VaultFile } from '@factmill/database';
import { describe, expect, test } from '@jest/globals';
import { decide } from './decide.ts';

const agreed: VaultFile = {
  memoryId: '0192f0c5-0000-7000-8000-000000000001',
  userId: 'alice',
  path: 'alice/entries/global/facts/a.md',
  fileHash: 'old',
  version: 3,
  isStale: false,
  writingHash: null,
  writingVersion: null,
};
const writing: VaultFile = { ...agreed, writingHash: 'new', writingVersion: 4 };
const reserved: VaultFile = { ...writing, fileHash: null, version: 0, writingVersion: 1 };
const file = (hash: string, version: number | null = 3) => ({ hash, version });

describe('what is done with a memory and its file', () => {
  test.each([
    ['nothing has changed', agreed, file('old'), 3, 'none'],
    ['the memory has changed', agreed, file('old'), 4, 'write'],
    ['the memory is gone', agreed, file('old'), null, 'remove'],
    ['the file has changed', agreed, file('edited'), 3, 'take'],
    ['the file is gone', agreed, null, 3, 'delete'],
    ['both have changed', agreed, file('edited'), 4, 'conflict'],
    ['an edited file whose memory is gone', agreed, file('edited'), null, 'conflict_gone'],
    ['the file is gone and the memory has changed', agreed, null, 4, 'rewrite'],
    ['both are gone', agreed, null, null, 'forget'],
    ['the file does not say all', { ...agreed, isStale: true }, file('old'), 3, 'write'],
    ['a memory without a file', null, null, 1, 'write'],
  ] as const)('%s', (_name, base, seen, version, decision) => {
    expect(decide({ base, file: seen, version })).toBe(decision);
  });

  test.each([
    ['before the file was replaced', writing, file('old'), 4, 'write'],
    ['while there was no file', writing, null, 4, 'write'],
    ['after the file was replaced', writing, file('new', 4), 4, 'write'],
    ['after that, and then it was edited', writing, file('edited', 4), 4, 'take'],
    ['before that, and then it was edited', writing, file('edited', 3), 4, 'conflict'],
    ['before the first writing', reserved, null, 1, 'write'],
    ['after the first writing, and then it was edited', reserved, file('edited', 1), 1, 'take'],
    ['and the memory is gone', writing, file('new', 4), null, 'remove'],
  ] as const)('killed %s', (_name, base, seen, version, decision) => {
    expect(decide({ base, file: seen, version })).toBe(decision);
  });
});
