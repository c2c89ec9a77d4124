import { beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_KEY, type Console, type ConsoleStand, openConsole } from './console-stand.ts';
import type { Stands } from './first-memory.ts';
import { NORA } from './stored-things.ts';

/** A port of this machine on which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

export function testSettings(get: Stands): void {
  describe('settings of the console', () => {
    let readOnly: ConsoleStand;
    let off: ConsoleStand;
    let reader: Console;
    beforeAll(async () => {
      const { stand } = get();
      [readOnly, off] = await Promise.all([
        stand.another({ CONSOLE_WRITABLE: 'false', RETRIEVAL_URL: NOWHERE }),
        stand.another({ CONSOLE: 'false' }),
      ]);
      reader = await openConsole(readOnly, ADMIN_KEY);
    });

    test('CONSOLE_WRITABLE=false hides every change, and refuses it', async () => {
      const { open, page } = reader;
      await page.getByText('This console is read-only').waitFor();
      expect(await page.getByRole('link', { name: 'First memory' }).count()).toBe(0);
      for (const [path, shown] of [
        [`/memories?user=${NORA}`, 'Memories'],
        [`/users/${NORA}`, 'Settings'],
        ['/replays', 'Replays'],
        ['/extractions?state=done', 'Extractions'],
        ['/administration?part=keys', 'API keys'],
        ['/administration?part=webhooks', 'Webhooks'],
        ['/administration?part=data', 'Legal holds'],
        ['/administration?part=tenants', 'Tenants'],
      ] as const) {
        await open(path);
        await page.getByRole('heading', { name: shown }).first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        const changes = page.locator('main').getByRole('button', {
          name: /\b(?:Add|Create|Start|Save|Place|Edit|Archive|Delete|Erase|Revoke|Replay)\b/,
        });
        expect([path, await changes.allInnerTexts()]).toEqual([path, []]);
      }
      const refused = await page.evaluate<unknown>(`fetch('/v1/memories', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: '${NORA}', content: 'Smuggled in.' }),
      }).then(async (response) => [response.status, (await response.json()).code])`);
      expect(refused).toEqual([403, 'console_read_only']);
    });

    test('two instances on one host leave each other’s sessions alone', async () => {
      const { context } = reader;
      const beside = await context.newPage();
      await beside.goto(`${get().stand.url}/console/users`);
      await beside.getByLabel('API key').fill(ADMIN_KEY);
      await beside.getByRole('button', { name: 'Sign in' }).click();
      await beside.getByRole('heading', { name: 'Users' }).waitFor();
      const names = (await context.cookies()).map(({ name }) => name);
      expect(new Set(names).size).toBe(2);
      await beside.getByRole('button', { name: 'Sign out' }).click();
      await beside.getByLabel('API key').waitFor();
      await reader.open('/users');
      await reader.page.getByRole('heading', { name: 'Users' }).waitFor();
      await beside.close();
    });

    test('without the retrieval service, views say what is missing and what still works', async () => {
      const { open, page } = reader;
      await open(`/search?user=${NORA}&query=Where&run=1`);
      await page.getByText('The retrieval service does not answer; try again.').first().waitFor();
      await page.getByText('Lists of memories work meanwhile.').first().waitFor();
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
      await open('/health');
      await page.getByText('retrieval cannot be reached').waitFor();
      await open(`/memories?user=${NORA}&q=Bergen`);
      await page
        .getByRole('link', { name: /lives in Bergen/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await reader.close();
    });

    test('CONSOLE=false takes it away, and the start page does not lead there', async () => {
      const { stand } = get();
      const page = await stand.browser.newPage();
      await page.goto(`${off.url}/`);
      await page.getByRole('heading', { name: 'Factmill' }).waitFor();
      expect(await page.getByRole('link', { name: 'Console' }).count()).toBe(0);
      const answer = await page.goto(`${off.url}/console/memories`);
      expect(answer?.status()).toBe(404);
      await page.getByText('The console is off here').waitFor();
      await page.close();
    });
  });
}
