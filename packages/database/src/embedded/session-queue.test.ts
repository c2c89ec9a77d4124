import { describe, expect, test } from '@jest/globals';
import { createSessionQueue, type SessionStatus, WaitedTooLong } from './session-queue.ts';

/** A batch that records when it ran and leaves the session in the given state. */
function recorder() {
  const ran: string[] = [];
  const batch = (name: string, status: SessionStatus) => () => {
    ran.push(name);
    return Promise.resolve(status);
  };
  return { ran, batch };
}

describe('session queue', () => {
  test('while one connection has a transaction open, the others wait in order', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    const [a, b, c] = [{}, {}, {}];
    await queue.enqueue({ owner: a, run: batch('a begin', 'open') });
    const others = [
      queue.enqueue({ owner: b, run: batch('b', 'idle') }),
      queue.enqueue({ owner: c, run: batch('c', 'idle') }),
    ];
    await queue.enqueue({ owner: a, run: batch('a update', 'open') });
    expect(queue.holds(a)).toBe(true);
    await queue.enqueue({ owner: a, run: batch('a commit', 'idle') });
    await Promise.all(others);
    expect(ran).toEqual(['a begin', 'a update', 'a commit', 'b', 'c']);
    expect(queue.holds(a)).toBe(false);
  });

  test('a failed transaction still belongs to its connection until it ends', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    const [a, b] = [{}, {}];
    await queue.enqueue({ owner: a, run: batch('a fails', 'failed') });
    const other = queue.enqueue({ owner: b, run: batch('b', 'idle') });
    await queue.enqueue({ owner: a, run: batch('a rollback', 'idle') });
    await other;
    expect(ran).toEqual(['a fails', 'a rollback', 'b']);
  });

  test('a batch that cannot run does not stop the queue', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    await expect(
      queue.enqueue({ owner: {}, run: () => Promise.reject(new Error('broken')) }),
    ).rejects.toThrow('broken');
    await queue.enqueue({ owner: {}, run: batch('next', 'idle') });
    expect(ran).toEqual(['next']);
  });

  test('what a gone connection had waiting never runs', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    const [a, b] = [{}, {}];
    await queue.enqueue({ owner: a, run: batch('a begin', 'open') });
    const waiting = queue.enqueue({ owner: b, run: batch('b', 'idle') });
    queue.forget(b);
    await expect(waiting).rejects.toThrow('connection closed');
    await queue.enqueue({ owner: a, run: batch('a commit', 'idle') });
    expect(ran).toEqual(['a begin', 'a commit']);
  });

  /** A queue that is busy until `free` is called. */
  async function busyQueue(now = () => 0) {
    const queue = createSessionQueue({ now });
    let free = () => undefined as void;
    const busy = queue.enqueue({
      owner: {},
      run: () =>
        new Promise((resolve) => {
          free = () => resolve('idle');
        }),
    });
    return { queue, busy, free: () => free() };
  }

  test('accepting goes before work in the background, and that before searches', async () => {
    const { queue, free } = await busyQueue();
    const { ran, batch } = recorder();
    const all = (['searching', 'background', 'accepting'] as const).map((workClass) =>
      queue.enqueue({ owner: {}, workClass, run: batch(workClass, 'idle') }),
    );
    free();
    await Promise.all(all);
    expect(ran).toEqual(['accepting', 'background', 'searching']);
  });

  test('a search waits for no more than a few of those that go before it', async () => {
    const { queue, free } = await busyQueue();
    const { ran, batch } = recorder();
    const search = queue.enqueue({ owner: {}, workClass: 'searching', run: batch('search', 'idle') });
    const others = Array.from({ length: 20 }, () =>
      queue.enqueue({ owner: {}, workClass: 'accepting', run: batch('accept', 'idle') }),
    );
    free();
    await Promise.all([search, ...others]);
    expect(ran.indexOf('search')).toBe(4);
  });

  test('a search whose caller has given up never runs, and delays no other batch', async () => {
    let nowMs = 0;
    const { queue, free } = await busyQueue(() => nowMs);
    const { ran, batch } = recorder();
    const late = queue.enqueue({ owner: {}, workClass: 'searching', run: batch('late', 'idle') });
    const accept = queue.enqueue({ owner: {}, workClass: 'accepting', run: batch('accept', 'idle') });
    nowMs = 15_001;
    const search = queue.enqueue({ owner: {}, workClass: 'searching', run: batch('search', 'idle') });
    free();
    await expect(late).rejects.toThrow(WaitedTooLong);
    await Promise.all([accept, search]);
    expect(ran).toEqual(['accept', 'search']);
  });
});
