import { describe, expect, test } from '@jest/globals';
import { createSessionQueue, type SessionStatus } from './session-queue.ts';

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
    await queue.enqueue(a, batch('a begin', 'open'));
    const others = [queue.enqueue(b, batch('b', 'idle')), queue.enqueue(c, batch('c', 'idle'))];
    await queue.enqueue(a, batch('a update', 'open'));
    expect(queue.holds(a)).toBe(true);
    await queue.enqueue(a, batch('a commit', 'idle'));
    await Promise.all(others);
    expect(ran).toEqual(['a begin', 'a update', 'a commit', 'b', 'c']);
    expect(queue.holds(a)).toBe(false);
  });

  test('a failed transaction still belongs to its connection until it ends', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    const [a, b] = [{}, {}];
    await queue.enqueue(a, batch('a fails', 'failed'));
    const other = queue.enqueue(b, batch('b', 'idle'));
    await queue.enqueue(a, batch('a rollback', 'idle'));
    await other;
    expect(ran).toEqual(['a fails', 'a rollback', 'b']);
  });

  test('a batch that cannot run does not stop the queue', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    await expect(queue.enqueue({}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await queue.enqueue({}, batch('next', 'idle'));
    expect(ran).toEqual(['next']);
  });

  test('what a gone connection had waiting never runs', async () => {
    const queue = createSessionQueue();
    const { ran, batch } = recorder();
    const [a, b] = [{}, {}];
    await queue.enqueue(a, batch('a begin', 'open'));
    const waiting = queue.enqueue(b, batch('b', 'idle'));
    queue.forget(b);
    await expect(waiting).rejects.toThrow('connection closed');
    await queue.enqueue(a, batch('a commit', 'idle'));
    expect(ran).toEqual(['a begin', 'a commit']);
  });
});
