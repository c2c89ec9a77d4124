import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the version of package.json is written again. Group 1 of each is a place's current one. */
const PLACES = [
  { files: '{packages,services}/*/package.json', pattern: /^ {2}"version": "(.+)",$/gm },
  { files: '{test,bench}/package.json', pattern: /^ {2}"version": "(.+)",$/gm },
  { files: 'packages/runtime/src/run-process.ts', pattern: /VERSION = '(.+)';/g },
  { files: 'infra/Dockerfile', pattern: /^ARG VERSION=(.+)$/gm },
  { files: 'docker-compose.yml', pattern: /\{FACTMILL_IMAGE:-[^}]*:(.+)\}$/gm },
  { files: 'infra/helm/factmill/Chart.yaml', pattern: /^(?:version|appVersion): (.+)$/gm },
];

/**
 * Every place that repeats the version, with what it says.
 * @param {string} root
 * @returns {Promise<{ file: string, version: string }[]>}
 */
export async function findVersions(root) {
  const found = [];
  for (const { files, pattern } of PLACES) {
    for await (const file of glob(files, { cwd: root })) {
      const text = await readFile(join(root, file), 'utf8');
      for (const [, version = ''] of text.matchAll(pattern)) found.push({ file, version });
    }
  }
  return found;
}

/**
 * Writes a version into package.json and everywhere else.
 * @param {string} root
 * @param {string} version
 */
export async function setVersion(root, version) {
  const own = { files: 'package.json', pattern: /^ {2}"version": "(.+)",$/gm };
  for (const { files, pattern } of [own, ...PLACES]) {
    for await (const file of glob(files, { cwd: root })) {
      const path = join(root, file);
      const text = await readFile(path, 'utf8');
      await writeFile(
        path,
        text.replaceAll(pattern, (line, old) => line.replace(old, version)),
      );
    }
  }
}
