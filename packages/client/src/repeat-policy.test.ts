import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FactmillError } from './factmill-error.ts';
import { OPERATIONS } from './operations.ts';
import { isUndone, mayRepeat, pauseBefore } from './repeat-policy.ts';

const answered = (status: number, code = 'some_code') =>
  new FactmillError({ kind: 'status', status, code, detail: '' });
const unreachable = new FactmillError({ kind: 'connection', code: 'unreachable', detail: '' });
const lost = new FactmillError({ kind: 'connection', code: 'connection_lost', detail: '' });
const late = new FactmillError({ kind: 'timeout', code: 'timeout', detail: '' });
const foreign = new FactmillError({ kind: 'unreadable', code: 'unreadable_answer', status: 200, detail: '' });

describe('whether a call is made again', () => {
  test.each([
    ['no connection', unreachable, true, true],
    ['a connection that broke', lost, true, false],
    ['no answer in time', late, true, false],
    ['something else at the address', foreign, false, false],
    ['too many requests', answered(429), true, true],
    ['a server at its limit', answered(503, 'overloaded'), true, true],
    ['a server that stops', answered(503, 'shutting_down'), true, true],
    ['a database that went away', answered(503, 'database_unavailable'), true, false],
    ['a proxy without a server', answered(502), true, false],
    ['a proxy that gave up', answered(504), true, false],
    ['a bug', answered(500, 'internal'), false, false],
    ['a bad request', answered(400, 'invalid_request'), false, false],
    ['a conflict', answered(409, 'idempotency_conflict'), false, false],
    ['a redirect', answered(301), false, false],
  ])('%s', (_what, error, always, unlessBegun) => {
    expect(mayRepeat('always', error)).toBe(always);
    expect(mayRepeat('unless_begun', error)).toBe(unlessBegun);
  });

  test('what must not happen twice is only repeated when it has not happened, whatever the answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.string(), (status, code) => {
        const error = answered(status, code);
        if (mayRepeat('unless_begun', error)) {
          expect(isUndone(error)).toBe(true);
          expect(mayRepeat('always', error)).toBe(true);
        }
      }),
    );
  });

  test('the writes that are repeated come with a key, an id of their own, or set what they name', () => {
    const repeated = Object.entries(OPERATIONS).flatMap(([name, { method, repeat }]) =>
      repeat === 'always' && method !== 'GET' ? [name] : [],
    );
    expect(repeated.sort()).toEqual([
      'apiKeys.revoke',
      'context',
      'conversations.create',
      'conversations.delete',
      'conversations.flush',
      'conversations.patch',
      'conversations.post',
      'documents.delete',
      'documents.put',
      'extractions.create',
      'legalHolds.lift',
      'memories.delete',
      'memories.import',
      'memories.search',
      'replays.delete',
      'retention.set',
      'session.end',
      'settings.set',
      'settings.unset',
      'summary.delete',
      'tenant.import',
      'tenants.patch',
      'tools.read',
      'users.erase',
      'users.import',
      'users.patch',
      'vectors.backfill',
      'vectors.rebuild',
      'webhooks.delete',
      'webhooks.patch',
    ]);
  });
});

describe('the pause before a try', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('doubles up to 8 s, half of it at random', () => {
    expect([1, 2, 3, 6, 40].map((retry) => pauseBefore(retry, undefined, 0))).toEqual([
      125, 250, 500, 4_000, 4_000,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), random, (retry, at) => {
        const pauseMs = pauseBefore(retry, undefined, at) ?? -1;
        expect(pauseMs).toBeGreaterThanOrEqual(125);
        expect(pauseMs).toBeLessThanOrEqual(8_000);
      }),
    );
  });

  test('is never shorter than what the server asks for, and not taken when that is long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(200), random, (retry, seconds, at) => {
        const pauseMs = pauseBefore(retry, seconds, at);
        if (seconds > 60) expect(pauseMs).toBeNull();
        else expect(pauseMs).toBeGreaterThanOrEqual(seconds * 1_000);
      }),
    );
  });
});
