import { afterAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('temporary-folder.mjs', import.meta.url));
// No process has a number as high as this.
const leftover = '/dev/shm/factmill-test-99999999-left';
afterAll(() => rmSync(leftover, { recursive: true, force: true }));

/** The folder for temporary files of a process that keeps them in memory, and whether it was there meanwhile. */
function run(): { folder: string; wasThere: boolean } {
  const source = `
    import { existsSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    const { keepTemporaryFilesInMemory } = await import(process.argv[1]);
    keepTemporaryFilesInMemory();
    console.log(JSON.stringify({ folder: tmpdir(), wasThere: existsSync(tmpdir()) }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source, script], {
    env: { TMPDIR: '/tmp' },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { folder: string; wasThere: boolean };
}

test('a folder in memory goes with its process, those of killed ones with the next; without room nothing changes', () => {
  if (existsSync('/dev/shm')) mkdirSync(leftover, { recursive: true });
  const { folder, wasThere } = run();
  expect(wasThere).toBe(true);
  if (folder === '/tmp') return;
  expect(folder).toMatch(/^\/dev\/shm\/factmill-test-\d+-/);
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(leftover)).toBe(false);
});
