import { expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findVersions, setVersion } from './version.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const versionOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

test('every place has the version of package.json', async () => {
  const version = versionOf(root);
  const found = await findVersions(root);
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter((place) => place.version !== version)).toEqual([]);
});

test('a release writes its version everywhere', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'factmill-version-'));
  try {
    const before = await findVersions(root);
    for (const file of ['package.json', ...before.map(({ file }) => file)])
      cpSync(join(root, file), join(copy, file), { recursive: true });
    await setVersion(copy, '2.10.0-rc.1');
    expect(versionOf(copy)).toBe('2.10.0-rc.1');
    expect(await findVersions(copy)).toEqual(before.map(({ file }) => ({ file, version: '2.10.0-rc.1' })));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
