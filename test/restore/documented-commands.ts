import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@factmill/testkit';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PAGE = 'docs/operations/backup-and-restore.md';

/** The blocks of commands below a heading of the page on backups, up to the next heading. */
export async function documentedCommands(heading: string): Promise<readonly string[]> {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const section = page.split(/^(?=#+ )/m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${PAGE} has no ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Where an operator's commands find things. */
export type Surroundings = Readonly<{
  /** Commands are run in it; dumps lie there. */
  folder: string;
  /** Folder with `pg_dump`, `pg_restore` and so on. */
  pgBinDir: string;
  /** More variables, such as PGPORT. */
  env: Readonly<Record<string, string>>;
}>;

export type Operator = (commands: string) => Promise<string>;

/**
 * Runs commands of the documentation as they stand there. `docker compose` is played by a script: what it would run in a
 * container it runs here, and it starts and stops nothing. `factmill` is the command from the
 * sources, as is `npm run factmill`.
 */
export async function createOperator({ folder, pgBinDir, env }: Surroundings): Promise<Operator> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const node = `exec '${process.execPath}' --conditions=factmill-source --disable-warning=ExperimentalWarning`;
  await script(join(bin, 'factmill'), `${node} '${join(ROOT, 'packages/cli/src/main.ts')}' "$@"`);
  await script(join(bin, 'docker'), COMPOSE);
  await script(
    join(bin, 'npm'),
    `grep -q "\\"$2\\": \\"exec node scripts/run.mjs $2\\"" '${join(ROOT, 'package.json')}' || exit 64
[ "$1 $2 $3" = 'run factmill --' ] || exit 64
shift 3
exec factmill "$@"`,
  );
  return async (commands) => {
    const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
      cwd: folder,
      env: {
        ...inheritedEnvironment(),
        HOME: folder,
        PATH: [bin, pgBinDir, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
        ...env,
      },
    });
    return stdout + stderr;
  };
}

/** The services of docker-compose.yml run `migrate` when they are given no command. */
const COMPOSE = `[ "$1" = compose ] || exit 64
shift
case "$1 $2 $3" in
  'exec -T postgres') shift 3; exec "$@" ;;
  'exec -T redis') shift 4; exec redis-cli -p "$REDIS_PORT" "$@" ;;
  'run --rm migrate') shift 3; if [ $# = 0 ]; then exec factmill migrate; else exec "$@"; fi ;;
  'stop gateway retrieval' | 'up -d ') ;;
  *) echo "no such thing: docker compose $*" >&2; exit 64 ;;
esac`;

function script(path: string, text: string): Promise<void> {
  return writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}
