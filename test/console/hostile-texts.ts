import { describe, expect, test } from '@jest/globals';
import type { Stands } from './first-memory.ts';
import { HOSTILE, HOSTILE_TEXTS } from './stored-things.ts';

export function testHostileTexts(get: Stands): void {
  describe('hostile texts', () => {
    test('stay text in lists, on their own pages, in contexts and titles', async () => {
      const { admin, stand } = get();
      const { open, page, problems } = admin;
      const user = encodeURIComponent(HOSTILE);
      await open(`/memories?user=${user}`);
      const list = page.locator('.list-body');
      await list
        .locator('.list-row')
        .nth(HOSTILE_TEXTS.length - 1)
        .waitFor();
      const shown = await list.innerText();
      expect(shown).toContain('<script>pwned = 1</script>');
      expect(shown).toContain('<img src=x onerror="pwned=1">');
      expect(shown).toContain('U+202E');
      expect(shown).toContain('U+200B');
      const { data } = await stand.admin.memories.list({ user_id: HOSTILE, limit: 50 });
      for (const { id } of data.slice(0, 6)) {
        await open(`/memories/${id}`);
        await page.getByRole('heading', { name: 'Versions' }).waitFor();
      }
      await open(`/users/${user}`);
      await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
      await open(`/search?user=${user}&query=${encodeURIComponent(HOSTILE_TEXTS[1] ?? '')}&run=1`);
      await page.getByRole('heading', { name: 'Block for the prompt' }).waitFor();
      expect(await page.evaluate('typeof pwned')).toBe('undefined');
      expect(await page.locator('main script, main img, main iframe, main style, main base').count()).toBe(0);
      expect(problems).toEqual([]);
    });
  });
}
