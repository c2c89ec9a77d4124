import { expect, test } from '@jest/globals';
import { findBrokenLinks, findMissingFiles, findMissingPages } from './links.mjs';

function brokenIn(pages: Readonly<Record<string, string>>, files: readonly string[] = []): string[] {
  const exists = (path: string): boolean => path in pages || files.includes(path);
  return findBrokenLinks(new Map(Object.entries(pages)), exists).map(
    ({ path, target, reason }) => `${path}: ${target}: ${reason}`,
  );
}

test('links to files and headings that exist are right', () => {
  const pages = {
    'README.md':
      '[a](docs/a.md#the-first-one) [b](#here) [c](LICENSE) [d](https://example.com/x.md)\n\n# Here',
    'docs/a.md': '## The `first` one!\n\n[back](../README.md) ![picture](picture.svg)',
  };
  expect(brokenIn(pages, ['LICENSE', 'docs/picture.svg'])).toEqual([]);
});

test('links to missing files and headings are named', () => {
  const pages = { 'docs/a.md': '# One\n\n[x](b.md) [y](#two) ![z](z.svg)', 'docs/c.md': '[x](a.md#three)' };
  expect(brokenIn(pages)).toEqual([
    'docs/a.md: b.md: no such file',
    'docs/a.md: #two: no such heading',
    'docs/a.md: z.svg: no such file',
    'docs/c.md: a.md#three: no such heading',
  ]);
});

test('what stands in code is no link and no heading', () => {
  const fenced = '```sh\n# comment\n[x](nowhere.md)\n```\n\n`[y](nowhere.md)` [z](#comment)';
  expect(brokenIn({ 'a.md': fenced })).toEqual(['a.md: #comment: no such heading']);
});

test('headings of the same words are counted', () => {
  expect(brokenIn({ 'a.md': '# Same\n\n# Same\n\n[1](#same) [2](#same-1) [3](#same-2)' })).toEqual([
    'a.md: #same-2: no such heading',
  ]);
});

test('pages that sources name have to exist', () => {
  const text = '// see docs/a.md and docs/b/c.md, not other/docs/d.md';
  expect(findMissingPages('x.ts', text, (path) => path === 'docs/a.md')).toEqual([
    { path: 'x.ts', target: 'docs/b/c.md', reason: 'no such page' },
  ]);
});

test('files that pages name as code have to exist', () => {
  const text = '`packages/a/src/b.ts`, `packages/c`, `packages/database/functions/<name>.sql`, `npm test`';
  expect(findMissingFiles('x.md', text, (path) => path === 'packages/c')).toEqual([
    { path: 'x.md', target: 'packages/a/src/b.ts', reason: 'no such file' },
  ]);
});
