import { describe, expect, test } from '@jest/globals';
import { parseWorkspaceFolders, planInstall, toInstallStamp } from './install-stamp.mjs';

test('parseWorkspaceFolders reads only the packages block', () => {
  const text = `# note
packages:
  - packages/*   # all
  # a comment

  - 'services/*'
  - "test"
catalogMode: strict
onlyBuilt:
  - esbuild
`;
  expect(parseWorkspaceFolders(text)).toEqual(['packages/*', 'services/*', 'test']);
  expect(parseWorkspaceFolders('catalog:\n  a: 1\n')).toEqual([]);
});

describe('toInstallStamp', () => {
  const contents = new Map([
    ['package.json', '{}'],
    ['pnpm-lock.yaml', 'lock'],
  ]);

  test('does not depend on the order of reading', () => {
    expect(toInstallStamp('24.0.0', new Map([...contents].toReversed()))).toBe(
      toInstallStamp('24.0.0', contents),
    );
  });

  test('changes with every input', () => {
    const stamps = [
      toInstallStamp('24.0.0', contents),
      toInstallStamp('24.0.1', contents),
      toInstallStamp('24.0.0', new Map([...contents, ['pnpm-lock.yaml', 'lock2']])),
      toInstallStamp('24.0.0', new Map([...contents, ['test/package.json', '']])),
      toInstallStamp('24.0.0', new Map([['package.json', '{}pnpm-lock.yaml lock']])),
    ];
    expect(new Set(stamps).size).toBe(stamps.length);
  });
});

test.each([
  ['nothing is there', '', 'production', 'production'],
  ['nothing is there', '', 'all', 'all'],
  ['the same is there', 'production now', 'production', null],
  ['the same is there', 'all now', 'all', null],
  ['tools are missing', 'production now', 'all', 'all'],
  ['tools are there and not needed', 'all now', 'production', null],
  ['something changed', 'production before', 'production', 'production'],
  ['something changed, and tools are there', 'all before', 'production', 'all'],
  ['the ONNX runtime is missing', 'production now', 'onnx', 'onnx'],
  ['the ONNX runtime is there', 'onnx now', 'onnx', null],
  ['the ONNX runtime is there and not needed', 'onnx now', 'production', null],
  ['something changed, and the ONNX runtime is there', 'onnx before', 'production', 'onnx'],
  ['tools are there, which have the ONNX runtime', 'all now', 'onnx', null],
  ['tools are missing beside the ONNX runtime', 'onnx now', 'all', 'all'],
  ['a stamp of an earlier version', 'f00d', 'production', 'all'],
] as const)('planInstall: %s (%s), %s wanted: %s', (_, noted, wanted, kind) => {
  expect(planInstall(noted, 'now', wanted)).toEqual(kind === null ? null : { kind, stamp: `${kind} now` });
});
