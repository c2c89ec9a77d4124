import { describe, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import { createAuthenticationGuard, networkOf } from './guard-authentication.ts';

const wrong = () => Promise.reject(new AppError('unauthorized', 'No.'));

function createStand(maxFailures = 3) {
  let at = 1_000;
  let counted = 0;
  const guard = createAuthenticationGuard({ maxFailures, count: () => (counted += 1), now: () => at });
  const ask = (address: string, credential: string | null, check: () => Promise<never> = wrong) =>
    guard({ address, credential }, check).then(
      () => 'passed',
      (error: AppError) => error.code,
    );
  return { guard, ask, pass: (ms: number) => (at += ms), counted: () => counted };
}

describe('the guard of authentication', () => {
  test('answers the first failures of an address with 401, then with 429 until a minute has passed', async () => {
    const { ask, pass, counted } = createStand();
    for (let turn = 0; turn < 3; turn += 1)
      expect(await ask('10.0.0.1', `wrong ${turn}`)).toBe('unauthorized');
    expect(await ask('10.0.0.1', 'wrong')).toBe('rate_limited');
    expect(counted()).toBe(1);
    expect(await ask('10.0.0.2', 'wrong')).toBe('unauthorized');
    pass(60_001);
    expect(await ask('10.0.0.1', 'wrong')).toBe('unauthorized');
  });

  test('says how long to wait', async () => {
    const { ask, guard, pass } = createStand(1);
    await ask('10.0.0.1', 'wrong');
    pass(20_000);
    await expect(guard({ address: '10.0.0.1', credential: 'wrong' }, wrong)).rejects.toMatchObject({
      code: 'rate_limited',
      kind: 'limited',
      retryAfterSeconds: 40,
    });
  });

  test('a good key passes from an address over the limit, and counts as no failure', async () => {
    const { guard, ask } = createStand(1);
    for (let turn = 0; turn < 5; turn += 1) await ask('10.0.0.1', 'wrong');
    const principal = { tenantId: 't' } as never;
    await expect(guard({ address: '10.0.0.1', credential: 'good' }, async () => principal)).resolves.toBe(
      principal,
    );
  });

  test('failures of one key id count from all addresses', async () => {
    const { ask } = createStand();
    const key = `fm_0123456789abcdef_${'x'.repeat(43)}`;
    for (let turn = 0; turn < 3; turn += 1) await ask(`10.0.0.${turn}`, key);
    expect(await ask('10.0.0.99', key)).toBe('rate_limited');
    expect(await ask('10.0.0.99', `fm_fedcba9876543210_${'x'.repeat(43)}`)).toBe('unauthorized');
  });

  test('a request without a key, and an error of the store, is no failure', async () => {
    const { ask } = createStand(1);
    for (let turn = 0; turn < 3; turn += 1) expect(await ask('10.0.0.1', null)).toBe('unauthorized');
    const away = () => Promise.reject(new AppError('database_unavailable', 'Away.'));
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await ask('10.0.0.1', 'key', away)).toBe('database_unavailable');
    }
    expect(await ask('10.0.0.1', 'wrong')).toBe('unauthorized');
  });

  test('over the limit keys are looked up one after the other', async () => {
    const { ask, guard } = createStand(1);
    await ask('10.0.0.1', 'wrong');
    let atOnce = 0;
    let most = 0;
    const check = async (): Promise<never> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      throw new AppError('unauthorized', 'No.');
    };
    const all = Array.from({ length: 20 }, () => guard({ address: '10.0.0.1', credential: 'wrong' }, check));
    await Promise.allSettled(all);
    expect(most).toBe(1);
  });

  test('0 sets no limit', async () => {
    const { ask } = createStand(0);
    for (let turn = 0; turn < 10; turn += 1) expect(await ask('10.0.0.1', 'wrong')).toBe('unauthorized');
  });

  test('addresses of one network count together', () => {
    expect(networkOf('::ffff:10.1.2.3')).toBe('10.1.2.3');
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
    expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2');
    expect(networkOf('2001:db8::9')).toBe('2001:db8:0:0');
    expect(networkOf('::1')).toBe('0:0:0:0');
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0');
    expect(networkOf(undefined)).toBe('');
  });
});
