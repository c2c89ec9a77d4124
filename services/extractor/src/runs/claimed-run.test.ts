import type { ClaimResult } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { JobContext } from '@factmill/queue';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createRunBreaker } from '../providers/run-breaker.ts';
import { type ClaimedRunDeps, createClaimedRun, type RunClaim, type RunContext } from './claimed-run.ts';
import { createLeases, type Leases } from './leases.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} } as unknown as ClaimedRunDeps<
  RunClaim,
  null
>['logger'];
const leases: Leases[] = [];
afterEach(() => {
  for (const each of leases.splice(0)) each.close();
});

function claim(id: string, more: Partial<RunClaim> = {}): RunClaim {
  return { id, tenantId: 't', fence: 1, attempts: 0, lostClaims: 0, ...more };
}

function claimed(id: string, more: Partial<RunClaim> = {}): ClaimResult<RunClaim, null> {
  return { kind: 'claimed', claim: claim(id, more), input: null };
}

function context(signal = new AbortController().signal): JobContext {
  return { signal, jobId: 'job', attemptStarted: 1 };
}

type Options = Readonly<{
  claims: Readonly<Record<string, ClaimResult<RunClaim, null> | Error>>;
  run?: ClaimedRunDeps<RunClaim, null>['run'];
}>;

/** A claimed run over rows that are only named, which writes down what is done to them. */
function setUp({ claims, run = async () => ({ kind: 'done', counts: { added: 1 }, next: null }) }: Options) {
  const log: string[] = [];
  const own = createLeases({ renew: async () => [] });
  leases.push(own);
  const runs = createClaimedRun<RunClaim, null>({
    noun: 'extraction',
    claim: async ({ id }) => {
      log.push(`claim ${id}`);
      const result = claims[id] ?? new Error(`nothing about ${id}`);
      if (result instanceof Error) throw result;
      return result;
    },
    leases: own,
    assertFence: async () => undefined,
    run: (row, input, given) => {
      log.push(`run ${row.id}`);
      return run(row, input, given);
    },
    release: async ({ id }, { countsAsAttempt, errorClass }) => {
      log.push(`release ${id}: ${errorClass}${countsAsAttempt ? ', an attempt' : ''}`);
    },
    fail: async ({ id }, { errorClass }) => {
      log.push(`fail ${id}: ${errorClass}`);
      return { next: null };
    },
    idFields: ({ id }) => ({ extraction_id: id }),
    span: () => ({ name: 'extract' }),
    counters: { ended: ({ id }, { kind }) => log.push(`ended ${id}: ${kind}`) },
    breaker: createRunBreaker({ breaker: null, logger }),
    // Nothing here reads the retry policy.
    database: {} as ClaimedRunDeps<RunClaim, null>['database'],
    config: {} as ClaimedRunDeps<RunClaim, null>['config'],
    logger,
    random: () => 0.5,
  });
  const process = (id: string, given = context()) => runs.process({ id, tenantId: 't' }, given);
  return { runs, process, log };
}

/** A run that lasts until its signal fires. */
const untilStopped = (_claim: RunClaim, _input: null, { signal }: RunContext) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('what a claim comes to', () => {
  test.each<[ClaimResult<RunClaim, null>, unknown]>([
    [{ kind: 'finished', state: 'done', next: null }, { kind: 'done' }],
    [{ kind: 'blocked' }, { kind: 'done' }],
    [
      { kind: 'leased', retryInMs: 70 },
      { kind: 'delay', ms: 70 },
    ],
    [
      { kind: 'breaker_open', retryInMs: 5_000 },
      { kind: 'pause', ms: 5_000 },
    ],
    [
      { kind: 'breaker_open', retryInMs: 600_000 },
      { kind: 'pause', ms: 30_000 },
    ],
    [
      { kind: 'last_probe', retryInMs: 90 },
      { kind: 'delay', ms: 90 },
    ],
  ])('%j', async (result, outcome) => {
    const { process, log } = setUp({ claims: { a: result } });
    expect(await process('a')).toMatchObject(outcome as Record<string, unknown>);
    expect(log).toEqual(['claim a']);
  });

  test('without the database the job waits; any other error is the queue’s to handle', async () => {
    const away = new AppError('database_unavailable', 'The database is away.');
    const { process } = setUp({ claims: { a: away, b: new Error('a bug') } });
    expect(await process('a')).toMatchObject({ kind: 'delay' });
    await expect(process('b')).rejects.toThrow('a bug');
  });

  test('a row that kills its workers fails without another run', async () => {
    const { process, log } = setUp({ claims: { a: claimed('a', { lostClaims: 20 }) } });
    expect(await process('a')).toEqual({ kind: 'fail', reason: 'poisoned' });
    expect(log).toEqual(['claim a', 'fail a: poisoned', 'ended a: fail']);
  });
});

describe('the next of the conversation', () => {
  test('is run by the same job', async () => {
    const { process, log } = setUp({
      claims: { a: claimed('a'), b: claimed('b') },
      run: async ({ id }) => ({ kind: 'done', counts: {}, next: id === 'a' ? 'b' : null }),
    });
    expect(await process('a')).toEqual({ kind: 'done', counts: {} });
    expect(log.filter((line) => line.startsWith('run'))).toEqual(['run a', 'run b']);
  });

  test('is left to the worker that has it', async () => {
    const { process } = setUp({
      claims: { a: claimed('a'), b: { kind: 'leased', retryInMs: 60_000 } },
      run: async () => ({ kind: 'done', counts: {}, next: 'b' }),
    });
    expect(await process('a')).toEqual({ kind: 'done' });
  });

  test('is waited for by a job whose own row had ended before', async () => {
    const { process } = setUp({
      claims: {
        a: { kind: 'finished', state: 'done', next: 'b' },
        b: { kind: 'leased', retryInMs: 60_000 },
      },
    });
    expect(await process('a')).toEqual({ kind: 'delay', ms: 60_000 });
  });

  test('is not begun by a worker that drains', async () => {
    const { runs, process, log } = setUp({
      claims: { a: claimed('a') },
      run: async () => {
        runs.drain();
        return { kind: 'done', counts: {}, next: 'b' };
      },
    });
    expect(await process('a')).toEqual({ kind: 'delay', ms: 0 });
    expect(log).not.toContain('claim b');
  });
});

describe('how a run ends', () => {
  test('a second delivery waits for the first', async () => {
    const end = Promise.withResolvers<void>();
    const { process } = setUp({
      claims: { a: claimed('a') },
      run: async () => {
        await end.promise;
        return { kind: 'done', counts: {}, next: null };
      },
    });
    const first = process('a');
    expect(await process('a')).toEqual({ kind: 'delay', ms: 1_000 });
    end.resolve();
    expect(await first).toEqual({ kind: 'done', counts: {} });
  });

  test('a denied permit releases the row and pauses the queue', async () => {
    const { process, log } = setUp({
      claims: { a: claimed('a') },
      run: async () => ({ kind: 'breaker_open', waitMs: 4_000 }),
    });
    expect(await process('a')).toEqual({ kind: 'pause', ms: 4_000 });
    expect(log).toContain('release a: unavailable');
  });

  test('a fence that has moved writes nothing', async () => {
    const { process, log } = setUp({
      claims: { a: claimed('a') },
      run: () => Promise.reject(new AppError('fenced', 'Another worker has it.')),
    });
    expect(await process('a')).toEqual({ kind: 'done', counts: { fenced: 1 } });
    expect(log).toEqual(['claim a', 'run a', 'ended a: done']);
  });

  test('a lost lock of the job does not end it', async () => {
    const lock = new AbortController();
    const { process } = setUp({
      claims: { a: claimed('a') },
      run: async (_claim, _input, { signal }) => {
        lock.abort(new AppError('fenced', 'The lock of the job was lost.'));
        signal.throwIfAborted();
        return { kind: 'done', counts: {}, next: null };
      },
    });
    expect(await process('a', context(lock.signal))).toEqual({ kind: 'done', counts: {} });
  });

  test('aborting releases its row without an attempt', async () => {
    const { runs, process, log } = setUp({ claims: { a: claimed('a') }, run: untilStopped });
    const outcome = process('a');
    await Promise.resolve();
    await runs.abort();
    expect(await outcome).toEqual({ kind: 'delay', ms: 0 });
    expect(log).toContain('release a: shutting_down');
  });

  test('draining ends a probe, and nothing else', async () => {
    const { runs, process, log } = setUp({
      claims: { probe: claimed('probe', { isProbe: true }), other: claimed('other') },
      run: untilStopped,
    });
    const probe = process('probe');
    const other = process('other');
    await new Promise((resolve) => setImmediate(resolve));
    runs.drain();
    expect(await probe).toEqual({ kind: 'delay', ms: 0 });
    expect(log).not.toContain('ended other: delay');
    await runs.abort();
    expect(await other).toEqual({ kind: 'delay', ms: 0 });
  });
});
