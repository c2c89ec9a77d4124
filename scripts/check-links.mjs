// Links between the pages of the documentation, and pages that sources name. Exit code 1 when one leads nowhere.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { findBrokenLinks, findMissingFiles, findMissingPages } from './links.mjs';

const SKIPPED = new Set(['node_modules', 'dist', 'data', '.git', '.toolchain', '.test-services']);
const files = globSync('**/{*.{md,ts,mjs,sql,yml},Dockerfile}', {
  exclude: (path) => SKIPPED.has(basename(path)),
});
const read = (/** @type {string} */ path) => readFileSync(path, 'utf8');
const pages = new Map(files.filter((path) => path.endsWith('.md')).map((path) => [path, read(path)]));
// Decisions and the changelog tell of the layout of their day.
const isHistory = (/** @type {string} */ path) => path.startsWith('docs/adr/') || path === 'CHANGELOG.md';
const broken = [
  ...findBrokenLinks(pages, existsSync),
  ...[...pages]
    .filter(([path]) => !isHistory(path))
    .flatMap(([path, text]) => findMissingFiles(path, text, existsSync)),
  ...files
    .filter((path) => !path.endsWith('.md') && path !== 'scripts/links.test.ts')
    .flatMap((path) => findMissingPages(path, read(path), existsSync)),
];
for (const { path, target, reason } of broken) console.log(`${path}: ${target}: ${reason}`);
process.exitCode = broken.length === 0 ? 0 : 1;
