import { describe, expect, test } from '@jest/globals';
import { createDisposables } from './disposables.ts';

describe('disposables', () => {
  test('release in reverse order, each awaited, once', async () => {
    const disposables = createDisposables();
    const events: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      disposables.add({
        close: async () => {
          events.push(`${name} begins`);
          await Promise.resolve();
          events.push(`${name} ends`);
        },
      });
    }
    await disposables.close();
    await disposables.close();
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
    const disposables = createDisposables();
    const closed: string[] = [];
    disposables.add({ close: () => void closed.push('a') });
    disposables.add({ close: () => Promise.reject(new Error('stuck')) });
    disposables.add({ close: () => void closed.push('c') });
    await expect(disposables.close()).rejects.toThrow('stuck');
    expect(closed).toEqual(['c', 'a']);
  });

  test('hands back what is added', () => {
    const disposable = { close: () => undefined, name: 'x' };
    expect(createDisposables().add(disposable)).toBe(disposable);
  });
});
