import { describe, expect, test } from '@jest/globals';
import { createFailureHistory, type FailureHistory, type FailurePattern } from './failure-history.ts';

function fail(history: FailureHistory, id: string): FailurePattern {
  history.started(id);
  const state = history.failed(id);
  history.ended(id);
  return state;
}

function answer(history: FailureHistory, id: string): void {
  history.started(id);
  history.answered(id);
  history.ended(id);
}

describe('createFailureHistory', () => {
  test('failures of calls that ran side by side are one round', () => {
    const history = createFailureHistory();
    for (const id of ['a', 'b', 'c']) history.started(id);
    expect(['a', 'b', 'c'].map((id) => history.failed(id).failuresInRow)).toEqual([1, 1, 1]);
    for (const id of ['a', 'b']) history.started(id);
    expect(['a', 'b'].map((id) => history.failed(id).failuresInRow)).toEqual([2, 2]);
  });

  test('an answer ends the row', () => {
    const history = createFailureHistory();
    fail(history, 'a');
    fail(history, 'a');
    answer(history, 'b');
    expect(fail(history, 'c').failuresInRow).toBe(1);
  });

  test('an answer to a call that was under way when the row began does not', () => {
    const history = createFailureHistory();
    history.started('slow');
    fail(history, 'a');
    history.answered('slow');
    expect(fail(history, 'b').failuresInRow).toBe(2);
  });

  test('others succeed when a call that started after this one failed was answered, and only then', () => {
    const history = createFailureHistory();
    answer(history, 'x');
    expect(fail(history, 'a').othersSucceed).toBe(false);
    expect(fail(history, 'a').othersSucceed).toBe(false);
    answer(history, 'x');
    expect(fail(history, 'a').othersSucceed).toBe(true);
    expect(fail(history, 'a').othersSucceed).toBe(false);
  });

  test('an answer to a call that was under way when this one failed is no success of others', () => {
    const history = createFailureHistory();
    history.started('slow');
    fail(history, 'a');
    history.answered('slow');
    expect(fail(history, 'a').othersSucceed).toBe(false);
  });

  test('what failed in an outage is not held against it when the next one comes', () => {
    const history = createFailureHistory();
    fail(history, 'a');
    history.blameProvider();
    answer(history, 'x');
    expect(fail(history, 'a').othersSucceed).toBe(false);
  });

  test('others fail when another one has since the last answer', () => {
    const history = createFailureHistory();
    expect(['a', 'a', 'b', 'a'].map((id) => fail(history, id).othersFail)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    answer(history, 'x');
    expect(fail(history, 'a').othersFail).toBe(false);
  });

  test('own failures are counted through an outage, until an answer', () => {
    const history = createFailureHistory();
    expect([fail(history, 'a'), fail(history, 'a')].map((state) => state.ownFailures)).toEqual([1, 2]);
    history.blameProvider();
    answer(history, 'x');
    expect(fail(history, 'a').ownFailures).toBe(3);
    answer(history, 'a');
    expect(fail(history, 'a').ownFailures).toBe(1);
  });

  test('forgets the oldest of very many', () => {
    const history = createFailureHistory();
    for (let id = 0; id <= 10_000; id += 1) fail(history, String(id));
    answer(history, 'x');
    expect(fail(history, '0').othersSucceed).toBe(false);
    expect(fail(history, '10000').othersSucceed).toBe(true);
  });
});
