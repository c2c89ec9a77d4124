import { describe, expect, test } from '@jest/globals';
import { NO_TESTS, sumCounts, toClosing, toCounts } from './test-summary.mjs';

describe('toCounts', () => {
  test('counts tests, and suites that did not run as failures', () => {
    const report = {
      numPassedTests: 5,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 2,
      numPendingTests: 3,
      numTodoTests: 1,
    };
    expect(toCounts(report, 1)).toEqual({ passed: 5, failed: 3, skipped: 4 });
  });

  test('a bad exit without a failed test is one failure', () => {
    expect(toCounts({ numPassedTests: 5, numFailedTests: 0 }, 1)).toEqual({
      passed: 5,
      failed: 1,
      skipped: 0,
    });
    expect(toCounts(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('toClosing', () => {
  test('sums the parts', () => {
    const total = sumCounts([
      NO_TESTS,
      { passed: 3, failed: 0, skipped: 1 },
      { passed: 2, failed: 1, skipped: 0 },
    ]);
    expect(toClosing(total)).toEqual({ line: '5 passed, 1 failed', exitCode: 1 });
  });

  test('all passed', () => {
    expect(toClosing({ passed: 7, failed: 0, skipped: 2 })).toEqual({
      line: '7 passed, 0 failed',
      exitCode: 0,
    });
  });

  test('no test at all is a failure', () => {
    expect(toClosing(NO_TESTS)).toEqual({ line: '0 passed, 1 failed', exitCode: 1 });
  });
});
