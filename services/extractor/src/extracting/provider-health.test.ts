import { describe, expect, test } from '@jest/globals';
import { createProviderHealth, type ProviderHealth, type ProviderState } from './provider-health.ts';

function fail(health: ProviderHealth, id: string): ProviderState {
  health.started(id);
  const state = health.failed(id);
  health.ended(id);
  return state;
}

function answer(health: ProviderHealth, id: string): void {
  health.started(id);
  health.answered(id);
  health.ended(id);
}

describe('createProviderHealth', () => {
  test('failures of calls that ran side by side are one round', () => {
    const health = createProviderHealth();
    for (const id of ['a', 'b', 'c']) health.started(id);
    expect(['a', 'b', 'c'].map((id) => health.failed(id).failuresInRow)).toEqual([1, 1, 1]);
    for (const id of ['a', 'b']) health.started(id);
    expect(['a', 'b'].map((id) => health.failed(id).failuresInRow)).toEqual([2, 2]);
  });

  test('an answer ends the row', () => {
    const health = createProviderHealth();
    fail(health, 'a');
    fail(health, 'a');
    answer(health, 'b');
    expect(fail(health, 'c').failuresInRow).toBe(1);
  });

  test('an answer to a call that was under way when the row began does not', () => {
    const health = createProviderHealth();
    health.started('slow');
    fail(health, 'a');
    health.answered('slow');
    expect(fail(health, 'b').failuresInRow).toBe(2);
  });

  test('others succeed when a call that started after this one failed was answered, and only then', () => {
    const health = createProviderHealth();
    answer(health, 'x');
    expect(fail(health, 'a').othersSucceed).toBe(false);
    expect(fail(health, 'a').othersSucceed).toBe(false);
    answer(health, 'x');
    expect(fail(health, 'a').othersSucceed).toBe(true);
    expect(fail(health, 'a').othersSucceed).toBe(false);
  });

  test('an answer to a call that was under way when this one failed is no success of others', () => {
    const health = createProviderHealth();
    health.started('slow');
    fail(health, 'a');
    health.answered('slow');
    expect(fail(health, 'a').othersSucceed).toBe(false);
  });

  test('what failed in an outage is not held against it when the next one comes', () => {
    const health = createProviderHealth();
    fail(health, 'a');
    health.isDown();
    answer(health, 'x');
    expect(fail(health, 'a').othersSucceed).toBe(false);
  });

  test('others fail when another one has since the last answer', () => {
    const health = createProviderHealth();
    expect(['a', 'a', 'b', 'a'].map((id) => fail(health, id).othersFail)).toEqual([false, false, true, true]);
    answer(health, 'x');
    expect(fail(health, 'a').othersFail).toBe(false);
  });

  test('own failures are counted through an outage, until an answer', () => {
    const health = createProviderHealth();
    expect([fail(health, 'a'), fail(health, 'a')].map((state) => state.ownFailures)).toEqual([1, 2]);
    health.isDown();
    answer(health, 'x');
    expect(fail(health, 'a').ownFailures).toBe(3);
    answer(health, 'a');
    expect(fail(health, 'a').ownFailures).toBe(1);
  });

  test('forgets the oldest of very many', () => {
    const health = createProviderHealth();
    for (let id = 0; id <= 10_000; id += 1) fail(health, String(id));
    answer(health, 'x');
    expect(fail(health, '0').othersSucceed).toBe(false);
    expect(fail(health, '10000').othersSucceed).toBe(true);
  });
});
