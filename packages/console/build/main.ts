import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checksumOf, SOURCES } from './source-checksum.ts';

// node packages/console/build/main.ts: builds the console into packages/console/dist, unless that was built from the
// very same sources. Vite is loaded only when there is something to build.

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
const stampFile = join(dist, '.sources');

const stamp = await checksumOf(SOURCES.map((path) => join(folder, path)));
if ((await readFile(stampFile, 'utf8').catch(() => '')) !== stamp) await build();

async function build(): Promise<void> {
  process.stdout.write('factmill: Building the console, once (a few seconds)…\n');
  const { buildConsole } = await import('./build-console.ts');
  // Built beside and put in place whole: a gateway that serves meanwhile never sees half of it.
  const fresh = join(folder, `dist.${process.pid}`);
  try {
    await buildConsole(folder, fresh);
    await writeFile(join(fresh, '.sources'), stamp);
    await rm(dist, { recursive: true, force: true });
    await rename(fresh, dist);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
