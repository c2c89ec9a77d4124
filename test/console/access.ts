import { describe, expect, test } from '@jest/globals';
import { ADMIN_KEY, openConsole } from './console-stand.ts';
import type { Stands } from './first-memory.ts';
import { NORA } from './stored-things.ts';

export function testAccess(get: Stands): void {
  describe('access', () => {
    test('asks for a key, refuses a wrong one, keeps it nowhere, and signs out', async () => {
      const { stand } = get();
      const { page, open, context, close } = await openConsole(stand, null);
      await open(`/memories?user=${NORA}`);
      await page.getByLabel('API key').fill('fm_wrong_key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This key is unknown, has expired or was revoked. Use another one.').waitFor();
      await page.getByLabel('API key').fill(ADMIN_KEY);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Memories' }).waitFor();
      expect(page.url()).toContain(`user=${NORA}`);
      const kept = await page.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, document.cookie])',
      );
      expect(kept).not.toContain(ADMIN_KEY);
      expect(await context.cookies()).toEqual([
        expect.objectContaining({ httpOnly: true, sameSite: 'Strict' }),
      ]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
      await page.reload();
      await page.getByLabel('API key').waitFor();
      await close();
    });

    test.each([
      ['was revoked', 'revoked_at = now()'],
      ['has expired', 'expires_at = now()'],
    ])('ends by itself when its key %s, and says what to do', async (how, change) => {
      const { stand } = get();
      const { id, key } = await stand.makeKey(`a key that ${how}`, ['memory.read'], NORA);
      const { page, close } = await openConsole(stand, key);
      await page.getByRole('heading', { name: 'Memories' }).waitFor();
      await stand.query(`update api_keys set ${change} where id = $1`, [id]);
      // Nobody touches the page.
      await page.getByText('Your session has ended. Sign in again to go on where you were.').waitFor();
      await page.getByText('ask your operator for another one').waitFor();
      expect(await page.getByText('lives in Bergen').count()).toBe(0);
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      await page.getByText('This key is unknown, has expired or was revoked.').waitFor();
      await close();
    });

    test('shows a key that may only read nothing that it may not do', async () => {
      const { stand } = get();
      const { key } = await stand.makeKey('reader', ['memory.read'], NORA);
      const { page, open, problems, close } = await openConsole(stand, key);
      await page
        .getByRole('link', { name: /lives in Bergen/ })
        .first()
        .waitFor();
      const places = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
      expect(places).toEqual(['Memories', 'Search', 'Conversations', 'Extractions', 'Health']);
      expect(await page.getByRole('button', { name: /Add|Archive|Delete/ }).count()).toBe(0);
      await page
        .getByRole('link', { name: /lives in Bergen/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      expect(await page.getByRole('button', { name: /Edit|Archive|Delete/ }).count()).toBe(0);
      expect(problems).toEqual([]);
      // What it may not see is refused in words, also where somebody types the address.
      await open('/users');
      await page.getByText('Your key may not do this.').waitFor();
      await close();
    });
  });
}
