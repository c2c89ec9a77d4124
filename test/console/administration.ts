import { describe, expect, test } from '@jest/globals';
import { openConsole } from './console-stand.ts';
import type { Stands } from './first-memory.ts';

export function testAdministration(get: Stands): void {
  describe('administration', () => {
    test('creates a key, which signs in, notices the end of its session, and revokes it', async () => {
      const { admin, stand } = get();
      const { open, page } = admin;
      await open('/administration?part=keys');
      await page.getByRole('button', { name: 'Create a key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('a colleague');
      await dialog.getByRole('button', { name: 'Create' }).click();
      const secret = await page.locator('.secret').innerText();
      expect(secret).toMatch(/^fm_/);
      await page.getByRole('button', { name: 'I have it' }).click();

      const other = await openConsole(stand, secret);
      await other.page.getByText('Nothing is remembered yet.').waitFor();
      await other.page.evaluate(`fetch('/console/session', { method: 'DELETE' })`);
      await other.page.getByLabel('Contains').fill('anything');
      await other.page.getByText('Your session has ended.').waitFor();
      await other.close();
      const row = page.getByRole('row').filter({ hasText: 'a colleague' });
      await row.getByRole('button', { name: 'Revoke…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('revoked', { exact: true }).waitFor();
    });

    test('shows tenants, webhooks, retention and the audit, which it verifies', async () => {
      const { open, page } = get().admin;
      await open('/administration?part=tenants');
      await page.getByRole('row').filter({ hasText: 'default' }).first().waitFor();
      await page.getByRole('tab', { name: 'Webhooks' }).click();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel('Address').fill('https://hooks.example.com/factmill');
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
      expect(await page.locator('.secret').innerText()).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'I have it' }).click();
      await page.getByRole('button', { name: 'Turn off' }).click();
      await page.getByText('off: request').waitFor();
      await page.getByRole('tab', { name: 'Data' }).click();
      await page.getByRole('button', { name: 'Count what a run would remove' }).click();
      await page
        .getByText(/A run would remove/)
        .first()
        .waitFor();
      await page.getByRole('tab', { name: 'Audit' }).click();
      await page.getByText('webhook created').first().waitFor();
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await page.getByText(/^intact: /).waitFor();
    });

    test('erases a user only after their id was typed, and shows the receipt', async () => {
      const { admin, stand } = get();
      const { open, page } = admin;
      await stand.admin.memories.create({ user_id: 'leaver', content: 'Wants to be forgotten.' });
      await open('/users/leaver');
      await page.getByRole('button', { name: 'Erase this user…' }).click();
      const erase = page.getByRole('button', { name: 'Erase for good' });
      expect(await erase.isDisabled()).toBe(true);
      await page.getByLabel(/to confirm/).fill('leaver');
      await erase.click();
      await page.getByRole('heading', { name: 'Receipts of erasures' }).waitFor();
      await page.locator('.facts').getByText('done', { exact: true }).waitFor();
      expect(await stand.admin.memories.list({ user_id: 'leaver', state: 'all' })).toMatchObject({
        data: [],
      });
    });
  });
}
