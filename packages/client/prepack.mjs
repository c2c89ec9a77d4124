// Runs before `npm pack` and `pnpm pack`: builds the client and makes its types whole without the workspace. The client
// takes types from @factmill/contracts, and nothing at run time; their declarations are packed with its own.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = dirname(fileURLToPath(import.meta.url));
const contracts = join(client, '..', 'contracts');
const root = join(client, '..', '..');
const types = join(client, 'types');

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-b', client], { stdio: 'inherit' });

// What is left of sources that are gone would be packed.
for (const name of readdirSync(join(client, 'dist'))) {
  if (!name.startsWith('.') && !hasSource(client, name)) rmSync(join(client, 'dist', name));
}
rmSync(types, { recursive: true, force: true });
mkdirSync(join(types, 'contracts'), { recursive: true });
// `types` lies beside `src` as `dist` does, so the maps lead to the same sources.
copyDeclarations(client, types, /\.d\.ts(?:\.map)?$/);
copyDeclarations(contracts, join(types, 'contracts'), /\.d\.ts$/);
cpSync(join(root, 'LICENSE'), join(client, 'LICENSE'));

/**
 * @param {string} from
 * @param {string} to
 * @param {RegExp} names
 */
function copyDeclarations(from, to, names) {
  for (const name of readdirSync(join(from, 'dist'))) {
    if (!names.test(name) || !hasSource(from, name)) continue;
    const text = readFileSync(join(from, 'dist', name), 'utf8')
      .replaceAll(/(['"])@factmill\/contracts\1/g, `$1./contracts/index.js$1`)
      // The compiler leaves the extension of a source in the types it infers.
      .replaceAll(/(['"])(\.\/[\w/-]+)\.ts\1/g, '$1$2.js$1');
    writeFileSync(
      join(to, name),
      from === client ? text : text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''),
    );
  }
}

/**
 * @param {string} folder of a package
 * @param {string} name of a file that was built
 */
function hasSource(folder, name) {
  return existsSync(join(folder, 'src', name.replace(/\.(?:d\.ts|js)(?:\.map)?$/, '.ts')));
}
