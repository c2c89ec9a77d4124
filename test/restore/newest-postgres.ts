import { fileURLToPath } from 'node:url';
import { provideNewestPostgres } from '../../scripts/services/newest-postgres.mjs';
import { inspectInstallation } from '../../scripts/services/local-binaries.mjs';

export type Installation = Readonly<{ major: number; binDir: string }>;

/**
 * The two newest majors of PostgreSQL that this machine can have, the newest first. With fewer, the one of the tests is
 * among them, and a line says what is missing.
 */
export async function newestPostgres(ownBinDir: string): Promise<readonly Installation[]> {
  const say = (line: string) => process.stderr.write(`restore drill: ${line}\n`);
  const toolchain = fileURLToPath(new URL('../../.toolchain', import.meta.url));
  const { installations, missing } = await provideNewestPostgres(toolchain, say);
  const own = installations.length > 0 ? [] : [await inspectInstallation(ownBinDir)];
  const all = [...installations, ...own].filter((found) => found !== undefined);
  if (missing !== undefined)
    say(`runs on PostgreSQL ${all.map(({ major }) => major).join(' and ')} only. ${missing}`);
  return all;
}
