// node scripts/test.mjs [--only-faults] [arguments of Jest…]
// Everything that has to hold before a change is good: check, then all tests on real Postgres and Redis. The last line
// is always `N passed, N failed`.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './check-tasks.mjs';
import { Failure, exitWithFailure, printProgress } from './failure.mjs';
import { runJestStage } from './jest-stage.mjs';
import { provideChromium, providePostgres, provideRedis } from './services/provision.mjs';
import { startServices, toServiceEnvironment } from './services/start-services.mjs';
import { sumCounts, toClosing } from './test-summary.mjs';

/** Half of the long tests wait for something most of the time: more of them run at once than there are cores. */
const ALL = { projects: ['unit', 'integration', 'e2e', 'faults'], atOnce: 3, seeds: '1' };
const ONLY_FAULTS = { projects: ['faults'], atOnce: 1, seeds: '20' };

const root = fileURLToPath(new URL('..', import.meta.url));

async function main() {
  const { onlyFaults, jestArgs } = parseArguments(process.argv.slice(2));
  const track = stopEverythingOnSignal();
  const reports = mkdtempSync(join(tmpdir(), 'factmill-reports-'));
  process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
  // Provided while the checks run: on a fresh machine both take their time.
  const starting = startServices({ durable: false, log: printProgress }).catch((error) => {
    if (error instanceof Failure) return error;
    throw error;
  });
  starting.catch(() => {});

  /** @type {import('./test-summary.mjs').Counts[]} */
  const counts = [];
  let services;
  try {
    if (!onlyFaults) {
      counts.push(
        await timed('check', async () => {
          const failed = await runChecks({
            root,
            print: (text) => process.stdout.write(text),
            onStart: track,
          });
          if (failed.length > 0) printProgress(`FAILED: check (${failed.join(', ')})`);
          return { passed: 0, failed: failed.length > 0 ? 1 : 0, skipped: 0 };
        }),
      );
    }
    services = await timed('waiting for services', () => starting);
    if (services instanceof Failure) throw services;
    const env = {
      ...process.env,
      ...toServiceEnvironment(await withOwnBinaries(services)),
      ...(await browserEnvironment()),
    };
    const { projects, atOnce, seeds } = onlyFaults ? ONLY_FAULTS : ALL;
    counts.push(
      await timed(onlyFaults ? 'fault tests' : 'tests', () =>
        runJestStage({
          root,
          log: printProgress,
          onStart: track,
          env: { FAULT_SEEDS: seeds, ...env },
          projects,
          args: [`--maxWorkers=${atOnce}`, ...jestArgs],
          reportFile: join(reports, 'tests.json'),
        }),
      ),
    );
  } catch (error) {
    printProgress(`FAILED: ${error instanceof Failure ? error.message : String(error)}`);
    counts.push({ passed: 0, failed: 1, skipped: 0 });
  } finally {
    const started = services ?? (await starting.catch(() => undefined));
    if (started !== undefined && !(started instanceof Failure)) await started.stop();
  }

  const total = sumCounts(counts);
  if (total.passed + total.failed === 0) printProgress('FAILED: no test was executed.');
  if (total.skipped > 0) printProgress(`${total.skipped} skipped`);
  const { line, exitCode } = toClosing(total);
  process.stdout.write(`${line}\n`);
  return exitCode;
}

/** @param {readonly string[]} args */
function parseArguments(args) {
  return {
    onlyFaults: args[0] === '--only-faults',
    jestArgs: args.filter((arg, i) => i > 0 || arg !== '--only-faults'),
  };
}

/**
 * Fault tests start and kill servers of their own, which given or Docker's cannot stand in for. Without them
 * these tests fail, so a reason is given here.
 * @param {import('./services/start-services.mjs').Services} services
 */
async function withOwnBinaries(services) {
  try {
    await provideRedis(printProgress);
    return { ...services, pgBinDir: await providePostgres(printProgress) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printProgress(`The fault tests will fail, as they run servers of their own. ${error.message}`);
    return services;
  }
}

/** Where the tests find a browser. Without one they fail, so a reason is given here. */
async function browserEnvironment() {
  try {
    return { TEST_CHROMIUM: process.env['TEST_CHROMIUM'] || (await provideChromium(printProgress)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printProgress(`The tests in a browser will fail. ${error.message}`);
    return {};
  }
}

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} run
 */
async function timed(name, run) {
  const startedMs = performance.now();
  const result = await run();
  printProgress(`${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * On a signal all programs at work are ended and then this process; the services end with it.
 * @returns {(group: import('./process-group.mjs').ProcessGroup) => void} remembers a program at work
 */
function stopEverythingOnSignal() {
  /** @type {Set<import('./process-group.mjs').ProcessGroup>} */
  const atWork = new Set();
  let isStopping = false;
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    process.once(signal, async () => {
      isStopping = true;
      for (const other of signals) process.on(other, () => {});
      for (const group of atWork) group.stop(signal);
      await Promise.all([...atWork].map((group) => group.exited));
      for (const group of atWork) group.endRest();
      process.exit(128 + constants.signals[signal]);
    });
  }
  return (group) => {
    if (isStopping) group.endRest();
    atWork.add(group);
    void group.exited.then(() => atWork.delete(group));
  };
}

main().then((code) => process.exit(code), exitWithFailure);
