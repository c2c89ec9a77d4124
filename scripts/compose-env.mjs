// node scripts/compose-env.mjs
// Makes `.env` in the working directory with the passwords that docker-compose.yml asks for. It has no dependencies, runs
// on Node 18, prints none of them, and changes no file that is there.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Failure, exitWithFailure } from './failure.mjs';

const NAMES = ['POSTGRES_PASSWORD', 'POSTGRES_SERVICE_PASSWORD', 'REDIS_PASSWORD', 'GRAFANA_PASSWORD'];

const HEAD = `# Passwords for docker-compose.yml, made by chance. Keep this file: the volumes of Postgres have the first two.
# Settings of Factmill (.env.example) may follow.
`;

async function main() {
  // Letters and digits, because they become part of addresses.
  const lines = NAMES.map((name) => `${name}=${randomBytes(24).toString('hex')}\n`);
  try {
    await writeFile('.env', HEAD + lines.join(''), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return reportExisting(await readFile('.env', 'utf8'));
  }
  console.log(`.env has passwords now, which only you can read: ${NAMES.join(', ')}.`);
  return 0;
}

/** @param {string} text */
function reportExisting(text) {
  const missing = NAMES.filter(
    (name) => !new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*\\S`, 'm').test(text),
  );
  if (missing.length > 0)
    throw new Failure(
      `.env is there and stays as it is. It lacks ${missing.join(', ')}: add them, or move .env away and run this again.`,
    );
  console.log('.env is there, has all passwords, and stays as it is.');
  return 0;
}

main().then((code) => process.exit(code), exitWithFailure);
