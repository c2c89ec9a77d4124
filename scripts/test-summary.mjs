/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed tests, and whatever else went wrong: a suite that could not run, a failed check
 * @property {number} skipped
 */

/** @type {Counts} */
export const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };

/**
 * The counts of one run of Jest. A suite that did not run at all counts as one failure, and so does a run
 * that ended badly without naming a failed test.
 * @param {unknown} report what Jest wrote with `--json`; undefined when it wrote none
 * @param {number} exitCode
 * @returns {Counts}
 */
export function toCounts(report, exitCode) {
  if (typeof report !== 'object' || report === null) return { passed: 0, failed: 1, skipped: 0 };
  const numbers = new Map(Object.entries(report));
  const read = (/** @type {string} */ name) => Number(numbers.get(name) ?? 0);
  const failed = read('numFailedTests') + read('numRuntimeErrorTestSuites');
  return {
    passed: read('numPassedTests'),
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: read('numPendingTests') + read('numTodoTests'),
  };
}

/**
 * @param {readonly Counts[]} parts
 * @returns {Counts}
 */
export function sumCounts(parts) {
  return parts.reduce(
    (sum, part) => ({
      passed: sum.passed + part.passed,
      failed: sum.failed + part.failed,
      skipped: sum.skipped + part.skipped,
    }),
    NO_TESTS,
  );
}

/**
 * The closing line and the exit code. A run that executed no test at all has failed.
 * @param {Counts} total
 * @returns {{ line: string, exitCode: number }}
 */
export function toClosing({ passed, failed }) {
  const reported = passed + failed === 0 ? 1 : failed;
  return { line: `${passed} passed, ${reported} failed`, exitCode: reported === 0 ? 0 : 1 };
}
