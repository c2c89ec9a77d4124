import { describe, expect, test } from '@jest/globals';
import { createProviderHealth } from './provider-health.ts';

describe('createProviderHealth', () => {
  test('failures of calls that ran side by side are one round', () => {
    const health = createProviderHealth();
    const first = health.round();
    const states = ['a', 'b', 'c'].map((id) => health.failed(id, first));
    expect(states.map((state) => state.failuresInRow)).toEqual([1, 1, 1]);
    const second = health.round();
    expect(health.failed('a', second).failuresInRow).toBe(2);
    expect(health.failed('b', second).failuresInRow).toBe(2);
  });

  test('an answer ends the row', () => {
    const health = createProviderHealth();
    health.failed('a', health.round());
    health.failed('a', health.round());
    health.answered();
    expect(health.failed('b', health.round()).failuresInRow).toBe(1);
  });

  test('a call from before an answer counts as a new round', () => {
    const health = createProviderHealth();
    health.failed('a', health.round());
    health.failed('a', health.round());
    const old = health.round();
    health.answered();
    expect(health.failed('b', old).failuresInRow).toBe(1);
  });

  test('others succeed when the provider answered since this one last failed, and only then', () => {
    const health = createProviderHealth();
    health.answered();
    expect(health.failed('a', health.round()).othersSucceed).toBe(false);
    expect(health.failed('a', health.round()).othersSucceed).toBe(false);
    health.answered();
    expect(health.failed('a', health.round()).othersSucceed).toBe(true);
    expect(health.failed('a', health.round()).othersSucceed).toBe(false);
  });

  test('forgets the oldest of very many', () => {
    const health = createProviderHealth();
    for (let id = 0; id <= 10_000; id += 1) health.failed(String(id), 0);
    health.answered();
    expect(health.failed('0', 0).othersSucceed).toBe(false);
    expect(health.failed('10000', 0).othersSucceed).toBe(true);
  });
});
