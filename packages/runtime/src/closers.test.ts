import { describe, expect, test } from '@jest/globals';
import { createClosers } from './closers.ts';

describe('closers', () => {
  test('release in reverse order, each awaited, once', async () => {
    const closers = createClosers();
    const events: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      closers.add({
        close: async () => {
          events.push(`${name} begins`);
          await Promise.resolve();
          events.push(`${name} ends`);
        },
      });
    }
    await closers.close();
    await closers.close();
    expect(events).toEqual([
      'third begins',
      'third ends',
      'second begins',
      'second ends',
      'first begins',
      'first ends',
    ]);
  });

  test('one that fails does not keep the others open, and is heard of', async () => {
    const closers = createClosers();
    const closed: string[] = [];
    closers.add({ close: () => void closed.push('a') });
    closers.add({ close: () => Promise.reject(new Error('stuck')) });
    closers.add({ close: () => void closed.push('c') });
    await expect(closers.close()).rejects.toThrow('stuck');
    expect(closed).toEqual(['c', 'a']);
  });

  test('hands back what is added', () => {
    const thing = { close: () => undefined, name: 'x' };
    expect(createClosers().add(thing)).toBe(thing);
  });
});
