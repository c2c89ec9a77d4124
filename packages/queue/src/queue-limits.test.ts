import { describe, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import { createFindDropped, createQueueLimits } from './queue-limits.ts';

function setUp(settings: Record<string, unknown>) {
  let now = 0;
  let reads = 0;
  const state = { settings, isDown: false };
  const readSettings = () => {
    reads += 1;
    return state.isDown
      ? Promise.reject(new AppError('database_unavailable', 'away'))
      : Promise.resolve(state.settings);
  };
  const limits = createQueueLimits({
    readSettings,
    configured: { queueLimit: 10, tenantQueueLimit: 5 },
    now: () => now,
  });
  return { limits, state, pass: (ms: number) => (now += ms), reads: () => reads };
}

describe('queue limits', () => {
  test('are those of the environment unless an operator has changed them', async () => {
    expect(await setUp({}).limits()).toEqual({ queueLimit: 10, tenantQueueLimit: 5 });
    expect(await setUp({ 'queue.limit': 3, 'retry.interval_ms': 1 }).limits()).toEqual({
      queueLimit: 3,
      tenantQueueLimit: 5,
    });
    expect(await setUp({ 'queue.limit': 0, 'queue.tenant_limit': 7 }).limits()).toEqual({
      queueLimit: 0,
      tenantQueueLimit: 7,
    });
  });

  test.each(['many', -1, 1.5, null, {}])('a setting of %j is ignored', async (value) => {
    expect((await setUp({ 'queue.limit': value }).limits()).queueLimit).toBe(10);
  });

  test('are read every two seconds at most, and kept while they cannot be read', async () => {
    const { limits, state, pass, reads } = setUp({ 'queue.limit': 3 });
    await limits();
    state.settings = { 'queue.limit': 4 };
    pass(1_999);
    expect((await limits()).queueLimit).toBe(3);
    expect(reads()).toBe(1);
    pass(1);
    expect((await limits()).queueLimit).toBe(4);
    state.isDown = true;
    pass(2_000);
    expect((await limits()).queueLimit).toBe(4);
  });
});

test('what a limit has dropped is asked for where one is in force', async () => {
  const limits = { queueLimit: 0, tenantQueueLimit: 0 };
  const find = createFindDropped(
    async () => limits,
    async (extractions) => extractions.slice(1).map(({ id }) => id),
  );
  const accepted = ['a', 'b'].map((id) => ({ id, tenantId: 'one' }));
  expect(await find(accepted)).toEqual([]);
  limits.tenantQueueLimit = 5;
  expect(await find(accepted)).toEqual(['b']);
});
