import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ADMIN_KEY, openConsole } from './console-stand.ts';
import type { Stands } from './first-memory.ts';
import { CONVERSATION, NORA } from './stored-things.ts';

/** More than any view has before what is looked for. */
const MAX_TABS = 150;

/** Goes on by Tab until this has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${String(target)}.`);
}

/** Leaves the navigation behind, as who uses no mouse does first. */
async function skipToPage(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.locator('.skip:focus').waitFor();
  await page.keyboard.press('Enter');
}

type Path = Readonly<{ view: string; walk: (page: Page) => Promise<void> }>;

/** The main path of each view, without a mouse. */
const PATHS: readonly Path[] = [
  {
    view: '/users',
    walk: async (page) => {
      await tabTo(page, page.getByLabel('Id contains'));
      await page.keyboard.type('or');
      await tabTo(page, page.getByRole('link', { name: NORA }));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: NORA }).waitFor();
    },
  },
  {
    view: `/memories?user=${NORA}&q=Bergen`,
    walk: async (page) => {
      await tabTo(page, page.getByRole('link', { name: /lives in Bergen/ }).first());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await tabTo(page, page.getByRole('slider', { name: 'As of' }));
      await page.keyboard.press('Home');
      await page.getByRole('button', { name: 'Back to now' }).waitFor();
    },
  },
  {
    view: `/search?user=${NORA}`,
    walk: async (page) => {
      await tabTo(page, page.getByLabel('Query'));
      await page.keyboard.type('Where does Nora live?');
      await page.keyboard.press('Enter');
      await page.getByRole('table', { name: 'Candidates' }).waitFor();
    },
  },
  {
    view: '/conversations',
    walk: async (page) => {
      await tabTo(page, page.getByLabel('User'));
      await page.keyboard.type(NORA);
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByRole('link', { name: CONVERSATION }));
      await page.keyboard.press('Enter');
      await page.getByText('I have a cat called Pixel').first().waitFor();
    },
  },
  {
    view: `/extractions?user=${NORA}`,
    walk: async (page) => {
      const states = page.getByRole('group', { name: 'States' });
      await tabTo(page, states.getByRole('button', { name: /^done/ }));
      await page.keyboard.press('Space');
      await page.waitForURL(/state=done/);
      await tabTo(page, page.locator('.list-body .list-row').first().getByRole('link').first());
      await page.keyboard.press('Enter');
      await page.locator('.steps').getByText('applied', { exact: true }).waitFor();
    },
  },
  {
    view: '/replays',
    walk: async (page) => {
      await tabTo(page, page.locator('.list-body .row-link').first());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'What it would change' }).waitFor();
    },
  },
  {
    view: '/health',
    walk: async (page) => {
      await tabTo(page, page.getByLabel('Period'));
      await page.keyboard.press('ArrowDown');
      await page.waitForURL(/period=day/);
    },
  },
  {
    view: '/administration?part=keys',
    walk: async (page) => {
      await tabTo(page, page.getByRole('tab', { name: 'API keys' }));
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    },
  },
  {
    view: '/first-memory',
    walk: async (page) => {
      await tabTo(page, page.getByRole('button', { name: 'Send the message' }));
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Ask for it' }).waitFor();
    },
  },
];

export function testKeyboard(get: Stands): void {
  describe('without a mouse', () => {
    test.each(PATHS)('$view', async ({ view, walk }) => {
      const { open, page } = get().admin;
      await open(view);
      await skipToPage(page);
      await walk(page);
    });

    test.each([
      [`/memories?user=${NORA}`, 'Add a memory', 'dialog'],
      [`/extractions?user=${NORA}&state=done`, 'Replay all done…', 'alertdialog'],
    ] as const)('a dialog of %s keeps the focus, and gives it back', async (view, opener, role) => {
      const { open, page } = get().admin;
      await open(view);
      const button = page.getByRole('button', { name: opener });
      await tabTo(page, button);
      await page.keyboard.press('Enter');
      await page.getByRole(role).waitFor();
      const inside = page.locator(`[role=${role}]:focus-within`);
      await inside.waitFor();
      // More often than it has fields, and backwards as well.
      for (const key of [...Array.from({ length: 20 }, () => 'Tab'), 'Shift+Tab', 'Shift+Tab']) {
        await page.keyboard.press(key);
        await inside.waitFor();
      }
      await page.keyboard.press('Escape');
      await page.getByRole(role).waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
    });
  });

  describe('for people who', () => {
    test('want less motion, nothing moves', async () => {
      const { open, page } = get().admin;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open(`/memories?user=${NORA}`);
      await page.getByRole('button', { name: 'Add a memory' }).click();
      await page.getByRole('dialog').waitFor();
      const moving = await page.evaluate<string[]>(`[...document.querySelectorAll('*')].filter((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        return animationName !== 'none' || /[1-9]/.test(transitionDuration) || scrollBehavior === 'smooth';
      }).map(({ outerHTML }) => outerHTML.slice(0, 100))`);
      expect(moving).toEqual([]);
    });

    test('have a phone, a memory is added and found, and the dialog fits', async () => {
      const size = { width: 360, height: 740 };
      const phone = await openConsole(get().stand, ADMIN_KEY, size);
      const { open, page } = phone;
      await open(`/memories?user=${NORA}`);
      await page.getByRole('button', { name: 'Add a memory' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Statement').fill('Nora keeps bees on the roof.');
      const { x = 0, y = 0, width = 0, height = 0 } = (await dialog.boundingBox()) ?? {};
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect([x + width <= size.width, y + height <= size.height, width > 300]).toEqual([true, true, true]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: /keeps bees/ }).click();
      await page.getByRole('heading', { level: 1, name: /keeps bees/ }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('deleted', { exact: true }).waitFor();
      expect(phone.problems).toEqual([]);
      await phone.close();
    });
  });
}
