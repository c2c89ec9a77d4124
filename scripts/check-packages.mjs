// Dependencies between packages go one way, and each package says what it is. Exit code 1 when one does not.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findViolations } from './package-rules.mjs';

const SCOPE = '@factmill/';

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
/** @param {Record<string, string> | undefined} dependencies */
const ours = (dependencies = {}) =>
  Object.keys(dependencies)
    .filter((name) => name.startsWith(SCOPE))
    .map((name) => name.slice(SCOPE.length));

const packages = globSync('{packages,services}/*/package.json').map((path) => {
  const { description, dependencies, devDependencies } = readJson(path);
  const { references = [] } = readJson(`${dirname(path)}/tsconfig.json`);
  return {
    folder: dirname(path).replaceAll('\\', '/'),
    description,
    dependencies: ours(dependencies),
    developmentDependencies: ours(devDependencies),
    references: references.map((/** @type {{ path: string }} */ reference) => basename(reference.path)),
  };
});
const violations = findViolations(packages);
for (const violation of violations) console.log(violation);
process.exitCode = violations.length === 0 ? 0 : 1;
