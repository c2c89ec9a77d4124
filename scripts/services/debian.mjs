import { mkdir, mkdtemp, readFile, readdir, rm, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { findMainSource, parseListFile, parseSourcesFile, toStanza } from './apt-sources.mjs';
import { OLDEST_PGVECTOR, isAtLeast } from './pgvector-version.mjs';

/**
 * The release whose pgvector source package is built when the running release has none that is new enough.
 * @type {Record<string, string>}
 */
const PGVECTOR_SOURCE_RELEASE = { debian: 'trixie', ubuntu: 'resolute' };

/**
 * Installs packages without starting their daemons: the policy file says no while this runs, unless the
 * machine already has a policy of its own.
 */
const INSTALL_SCRIPT = `
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "$@"
`;

/**
 * @typedef {object} Debian what can be done on a Debian-like machine by root
 * @property {(packages: readonly string[]) => Promise<void>} install
 * @property {(postgresMajor: number, binDir: string) => Promise<void>} installPgvector
 */

/**
 * Access to the machine's package manager, or undefined where there is none or no right to use it.
 * @param {(line: string) => void} log
 * @returns {Promise<Debian | undefined>}
 */
export async function openDebian(log) {
  if ((await capture('apt-get', ['--version'])).code !== 0) return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && (await capture('sudo', ['-n', 'true'])).code !== 0) return undefined;

  let listsAreFresh = false;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };

  /**
   * @param {string} what for the sentence when it fails
   * @param {string} program
   * @param {readonly string[]} args
   * @param {string} [cwd]
   */
  async function runAsRoot(what, program, args, cwd) {
    const [first, ...rest] = isRoot
      ? [program, ...args]
      : ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8', program, ...args];
    const result = await capture(first ?? program, rest, {
      env: environment,
      ...(cwd === undefined ? {} : { cwd }),
    });
    if (result.code !== 0) throw new Failure(`${what} failed: ${lastLines(result.stderr || result.stdout)}`);
  }

  async function refreshLists() {
    if (listsAreFresh) return;
    log('Reading the package lists (apt-get update)…');
    await runAsRoot('apt-get update', 'apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'update', '-q']);
    listsAreFresh = true;
  }

  /** @param {readonly string[]} packages */
  async function install(packages) {
    await refreshLists();
    log(`Installing ${packages.join(', ')}…`);
    await runAsRoot(`Installing ${packages.join(', ')}`, 'sh', [
      '-c',
      INSTALL_SCRIPT,
      'install',
      ...packages,
    ]);
  }

  /**
   * @param {number} postgresMajor
   * @param {string} binDir
   */
  async function installPgvector(postgresMajor, binDir) {
    await refreshLists();
    const packageName = `postgresql-${postgresMajor}-pgvector`;
    const policy = await capture('apt-cache', ['policy', packageName], { env: environment });
    if (isAtLeast(parseCandidate(policy.stdout) ?? '', OLDEST_PGVECTOR)) return install([packageName]);
    await install(['make', 'gcc', 'libc6-dev', `postgresql-server-dev-${postgresMajor}`]);
    await buildPgvector(binDir);
  }

  /**
   * Builds Debian's source package. Its address is that of the machine's own mirror, in an apt configuration
   * of its own, so the machine's lists and sources stay as they are.
   * @param {string} binDir
   */
  async function buildPgvector(binDir) {
    const { release, source } = await readDistribution();
    const suite = PGVECTOR_SOURCE_RELEASE[release['ID'] ?? ''];
    if (suite === undefined || source === undefined) {
      throw new Failure(
        `No package and no source of pgvector ${OLDEST_PGVECTOR} or later was found for this system; ` +
          'install it, or set TEST_DATABASE_URL to a database that has it.',
      );
    }
    const folder = await mkdtemp(join(tmpdir(), 'factmill-pgvector-'));
    try {
      // apt reads and downloads as an unprivileged user of its own.
      await chmod(folder, 0o755);
      const apart = await writeAptConfiguration(folder, toStanza(source, suite, 'deb-src'));
      log('Downloading the source of pgvector…');
      await runAsRoot('Reading the source package lists', 'apt-get', [...apart, 'update', '-q']);
      const download = join(folder, 'source');
      await mkdir(download);
      await runAsRoot(
        'Downloading pgvector',
        'apt-get',
        [...apart, 'source', '--download-only', '-q', 'pgvector'],
        download,
      );
      const archive = (await readdir(download)).find((name) => name.includes('.orig.tar.'));
      if (archive === undefined) throw new Failure('The source package of pgvector holds no source archive.');
      log('Building pgvector (about ten seconds)…');
      const build = join(folder, 'build');
      await mkdir(build);
      await runAsRoot('Unpacking pgvector', 'tar', [
        '-xf',
        join(download, archive),
        '-C',
        build,
        '--strip-components=1',
      ]);
      // OPTFLAGS: not tied to this very processor. with_llvm: Postgres needs no bitcode of it.
      const make = ['-C', build, 'OPTFLAGS=', 'with_llvm=no', `PG_CONFIG=${join(binDir, 'pg_config')}`];
      await runAsRoot('Building pgvector', 'make', ['-j2', ...make]);
      await runAsRoot('Installing pgvector', 'make', [...make, 'install']);
    } finally {
      await (isRoot
        ? rm(folder, { recursive: true, force: true })
        : runAsRoot('Removing the build', 'rm', ['-rf', folder]));
    }
  }

  return { install, installPgvector };
}

/**
 * Lays out an apt configuration with one source in a folder, and returns the options with which apt uses it and not the
 * machine's. Needs no root.
 * @param {string} folder
 * @param {string} stanza
 * @returns {Promise<string[]>}
 */
export async function writeAptConfiguration(folder, stanza) {
  for (const name of ['lists/partial', 'cache/archives/partial']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, 'apt.sources'), stanza);
  return [
    `Dir::Etc::sourcelist=${join(folder, 'apt.sources')}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
  ].flatMap((option) => ['-o', option]);
}

/**
 * What the machine is and where it gets its packages from: `release` as in `/etc/os-release`, `source` undefined where
 * apt has none.
 */
export async function readDistribution() {
  const release = parseOsRelease(await readFile('/etc/os-release', 'utf8').catch(() => ''));
  const source = findMainSource(await readAptSources(), release['VERSION_CODENAME'] ?? '');
  return { release, source };
}

/** Every binary source in the machine's apt configuration. */
async function readAptSources() {
  const parts = '/etc/apt/sources.list.d';
  const names = await readdir(parts).catch(() => /** @type {string[]} */ ([]));
  const files = ['/etc/apt/sources.list', ...names.sort().map((name) => join(parts, name))];
  const sources = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8').catch(() => '');
      if (file.endsWith('.sources')) return parseSourcesFile(text);
      return file.endsWith('.list') ? parseListFile(text) : [];
    }),
  );
  return sources.flat();
}

/**
 * @param {string} text content of `/etc/os-release`
 * @returns {Record<string, string>}
 */
export function parseOsRelease(text) {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm)].map(([, name = '', , value = '']) => [name, value]),
  );
}

/**
 * The version that apt would install, from `apt-cache policy`.
 * @param {string} policyText
 */
export function parseCandidate(policyText) {
  const candidate = /^\s*Candidate:\s*(\S+)/m.exec(policyText)?.[1];
  return candidate === '(none)' ? undefined : candidate;
}
