// node scripts/services/main.mjs [--durable] -- <command> [args…]
// Runs a command with Postgres and Redis at hand (TEST_DATABASE_URL, TEST_REDIS_URL, TEST_PG_BIN_DIR),
// and with the paths of a Chromium and a PgBouncer that are installed (TEST_CHROMIUM, TEST_PGBOUNCER).
import { Failure, exitWithFailure, printProgress } from '../failure.mjs';
import { runInForeground } from '../foreground.mjs';
import { keepTemporaryFilesInMemory } from '../temporary-folder.mjs';
import { findChromium, findPgbouncer } from './provision.mjs';
import { startServices, toServiceEnvironment } from './start-services.mjs';

async function main() {
  const args = process.argv.slice(2);
  const separator = args.indexOf('--');
  const [command, ...commandArgs] = separator < 0 ? [] : args.slice(separator + 1);
  if (command === undefined) {
    throw new Failure('Usage: node scripts/services/main.mjs [--durable] -- <command> [args…]');
  }
  const durable = args.slice(0, separator).includes('--durable');
  if (!durable) keepTemporaryFilesInMemory();
  const services = await startServices({ durable, log: printProgress });
  const [chromium, pgbouncer] = [await findChromium(), await findPgbouncer()];
  const programs = {
    ...(chromium === undefined ? {} : { TEST_CHROMIUM: chromium }),
    ...(pgbouncer === undefined ? {} : { TEST_PGBOUNCER: pgbouncer }),
  };
  try {
    return await runInForeground(command, commandArgs, {
      env: { ...programs, ...process.env, ...toServiceEnvironment(services) },
    });
  } finally {
    await services.stop();
  }
}

main().then((code) => process.exit(code), exitWithFailure);
