// node scripts/test.mjs [--only-faults|--only-chart] [arguments of Jest…]
// Everything that has to hold before a change is good: check, then all tests on real Postgres and Redis, and those of the
// Helm chart. The last line is always `N passed, N failed`.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideHelm } from './chart/helm.mjs';
import { runChecks } from './check-tasks.mjs';
import { Failure, exitWithFailure, printProgress } from './failure.mjs';
import { runJestStage } from './jest-stage.mjs';
import { provideChromium, providePgbouncer, providePostgres, provideRedis } from './services/provision.mjs';
import { startServices, toServiceEnvironment } from './services/start-services.mjs';
import { keepTemporaryFilesInMemory } from './temporary-folder.mjs';
import { sumCounts, toClosing } from './test-summary.mjs';

/** Half of the long tests wait for something most of the time: more of them run at once than there are cores. */
const ALL = { projects: ['unit', 'integration', 'partitions', 'e2e', 'faults'], atOnce: 3, seeds: '1' };
const ONLY_FAULTS = { projects: ['faults'], atOnce: 1, seeds: '20' };
/** Needs Helm and nothing else. */
const CHART = { projects: ['chart'], atOnce: 1, seeds: '1' };

const root = fileURLToPath(new URL('..', import.meta.url));

async function main() {
  const { only, jestArgs } = parseArguments(process.argv.slice(2));
  keepTemporaryFilesInMemory();
  const track = stopEverythingOnSignal();
  const reports = mkdtempSync(join(tmpdir(), 'factmill-reports-'));
  process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
  /** @type {(name: string, stage: typeof ALL, env: NodeJS.ProcessEnv) => Promise<import('./test-summary.mjs').Counts>} */
  const runStage = (name, { projects, atOnce, seeds }, env) =>
    timed(name, () =>
      runJestStage({
        root,
        log: printProgress,
        onStart: track,
        env: { FAULT_SEEDS: seeds, ...process.env, ...env },
        projects,
        args: [`--maxWorkers=${atOnce}`, ...jestArgs],
        reportFile: join(reports, `${projects.join('-')}.json`),
      }),
    );
  // Provided while the checks run: on a fresh machine both take their time.
  const helm =
    only === 'faults' ? undefined : orFailure(provideHelm(join(root, '.toolchain'), printProgress));
  const starting =
    only === 'chart' ? undefined : orFailure(startServices({ durable: false, log: printProgress }));

  /** @type {import('./test-summary.mjs').Counts[]} */
  const counts = [];
  try {
    if (only === undefined) counts.push(await timed('check', () => countChecks(track)));
    const services = await timed('waiting for services', async () => starting);
    if (services instanceof Failure) throw services;
    if (services !== undefined) {
      const env = {
        ...toServiceEnvironment(await withOwnBinaries(services)),
        ...(await programEnvironment()),
      };
      counts.push(
        await (only === 'faults' ? runStage('fault tests', ONLY_FAULTS, env) : runStage('tests', ALL, env)),
      );
    }
    const path = await helm;
    if (path instanceof Failure) counts.push(withoutHelm(path, only));
    else if (path !== undefined)
      counts.push(await runStage('tests of the chart', CHART, { TEST_HELM: path }));
  } catch (error) {
    printProgress(`FAILED: ${error instanceof Failure ? error.message : String(error)}`);
    counts.push({ passed: 0, failed: 1, skipped: 0 });
  } finally {
    const started = await starting?.catch(() => undefined);
    if (started !== undefined && !(started instanceof Failure)) await started.stop();
  }

  const total = sumCounts(counts);
  if (total.passed + total.failed === 0) printProgress('FAILED: no test was executed.');
  if (total.skipped > 0) printProgress(`${total.skipped} skipped`);
  const { line, exitCode } = toClosing(total);
  process.stdout.write(`${line}\n`);
  return exitCode;
}

/**
 * @param {readonly string[]} args
 * @returns {{ only: 'faults' | 'chart' | undefined, jestArgs: string[] }}
 */
function parseArguments(args) {
  const only = args[0] === '--only-faults' ? 'faults' : args[0] === '--only-chart' ? 'chart' : undefined;
  return { only, jestArgs: args.slice(only === undefined ? 0 : 1) };
}

/**
 * A sentence for the user instead of an error, which is thrown only by who waits for it.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T | Failure>}
 */
function orFailure(work) {
  const result = work.catch((error) => {
    if (error instanceof Failure) return error;
    throw error;
  });
  result.catch(() => {});
  return result;
}

/** @param {(group: import('./process-group.mjs').ProcessGroup) => void} onStart */
async function countChecks(onStart) {
  const failed = await runChecks({ root, print: (text) => process.stdout.write(text), onStart });
  if (failed.length > 0) printProgress(`FAILED: check (${failed.join(', ')})`);
  return { passed: 0, failed: failed.length > 0 ? 1 : 0, skipped: 0 };
}

/**
 * The chart's manifests are tested without Helm too, so only who asks for the chart fails without it.
 * @param {Failure} reason
 * @param {string | undefined} only
 */
function withoutHelm({ message }, only) {
  printProgress(`${only === 'chart' ? 'FAILED' : 'SKIPPED: the tests that run Helm'}: ${message}`);
  return only === 'chart' ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 };
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

/** @type {readonly [string, (log: (line: string) => void) => Promise<string>, string][]} */
const PROGRAMS = [
  ['TEST_CHROMIUM', provideChromium, 'The tests in a browser will fail.'],
  ['TEST_PGBOUNCER', providePgbouncer, 'The tests behind PgBouncer will fail.'],
];

/** Where the tests find other programs. Without one some fail, so a reason is given here. */
async function programEnvironment() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, provide, consequence] of PROGRAMS) {
    try {
      found[name] = process.env[name] || (await provide(printProgress));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      printProgress(`${consequence} ${error.message}`);
    }
  }
  return found;
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
