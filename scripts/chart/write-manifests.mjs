// Writes infra/kubernetes/*.yaml: the chart, rendered for people without Helm. Run it after changing the chart:
// npm run chart
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWithFailure, printProgress } from '../failure.mjs';
import { provideHelm } from './helm.mjs';
import { EXAMPLES, manifestOf, renderManifest } from './render.mjs';

async function main() {
  const helm = await provideHelm(fileURLToPath(new URL('../../.toolchain', import.meta.url)), printProgress);
  for (const example of EXAMPLES) {
    const file = manifestOf(example);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await renderManifest(helm, example));
  }
  return 0;
}

main().then((code) => process.exit(code), exitWithFailure);
