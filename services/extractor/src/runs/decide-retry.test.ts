import { AppError, ERROR_CODES, type ErrorCode } from '@factmill/errors';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyModelError, emptyAnswerError } from '@factmill/models';
import { blamesProvider } from '../providers/error-treatments.ts';
import { decideRetry, type Failure, finalErrorOf } from './decide-retry.ts';

const HEALTHY = { failuresInRow: 1, othersSucceed: false, othersFail: false, ownFailures: 1, isDown: false };

function failure(code: ErrorCode, more: Partial<Failure> = {}, retryAfterSeconds?: number): Failure {
  return {
    error: new AppError(code, 'It went wrong.', retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    attempts: 0,
    maxAttempts: 5,
    policy: { kind: 'fixed', intervalMs: 5_000 },
    provider: HEALTHY,
    random: () => 0.5,
    ...more,
  };
}

describe('decideRetry, the table of error classes', () => {
  test.each<[ErrorCode, ReturnType<typeof decideRetry>]>([
    ['model_throttled', { kind: 'outage', delayMs: 5_000 }],
    ['model_unavailable', { kind: 'outage', delayMs: 5_000 }],
    ['model_quota', { kind: 'outage', delayMs: 30_000 }],
    ['model_config', { kind: 'outage', delayMs: 30_000 }],
    ['model_transient', { kind: 'retry', delayMs: 5_000, countsAsAttempt: false }],
    ['model_input', { kind: 'fail' }],
    ['model_refusal', { kind: 'fail' }],
    ['model_truncated', { kind: 'fail' }],
    ['model_bad_reply', { kind: 'fail' }],
    ['internal', { kind: 'retry', delayMs: 5_000, countsAsAttempt: true }],
  ])('%s', (code, decision) => {
    expect(decideRetry(failure(code))).toEqual(decision);
  });

  test('every other code is our own bug: tried again, counted', () => {
    for (const code of ERROR_CODES.filter((known) => !known.startsWith('model_'))) {
      expect(decideRetry(failure(code))).toEqual({ kind: 'retry', delayMs: 5_000, countsAsAttempt: true });
    }
  });

  test('the second round of transient errors in a row is an outage', () => {
    expect(decideRetry(failure('model_transient', { provider: { ...HEALTHY, failuresInRow: 2 } }))).toEqual({
      kind: 'outage',
      delayMs: 5_000,
    });
  });

  test('a transient error of one extraction only, while others succeed, counts against it', () => {
    const provider = { ...HEALTHY, failuresInRow: 4, othersSucceed: true };
    expect(decideRetry(failure('model_transient', { provider }))).toEqual({
      kind: 'retry',
      delayMs: 5_000,
      countsAsAttempt: true,
    });
    expect(decideRetry(failure('model_transient', { provider, attempts: 4 }))).toEqual({ kind: 'fail' });
  });

  test('while the provider is known to be down, no failure counts, and each prolongs the outage', () => {
    const provider = { ...HEALTHY, othersSucceed: true, isDown: true };
    expect(decideRetry(failure('model_transient', { provider, attempts: 4 }))).toEqual({
      kind: 'outage',
      delayMs: 5_000,
    });
  });

  test('a provider that names a time is left alone at once', () => {
    expect(decideRetry(failure('model_transient', {}, 90))).toEqual({ kind: 'outage', delayMs: 90_000 });
  });

  const unanswered = classifyModelError(new SyntaxError('cut'));

  test('a success without an answer is a transient error', () => {
    expect(unanswered.code).toBe('model_transient');
    expect(decideRetry(failure('model_transient', { error: unanswered }))).toEqual({
      kind: 'retry',
      delayMs: 5_000,
      countsAsAttempt: false,
    });
  });

  test.each([
    ['no reply at all, alone', unanswered, false, 100],
    ['an empty text, alone', emptyAnswerError(), false, 5],
    ['an empty text, as others', emptyAnswerError(), true, 5],
  ])('%s, is asked for only so often', (_name, error, othersFail, limit) => {
    const decide = (ownFailures: number) =>
      decideRetry(
        failure('model_transient', {
          error,
          provider: { ...HEALTHY, failuresInRow: 9, isDown: true, othersFail, ownFailures },
        }),
      );
    expect(decide(limit - 1).kind).toBe('outage');
    expect(decide(limit)).toEqual({ kind: 'fail' });
    expect(finalErrorOf(error).code).toBe('model_bad_reply');
  });

  test('no reply at all while others get none either is an outage, however long', () => {
    const provider = { ...HEALTHY, failuresInRow: 9, isDown: true, othersFail: true, ownFailures: 10_000 };
    expect(decideRetry(failure('model_transient', { error: unanswered, provider })).kind).toBe('outage');
  });

  test('another transient error never ends an extraction by its number', () => {
    const provider = { ...HEALTHY, failuresInRow: 9, isDown: true, ownFailures: 10_000 };
    expect(decideRetry(failure('model_transient', { provider })).kind).toBe('outage');
  });

  test('the codes that blame the provider', () => {
    expect(ERROR_CODES.filter(blamesProvider)).toEqual([
      'model_throttled',
      'model_quota',
      'model_transient',
      'model_unavailable',
      'model_config',
    ]);
  });
});

const anyFailure = fc.record({
  code: fc.constantFrom(...ERROR_CODES),
  attempts: fc.nat(20),
  maxAttempts: fc.integer({ min: 1, max: 20 }),
  failuresInRow: fc.integer({ min: 1, max: 10_000 }),
  othersSucceed: fc.boolean(),
  isDown: fc.boolean(),
  retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 3_600 }), { nil: undefined }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  policy: fc.oneof(
    fc.record({ kind: fc.constant('fixed' as const), intervalMs: fc.integer({ min: 1, max: 600_000 }) }),
    fc.record({
      kind: fc.constant('exponential' as const),
      baseMs: fc.integer({ min: 1, max: 60_000 }),
      capMs: fc.integer({ min: 1, max: 600_000 }),
    }),
  ),
});

function decide(given: typeof anyFailure extends fc.Arbitrary<infer T> ? T : never) {
  return decideRetry(
    failure(
      given.code,
      {
        attempts: given.attempts,
        maxAttempts: given.maxAttempts,
        policy: given.policy,
        provider: {
          ...HEALTHY,
          failuresInRow: given.failuresInRow,
          othersSucceed: given.othersSucceed,
          isDown: given.isDown,
        },
        random: () => given.random,
      },
      given.retryAfterSeconds,
    ),
  );
}

describe('decideRetry, what always holds', () => {
  test('a provider that is not to be had counts as no attempt and fails nothing', () => {
    fc.assert(
      fc.property(anyFailure, (given) => {
        fc.pre(blamesProvider(given.code) && (!given.othersSucceed || given.isDown));
        const decision = decide(given);
        expect(decision.kind).not.toBe('fail');
        expect(decision.kind === 'retry' && decision.countsAsAttempt).toBe(false);
      }),
    );
  });

  test('no retry comes before the time that the provider asked for', () => {
    fc.assert(
      fc.property(anyFailure, (given) => {
        const decision = decide(given);
        if (decision.kind !== 'fail') {
          expect(decision.delayMs).toBeGreaterThanOrEqual((given.retryAfterSeconds ?? 0) * 1_000);
          expect(Number.isInteger(decision.delayMs)).toBe(true);
        }
      }),
    );
  });

  test('attempts never exceed the maximum', () => {
    fc.assert(
      fc.property(anyFailure, (given) => {
        let attempts = 0;
        for (let round = 0; round < 100; round += 1) {
          const decision = decide({ ...given, attempts });
          if (decision.kind === 'fail' || (decision.kind === 'retry' && decision.countsAsAttempt))
            attempts += 1;
          expect(attempts).toBeLessThanOrEqual(given.maxAttempts);
          if (decision.kind === 'fail') return;
        }
        expect(attempts).toBe(0);
      }),
    );
  });
});
