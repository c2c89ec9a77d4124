import { describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { AppError } from '@factmill/errors';
import {
  isConnectTimeout,
  isFaultOfServer,
  isRetryableConflict,
  isUnavailable,
  sqlStateOf,
  toDatabaseError,
  violatedConstraint,
} from './database-errors.ts';

const SECRET = 'likes-liquorice';

function pgError(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`Key (content)=(${SECRET}) already exists at db.example:5432`), {
    code,
    severity: 'ERROR',
    detail: SECRET,
    where: SECRET,
    ...fields,
  });
}

describe('toDatabaseError', () => {
  test.each(
    'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND 08006 53300 53100 57P01 57P02 57P03 57014 58030 25006 28P01 3D000 SELF_SIGNED_CERT_IN_CHAIN ERR_TLS_CERT_ALTNAME_INVALID'.split(
      ' ',
    ),
  )('%s is unavailable', (code) => {
    const error = toDatabaseError(pgError(code));
    expect(error.code).toBe('database_unavailable');
    expect(isUnavailable(error)).toBe(true);
  });

  test.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'The server does not support SSL connections',
  ])('"%s" is unavailable', (message) => {
    expect(toDatabaseError(new Error(message)).code).toBe('database_unavailable');
  });

  test.each(['40001', '40P01', '55P03'])(
    '%s can be retried but does not mean that the database is away',
    (code) => {
      const error = toDatabaseError(pgError(code));
      expect(error.kind).toBe('unavailable');
      expect(isRetryableConflict(error)).toBe(true);
      expect(isUnavailable(error)).toBe(false);
    },
  );

  test.each([
    ['57P01', true],
    ['40001', true],
    ['ECONNREFUSED', true],
    ['57014', false],
    ['42P01', false],
  ])('after %s another server may answer: %s', (code, expected) => {
    expect(isFaultOfServer(toDatabaseError(pgError(code)))).toBe(expected);
  });

  test('a violated constraint is a bug unless the caller asks for it', () => {
    const error = toDatabaseError(pgError('23505', { table: 'memories', constraint: 'memories_key_uq' }));
    expect(error.code).toBe('internal');
    expect(sqlStateOf(error)).toBe('23505');
    expect(violatedConstraint(error)).toBe('memories_key_uq');
  });

  test.each(['23505', '22P02', 'ECONNREFUSED', '28P01', '57014', ''])(
    'with code "%s" nothing of the data is kept',
    (code) => {
      const error = toDatabaseError(pgError(code));
      const everything = inspect(error, { depth: 5, showHidden: true });
      expect(everything).not.toContain(SECRET);
      expect(everything).not.toContain('db.example');
    },
  );

  test('an AppError passes as it is', () => {
    const error = new AppError('fenced', 'another worker has it');
    expect(toDatabaseError(error)).toBe(error);
    expect(isUnavailable(error)).toBe(false);
    expect(sqlStateOf(error)).toBeUndefined();
  });
});

test('a connection that was not to be had in time is told from one that broke', () => {
  const after = (message: string) => isConnectTimeout(toDatabaseError(new Error(message)));
  expect(after('timeout exceeded when trying to connect')).toBe(true);
  expect(after('Connection terminated due to connection timeout')).toBe(true);
  expect(after('Connection terminated unexpectedly')).toBe(false);
  expect(after('Query read timeout')).toBe(false);
  expect(isConnectTimeout(toDatabaseError(pgError('57014')))).toBe(false);
});
