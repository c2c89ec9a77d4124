import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, test } from '@jest/globals';
import { ADMIN_KEY, type Console, openConsole } from './console-stand.ts';
import type { Stands } from './first-memory.ts';
import { NORA } from './stored-things.ts';

/** Each view, and something that is there once it has loaded. */
const VIEWS: readonly (readonly [string, string])[] = [
  ['/first-memory', 'From a message to a memory'],
  ['/users', 'Users'],
  [`/users/${NORA}`, 'Core profile'],
  [`/memories?user=${NORA}`, 'Memories'],
  [`/search?user=${NORA}&query=Where&run=1&compare=true`, 'Block for the prompt'],
  [`/conversations?user=${NORA}`, 'Conversations'],
  [`/extractions?user=${NORA}`, 'Extractions'],
  ['/replays', 'Replays'],
  ['/health', 'Live'],
  ['/administration?part=keys', 'API keys'],
  ['/administration?part=data', 'Receipts of erasures'],
];

/** What is wrong for people who use a keyboard, a screen reader or need contrast; each with where it is. */
async function findings({ page }: Console): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`),
    );
}

export function testAccessibility(get: Stands): void {
  describe('accessibility', () => {
    test.each(VIEWS)('%s, in light and dark', async (path, heading) => {
      const { admin } = get();
      const { open, page } = admin;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        if (colorScheme === 'light') await open(path);
        await page.getByRole('heading', { name: heading }).first().waitFor();
        await page.waitForLoadState('load');
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        expect(await findings(admin)).toEqual([]);
      }
    });

    test('one memory, and the sign-in, in light and dark', async () => {
      const { admin, stand } = get();
      const { data } = await stand.admin.memories.list({ user_id: NORA, q: 'Bergen', limit: 1 });
      const signIn = await openConsole(stand, null);
      await signIn.open('');
      await signIn.page.getByLabel('API key').waitFor();
      await admin.open(`/memories/${data[0]?.id}`);
      await admin.page.locator('.message.source').first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const one of [admin, signIn]) {
          await one.page.emulateMedia({ colorScheme });
          expect(await findings(one)).toEqual([]);
        }
      }
      await signIn.close();
    });

    test('a phone shows every view without scrolling sideways', async () => {
      const phone = await openConsole(get().stand, ADMIN_KEY, { width: 360, height: 740 });
      for (const [path, heading] of VIEWS) {
        await phone.open(path);
        await phone.page.getByRole('heading', { name: heading }).first().waitFor();
        const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth');
        expect({ path, width }).toEqual({ path, width: 360 });
      }
      expect(phone.problems).toEqual([]);
      await phone.close();
    });

    test('no page had an error, broke the content security policy or asked another origin', () => {
      expect(get().admin.problems).toEqual([]);
    });
  });
}
