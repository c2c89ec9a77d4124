import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { toStanza } from './apt-sources.mjs';
import { readDistribution, writeAptConfiguration } from './debian.mjs';
import { findPostgresInstallations, inspectInstallation, isComplete } from './local-binaries.mjs';

/** Which release of Debian has packages of a PostgreSQL with pgvector, newest first. */
const RELEASES = [
  { major: 18, suite: 'forky' },
  { major: 17, suite: 'trixie' },
];

/** What the server and its tools load at run time; not the compiler, Perl and scripts of their packages. */
const NEEDED = /^(?:postgresql-(?:client-)?\d+|postgresql-\d+-pgvector|lib.+|zlib1g)$/;
const NOT_NEEDED = /^lib(?:llvm|z3-|perl|systemd-shared)/;
const NOT_KEPT = ['usr/share/doc', 'usr/share/locale', 'usr/share/man', 'usr/share/perl5'];

/**
 * @typedef {import('./local-binaries.mjs').PostgresInstallation} PostgresInstallation
 */

/**
 * The two newest majors of PostgreSQL with pgvector and pg_trgm that can be had, newest first: those of this machine,
 * and on Debian those of its other releases, which are unpacked into a folder once and run with their own libraries.
 * Nothing of the machine is changed, and no root is needed. `missing` is a sentence when others would be newer.
 * @param {string} folder where unpacked ones are kept; for root it is a system-wide one instead, as the server runs as
 *   another user, who may not be let into this one
 * @param {(line: string) => void} log
 * @returns {Promise<{ installations: PostgresInstallation[], missing: string | undefined }>}
 */
export async function provideNewestPostgres(folder, log) {
  const kept = process.getuid?.() === 0 ? '/var/cache/factmill' : folder;
  const found = (await findPostgresInstallations()).filter(isComplete);
  let missing;
  for (const release of RELEASES) {
    if (found.some(({ major }) => major === release.major)) continue;
    const target = join(kept, `postgres-${release.major}`);
    try {
      found.push((await inspectUnpacked(target, release)) ?? (await unpack(target, release, log)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      missing ??= error.message;
    }
  }
  return { installations: found.sort((a, b) => b.major - a.major).slice(0, 2), missing };
}

/**
 * @param {string} root
 * @param {{ major: number }} release
 */
function inspectUnpacked(root, { major }) {
  return inspectInstallation(join(root, 'usr/lib/postgresql', String(major), 'bin'));
}

/**
 * Downloads the packages that PostgreSQL consists of and unpacks them. The folder appears by one rename.
 * @param {string} target
 * @param {{ major: number, suite: string }} release
 * @param {(line: string) => void} log
 * @returns {Promise<PostgresInstallation>}
 */
async function unpack(target, { major, suite }, log) {
  const { release, source } = await readDistribution();
  if (release['ID'] !== 'debian' || source === undefined) {
    throw new Failure(`PostgreSQL ${major} is not installed, and only on Debian it can be brought.`);
  }
  log(`Bringing PostgreSQL ${major} from the packages of Debian ${suite}…`);
  const work = await mkdtemp(join(tmpdir(), 'factmill-postgres-'));
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    // apt downloads as an unprivileged user of its own.
    await chmod(work, 0o755);
    const apt = await writeAptConfiguration(work, `${toStanza(source, suite, 'deb')}Targets: Packages\n`);
    // As if nothing were installed: then everything that is needed is downloaded.
    await writeFile(join(work, 'status'), '');
    apt.push('-o', `Dir::State::status=${join(work, 'status')}`, '-o', 'APT::Install-Recommends=false');
    await run('Reading the package lists', 'apt-get', [...apt, 'update', '-q'], work);
    const wanted = [`postgresql-${major}`, `postgresql-${major}-pgvector`];
    const plan = await run(
      'Looking for packages',
      'apt-get',
      [...apt, '--simulate', 'install', ...wanted],
      work,
    );
    const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    const needed = names.filter((name) => NEEDED.test(name) && !NOT_NEEDED.test(name));
    const packages = join(work, 'packages');
    await mkdir(packages);
    if (process.getuid?.() === 0) await chmod(packages, 0o777);
    await run('Downloading PostgreSQL', 'apt-get', [...apt, 'download', '-q', ...needed], packages);

    await mkdir(unfinished, { recursive: true });
    for (const file of await readdir(packages)) {
      await run('Unpacking PostgreSQL', 'dpkg-deb', ['--extract', join(packages, file), unfinished], work);
    }
    await finish(unfinished, major);
    await rename(unfinished, target).catch(() => {
      // Another run was faster; its copy is the same.
    });
  } finally {
    await Promise.all([work, unfinished].map((path) => rm(path, { recursive: true, force: true })));
  }
  const installation = await inspectUnpacked(target, { major });
  if (installation === undefined || !isComplete(installation)) {
    throw new Failure(`PostgreSQL ${major} of Debian ${suite} does not run on this machine.`);
  }
  return installation;
}

/**
 * Puts a script in the place of each program, that runs it with the libraries that came with it: they are newer than
 * the machine's.
 * @param {string} root
 * @param {number} major
 */
async function finish(root, major) {
  const [folder] = (await readdir(join(root, 'usr/lib'))).filter((name) => name.endsWith('-linux-gnu'));
  const libraries = join('usr/lib', folder ?? '');
  const loader = (await readdir(join(root, libraries))).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
  const installed = join('usr/lib/postgresql', String(major));
  // The compiler of statements would need a library of 30 MB.
  const unused = [...NOT_KEPT, join(installed, 'lib/llvmjit.so'), join(installed, 'lib/bitcode')];
  await Promise.all(unused.map((path) => rm(join(root, path), { recursive: true, force: true })));
  const bin = join(root, installed, 'bin');
  for (const name of await readdir(bin)) {
    const program = join(bin, name);
    if (!(await isElf(program))) continue;
    await rename(program, `${program}.program`);
    const script = `#!/bin/sh
root=$(readlink -f "$0")
root=\${root%/${installed}/bin/*}
exec "$root/${libraries}/${loader}" --argv0 "$0" --library-path "$root/${libraries}" "$root/${installed}/bin/${name}.program" "$@"
`;
    await writeFile(program, script, { mode: 0o755 });
  }
}

/** @param {string} path */
async function isElf(path) {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}

/**
 * @param {string} what for the sentence when it fails
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function run(what, program, args, cwd) {
  const result = await capture(program, args, { cwd, env: { ...process.env, LC_ALL: 'C.UTF-8' } });
  if (result.code !== 0) throw new Failure(`${what} failed: ${lastLines(result.stderr || result.stdout)}`);
  return result.stdout;
}
