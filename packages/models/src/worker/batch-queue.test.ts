import { expect, test } from '@jest/globals';
import { createBatchQueue } from './batch-queue.ts';

const reasonOf = (promise: Promise<unknown>) => promise.then(() => 'resolved', String);

test('a batch that waits leaves when its signal fires, and is never first', async () => {
  const queue = createBatchQueue();
  const stopping = new AbortController();
  const running = queue.add(['a', 'b']);
  const waiting = queue.add(['c', 'd'], stopping.signal);
  const last = queue.add(['e', 'f']);
  stopping.abort('too late');
  expect(await reasonOf(waiting)).toBe('too late');
  queue.takeFirst()?.resolve(Float32Array.of(1));
  expect(await running).toEqual(Float32Array.of(1));
  expect(queue.first()?.texts).toEqual(['e', 'f']);
  queue.takeFirst()?.resolve(Float32Array.of(2));
  expect(await last).toEqual(Float32Array.of(2));
  expect(queue.first()).toBeUndefined();
});

test('a batch that runs keeps its place, so that its late answer is not taken for another one’s', async () => {
  const queue = createBatchQueue();
  const stopping = new AbortController();
  const running = queue.add(['a'], stopping.signal);
  const next = queue.add(['b']);
  stopping.abort('too late');
  expect(await reasonOf(running)).toBe('too late');
  expect(queue.first()?.texts).toEqual(['a']);
  queue.takeFirst()?.resolve(Float32Array.of(1));
  queue.takeFirst()?.resolve(Float32Array.of(2));
  expect(await next).toEqual(Float32Array.of(2));
});

test('all batches are refused at once when the worker has died', async () => {
  const queue = createBatchQueue();
  const batches = [queue.add(['a']), queue.add(['b'])];
  queue.rejectAll(new Error('gone'));
  expect(await Promise.all(batches.map(reasonOf))).toEqual(['Error: gone', 'Error: gone']);
  expect(queue.first()).toBeUndefined();
});
