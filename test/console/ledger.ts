import { describe, expect, test } from '@jest/globals';
import type { Stands } from './first-memory.ts';
import { CONVERSATION, NORA } from './stored-things.ts';

export function testLedger(get: Stands): void {
  describe('extractions', () => {
    test('are counted, filtered by a count, and shown step by step', async () => {
      const { open, page } = get().admin;
      await open(`/extractions?user=${NORA}`);
      await page.getByRole('group', { name: 'States' }).getByRole('button', { name: /^done/ }).click();
      expect(page.url()).toContain('state=done');
      const rows = page.locator('.list-body .list-row');
      await rows.nth(2).waitFor();
      await rows.first().getByRole('link').first().click();
      const steps = page.locator('.steps');
      for (const step of ['accepted', 'claimed', 'applied'])
        await steps.getByText(step, { exact: true }).waitFor();
      await page.getByRole('link', { name: /lives in Bergen/ }).waitFor();
      await page.getByRole('button', { name: 'Show the raw answers' }).click();
      await page.locator('pre', { hasText: '"value":"Bergen"' }).waitFor();
    });

    test('start again, one or all of a state', async () => {
      const { open, page } = get().admin;
      await open(`/extractions?user=${NORA}&state=done`);
      await page.getByRole('button', { name: 'Replay all done…' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText('costs tokens').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.list-body .list-row').first().getByRole('link').first().click();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText('It starts again.').waitFor();
      await page.getByText('done', { exact: true }).first().waitFor();
    });
  });

  describe('a conversation', () => {
    test('shows what each turn became', async () => {
      const { open, page } = get().admin;
      await open('/conversations');
      await page.getByText('Whose conversations?').waitFor();
      await page.getByLabel('User').fill(NORA);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: CONVERSATION }).click();
      const turn = page.locator('.message', { hasText: 'I have a cat called Pixel' });
      await turn.getByRole('link', { name: /Pixel/ }).waitFor();
      await turn.getByRole('link', { name: 'Extraction' }).first().waitFor();
    });
  });

  describe('health', () => {
    test('shows the services, the backlog, plots, and events as they happen', async () => {
      const { admin, stand } = get();
      const { open, page } = admin;
      await open('/health');
      await page.getByText('ok', { exact: true }).waitFor();
      await page.getByText('oldest waits for').waitFor();
      await page.getByText('closed', { exact: true }).waitFor();
      const plots = page.getByRole('img', { name: /^(?:Extractions by outcome|Tokens|Events a second)/ });
      await plots.nth(2).waitFor();
      expect(await page.locator('.plot canvas').count()).toBeGreaterThan(4);
      await page.getByText('following events').waitFor();
      await stand.admin.memories.create({ user_id: NORA, content: 'Nora swims in the fjord in April.' });
      await page.locator('.events', { hasText: 'memory.created' }).waitFor();
      await page.getByLabel('Period').selectOption('day');
      await plots.nth(2).waitFor();
    });
  });
}
