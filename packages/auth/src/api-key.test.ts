import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { generateApiKey, parseApiKey, sameHash } from './api-key.ts';

describe('API keys', () => {
  test('a key is fm_<id>_<secret>; only the hash of the secret is to be stored', () => {
    const { id, key, secretSha256 } = generateApiKey((bytes) => Buffer.alloc(bytes, 0xab));
    expect(id).toBe('abababababababab');
    expect(key).toMatch(/^fm_abababababababab_[\w-]{43}$/);
    const secret = key.slice('fm_abababababababab_'.length);
    expect(secretSha256).toEqual(createHash('sha256').update(secret).digest());
  });

  test('what is generated is parsed back, and no two are alike', () => {
    const keys = Array.from({ length: 200 }, () => generateApiKey());
    for (const { id, key, secretSha256 } of keys) expect(parseApiKey(key)).toEqual({ id, secretSha256 });
    expect(new Set(keys.map(({ id }) => id)).size).toBe(200);
  });

  test.each([
    '',
    'fm_',
    'sk-something',
    'fm_abababababababab_short',
    'FM_abababababababab_'.padEnd(63, 'a'),
    'fm_ABABABABABABABAB_'.padEnd(63, 'a'),
    `fm_abababababababab_${'a'.repeat(44)}`,
    `fm_abababababababab_${'a'.repeat(42)}!`,
    ` fm_abababababababab_${'a'.repeat(43)}`,
    `fm_abababababababab_${'a'.repeat(43)}\n`,
  ])('%j is not a key', (text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  test('hashes are compared whole', () => {
    const hash = Buffer.alloc(32, 1);
    expect(sameHash(hash, Buffer.alloc(32, 1))).toBe(true);
    expect(sameHash(hash, Buffer.concat([Buffer.alloc(31, 1), Buffer.alloc(1, 2)]))).toBe(false);
    expect(sameHash(hash, Buffer.alloc(31, 1))).toBe(false);
  });
});
