import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(?:js|css|svg)$/;
/** Smaller files fit into one packet anyhow. */
const MIN_BYTES = 1_024;

/** Writes each larger asset of a folder compressed as well: `name.br` and `name.gz` beside `name`. */
export async function compressAssets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!COMPRESSIBLE.test(name)) continue;
    const path = join(folder, name);
    const bytes = await readFile(path);
    if (bytes.length < MIN_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await Promise.all([
      promisify(brotliCompress)(bytes, { params }).then((small) => writeFile(`${path}.br`, small)),
      promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }).then((small) =>
        writeFile(`${path}.gz`, small),
      ),
    ]);
  }
}
