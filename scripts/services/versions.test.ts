import { describe, expect, test } from '@jest/globals';
import { parseCandidate, parseOsRelease } from './debian.mjs';
import { isAtLeast, parseDefaultVersion } from './pgvector-version.mjs';
import { hasReadyForQuery } from './readiness.mjs';

test.each([
  ['0.8.0', '0.8.0', true],
  ['0.8.0-1', '0.8.0', true],
  ['0.10.0', '0.8.0', true],
  ['1.0', '0.8.0', true],
  ['0.8', '0.8.0', true],
  ['0.7.4', '0.8.0', false],
  ['', '0.8.0', false],
  ['unknown', '0.8.0', false],
])('isAtLeast %j %j', (version, oldest, expected) => {
  expect(isAtLeast(version, oldest)).toBe(expected);
});

test('parseDefaultVersion reads a control file', () => {
  expect(parseDefaultVersion("comment = 'x'\ndefault_version = '0.8.0'\nrelocatable = true\n")).toBe('0.8.0');
  expect(parseDefaultVersion('')).toBeUndefined();
});

test('parseCandidate tells a version from none', () => {
  expect(parseCandidate('p:\n  Installed: (none)\n  Candidate: 0.8.0-1\n')).toBe('0.8.0-1');
  expect(parseCandidate('p:\n  Installed: (none)\n  Candidate: (none)\n')).toBeUndefined();
  expect(parseCandidate('')).toBeUndefined();
});

test('parseOsRelease removes quotes', () => {
  expect(parseOsRelease('ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n')).toEqual({
    ID: 'debian',
    VERSION_ID: '12',
    VERSION_CODENAME: 'bookworm',
  });
});

describe('hasReadyForQuery', () => {
  const message = (type: string, body: string) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
  };

  test('finds it behind the messages before it', () => {
    const greeting = Buffer.concat([message('R', '\0\0\0\0'), message('S', 'a\0Z\0'), message('Z', 'I')]);
    expect(hasReadyForQuery(greeting)).toBe(true);
    expect(hasReadyForQuery(greeting.subarray(0, -6))).toBe(false);
  });

  test('does not take an error for it', () => {
    expect(hasReadyForQuery(message('E', 'SFATAL\0C57P03\0MZ\0\0'))).toBe(false);
  });
});
