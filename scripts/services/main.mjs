// node scripts/services/main.mjs [--durable] -- <command> [args…]
// Runs a command with Postgres and Redis at hand (TEST_DATABASE_URL, TEST_REDIS_URL, TEST_PG_BIN_DIR),
// and with the path of a Chromium that is installed (TEST_CHROMIUM).
import { Failure, exitWithFailure, printProgress } from '../failure.mjs';
import { runInForeground } from '../foreground.mjs';
import { findChromium } from './provision.mjs';
import { startServices, toServiceEnvironment } from './start-services.mjs';

async function main() {
  const args = process.argv.slice(2);
  const separator = args.indexOf('--');
  const [command, ...commandArgs] = separator < 0 ? [] : args.slice(separator + 1);
  if (command === undefined) {
    throw new Failure('Usage: node scripts/services/main.mjs [--durable] -- <command> [args…]');
  }
  const durable = args.slice(0, separator).includes('--durable');
  const services = await startServices({ durable, log: printProgress });
  const chromium = await findChromium();
  const browser = chromium === undefined ? {} : { TEST_CHROMIUM: chromium };
  try {
    return await runInForeground(command, commandArgs, {
      env: { ...browser, ...process.env, ...toServiceEnvironment(services) },
    });
  } finally {
    await services.stop();
  }
}

main().then((code) => process.exit(code), exitWithFailure);
