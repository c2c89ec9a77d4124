import { expect, test } from '@jest/globals';
import { createShutdown } from './shutdown.ts';

/** A part that writes down what it is told, and the phases it was told in. */
function part(name: string, log: string[], fails: 'drain' | 'abort' | 'release' | null = null) {
  const step = (phase: 'drain' | 'abort' | 'release') => async () => {
    log.push(`${phase} ${name}`);
    if (phase === fails) throw new Error(`${phase} ${name}`);
  };
  return { drain: step('drain'), abort: step('abort'), release: step('release') };
}

test('one phase after the other, and the part opened last is released first', async () => {
  const log: string[] = [];
  const shutdown = createShutdown();
  for (const name of ['models', 'worker']) shutdown.add(part(name, log));
  await shutdown.run();
  expect(log).toEqual([
    'drain models',
    'drain worker',
    'abort models',
    'abort worker',
    'release worker',
    'release models',
  ]);
});

test('a part that fails keeps no other from stopping, and is told of at the end', async () => {
  const log: string[] = [];
  const shutdown = createShutdown();
  shutdown.add(part('models', log));
  shutdown.add(part('worker', log, 'drain'));
  shutdown.add(part('server', log, 'release'));
  await expect(shutdown.run()).rejects.toThrow('drain worker');
  expect(log).toHaveLength(9);
});

test('phases wait for all parts; work that does not end when it is aborted is left behind', async () => {
  const log: string[] = [];
  const drained = Promise.withResolvers<void>();
  const shutdown = createShutdown();
  shutdown.add({ drain: () => drained.promise, abort: () => new Promise(() => undefined) });
  shutdown.add(part('worker', log));
  const stopped = shutdown.run();
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['drain worker']);
  drained.resolve();
  await stopped;
  expect(log).toEqual(['drain worker', 'abort worker', 'release worker']);
});

test('it runs once', async () => {
  const log: string[] = [];
  const shutdown = createShutdown();
  shutdown.add(part('worker', log));
  await Promise.all([shutdown.run(), shutdown.run()]);
  expect(log).toEqual(['drain worker', 'abort worker', 'release worker']);
});
