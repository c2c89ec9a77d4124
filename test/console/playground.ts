import { describe, expect, test } from '@jest/globals';
import type { Stands } from './first-memory.ts';
import { NORA } from './stored-things.ts';

export function testPlayground(get: Stands): void {
  describe('the playground', () => {
    test('shows candidates with their fate, the gate and the block, of two settings beside each other', async () => {
      const { open, page } = get().admin;
      await open(`/search?user=${NORA}`);
      await page.getByLabel('Query').fill('Where does Nora live?');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      const candidates = page.getByRole('table', { name: 'Candidates' });
      await candidates.getByText(/lives in Bergen/).waitFor();
      await candidates.getByText('result', { exact: true }).first().waitFor();
      await candidates.getByRole('columnheader', { name: 'text' }).waitFor();
      await page.getByText('gate: memories looked for').waitFor();
      await page.locator('pre', { hasText: 'lives in Bergen' }).waitFor();

      await page.getByLabel('Compare two settings').check();
      const second = page.getByRole('group', { name: 'Setting B' });
      await second.getByLabel('Mode').selectOption('classic');
      await second.getByText('Filters and weights').click();
      await second.getByLabel('Results').fill('1');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText('behind the last result').first().waitFor();
      // Each side has its answer for itself.
      await candidates.nth(1).waitFor();
      expect(await candidates.count()).toBe(2);
      expect(page.url()).toMatch(/b_mode=classic&b_limit=1/);
    });

    test('copies the call, as curl and as TypeScript', async () => {
      const { open, page } = get().admin;
      await open(`/search?user=${NORA}&query=Where&run=1&mode=vector`);
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
      await page.getByRole('button', { name: 'Copy as curl' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const curl = await copied();
      expect(curl).toContain('/v1/memories/search');
      expect(curl).toContain('"mode":"vector"');
      expect(curl).toContain('$FACTMILL_API_KEY');
      await page.getByRole('button', { name: 'Copy as TypeScript' }).last().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await copied()).toContain('factmill.context({');
    });

    test('asks as of a day', async () => {
      const { open, page } = get().admin;
      await open(`/search?user=${NORA}&query=lives+in&run=1&as_of=2026-03-20T00:00:00Z`);
      await page.getByText('A prompt is always of today.').waitFor();
      // No memory was known then; what was said then is found as a message.
      const candidates = page.getByRole('table', { name: 'Candidates' });
      await candidates.getByText('I live in Trondheim').waitFor();
      expect(await candidates.getByText(/lives in/).count()).toBe(0);
    });
  });
}
