import { describe, expect, test } from '@jest/globals';
import type { Stands } from './first-memory.ts';
import { MANY, MANY_COUNT } from './stored-things.ts';

/** More rows than fit on a screen, and far fewer than there are. */
const MAX_ROWS = 80;

/** So many of them are scrolled through; the list goes on. */
const SCROLLED = 10_000;

/** Scrolls down until so many are shown; resolves to the most rows that were in the page at once. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('.list');
  let most = 0;
  const step = () => {
    most = Math.max(most, list.querySelectorAll('.list-body .list-row').length);
    list.scrollTop = list.scrollHeight;
    if (parseInt(list.querySelector('.list-end').textContent) >= ${SCROLLED}) resolve(most);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

export function testLongList(get: Stands): void {
  describe('a long list', () => {
    test(`of ${MANY_COUNT} memories scrolls with few rows in the page, and from both ends`, async () => {
      const { open, page } = get().admin;
      await open(`/memories?user=${MANY}`);
      await page.getByText('Note 1 of a long life.').waitFor();
      const most = await page.evaluate<number>(SCROLL);
      expect(most).toBeGreaterThan(10);
      expect(most).toBeLessThan(MAX_ROWS);
      await page
        .getByText(/^Note 9\d{3} of/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Created' }).click();
      await page.getByText(`Note ${MANY_COUNT} of a long life.`).waitFor();
    });
  });
}
