// node scripts/set-version.mjs 1.2.3
// Writes the version of a release everywhere: packages, image, chart. Then run `npm run chart`.
import { fileURLToPath } from 'node:url';
import { Failure, exitWithFailure } from './failure.mjs';
import { setVersion } from './version.mjs';

async function main() {
  const [version = ''] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Failure('Usage: node scripts/set-version.mjs 1.2.3');
  await setVersion(fileURLToPath(new URL('..', import.meta.url)), version);
  return 0;
}

main().then((code) => process.exit(code), exitWithFailure);
