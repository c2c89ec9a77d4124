import { describe, expect, test } from '@jest/globals';
import { settlesWithin, untilAborted, withDeadline } from './time-limits.ts';

const forever = new Promise<never>(() => undefined);
const late = () => new Error('late');

describe('withDeadline', () => {
  test('a result or an error in time is passed on', async () => {
    expect(await withDeadline({ ms: 60_000, onTimeout: late }, async () => 7)).toBe(7);
    const failing = withDeadline({ ms: 60_000, onTimeout: late }, () => Promise.reject(new Error('own')));
    await expect(failing).rejects.toThrow('own');
  });

  test('at the deadline it rejects and aborts the call, which it does not wait for', async () => {
    let given: AbortSignal | undefined;
    const call = withDeadline({ ms: 1, onTimeout: late }, (signal) => {
      given = signal;
      return forever;
    });
    await expect(call).rejects.toThrow('late');
    expect(given?.reason).toMatchObject({ message: 'late' });
  });

  test('a signal ends it with its reason, also when the call rejects with another one', async () => {
    const caller = new AbortController();
    const call = withDeadline(
      { ms: 60_000, onTimeout: late, signals: [undefined, caller.signal] },
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    );
    caller.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
  });

  test('with a signal that has fired nothing is called', async () => {
    let calls = 0;
    const deadline = { ms: 60_000, onTimeout: late, signals: [AbortSignal.abort(new Error('gone'))] };
    await expect(withDeadline(deadline, async () => (calls += 1))).rejects.toThrow('gone');
    expect(calls).toBe(0);
  });
});

test('untilAborted gives the result, or the reason of the signal', async () => {
  expect(await untilAborted(Promise.resolve(7), undefined)).toBe(7);
  expect(await untilAborted(Promise.resolve(7), new AbortController().signal)).toBe(7);
  await expect(untilAborted(forever, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});

test('settlesWithin tells whether work ended in time, well or badly', async () => {
  expect(await settlesWithin(Promise.resolve(), 60_000)).toBe(true);
  expect(await settlesWithin(Promise.reject(new Error('own')), 60_000)).toBe(true);
  expect(await settlesWithin(forever, 1)).toBe(false);
});
