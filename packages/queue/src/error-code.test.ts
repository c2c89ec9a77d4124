import { AppError } from '@factmill/errors';
import { describe, expect, test } from '@jest/globals';
import { errorCodeOf, toFailureReason } from './error-code.ts';
import { heartbeatJobId } from './heartbeat.ts';

describe('what of an error may be kept', () => {
  test('errorCodeOf gives a code and never the message', () => {
    expect(errorCodeOf(new AppError('fenced', 'a message'))).toBe('fenced');
    expect(errorCodeOf(Object.assign(new Error('password x'), { code: 'ECONNREFUSED' }))).toBe(
      'ECONNREFUSED',
    );
    expect(errorCodeOf(new TypeError('Steve likes tea'))).toBe('TypeError');
    expect(errorCodeOf('Steve likes tea')).toBe('unknown');
  });

  test('toFailureReason lets codes through and nothing else', () => {
    expect(toFailureReason('model_bad_reply')).toBe('model_bad_reply');
    for (const text of ['', 'Steve likes tea', 'a'.repeat(65), 'drop\ntable', '1_a']) {
      expect(toFailureReason(text)).toBe('failed');
    }
  });
});

describe('heartbeatJobId', () => {
  test('is the same within an interval, differs between intervals, and is an id that BullMQ takes', () => {
    expect(heartbeatJobId(60_000, 30_000)).toBe(heartbeatJobId(89_999, 30_000));
    expect(heartbeatJobId(90_000, 30_000)).not.toBe(heartbeatJobId(89_999, 30_000));
    expect(heartbeatJobId(60_000, 30_000)).toMatch(/^[a-z][a-z0-9_]*$/);
  });
});
