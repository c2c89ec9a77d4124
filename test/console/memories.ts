import { describe, expect, test } from '@jest/globals';
import { type Locator, type Page } from 'playwright-core';
import type { Stands } from './first-memory.ts';
import { NORA } from './stored-things.ts';

const rowOf = (page: Page, text: string | RegExp): Locator => page.getByRole('row').filter({ hasText: text });
const said = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();

export function testMemories(get: Stands): void {
  describe('users', () => {
    test('are listed with their counts, found by a part of their ids, and shown one by one', async () => {
      const { open, page } = get().admin;
      await open('/users');
      await rowOf(page, 'maya').waitFor();
      await page.getByLabel('Id contains').fill('OR');
      await rowOf(page, 'maya').waitFor({ state: 'detached' });
      expect(page.url()).toContain('contains=OR');
      await page.getByRole('link', { name: NORA }).click();
      await page.getByRole('heading', { name: NORA }).waitFor();
      await page.getByText('current memories').waitFor();
      await page.getByRole('link', { name: 'demo-chat' }).waitFor();
      await page.getByRole('heading', { name: 'Core profile' }).waitFor();
    });
  });

  describe('memories', () => {
    test('are added, edited, archived and taken back, restored and deleted', async () => {
      const { open, page } = get().admin;
      await open(`/memories?user=${NORA}`);
      await page.getByRole('button', { name: 'Add a memory' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Statement').fill('Nora plays the cello on Sundays.');
      await form.getByRole('button', { name: 'Save' }).click();
      await said(page, 'The memory is saved.');
      const row = rowOf(page, 'cello');
      await row.getByRole('button', { name: 'Archive' }).click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor();
      await row.getByRole('link').first().click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await form.getByLabel('Statement').fill('Nora plays the viola on Sundays.');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Nora plays the viola on Sundays.' }).waitFor();
      await page.locator('del', { hasText: 'cello' }).waitFor();
      await page.locator('ins', { hasText: 'viola' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('deleted', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('current', { exact: true }).waitFor();
    });

    test('are filtered by their address, and many are changed at once', async () => {
      const { open, page } = get().admin;
      await open(`/memories?user=${NORA}&q=viola`);
      await rowOf(page, 'viola').waitFor();
      expect(await page.getByLabel('Contains').inputValue()).toBe('viola');
      await page.getByLabel('Contains').fill('');
      await rowOf(page, 'Bergen').first().waitFor();
      expect(page.url()).not.toContain('q=');
      const boxes = page.getByRole('checkbox', { name: /^Select: / });
      const before = await boxes.count();
      await boxes.nth(0).check();
      await boxes.nth(1).check();
      await page
        .getByRole('group', { name: 'Selected memories' })
        .getByRole('button', { name: 'Delete' })
        .click();
      await said(page, '2 memories deleted.');
      const rows = page.locator('.list-body .list-row');
      await rows.nth(before - 2).waitFor({ state: 'detached' });
      expect(await rows.count()).toBe(before - 2);
      await page.getByRole('button', { name: 'Undo' }).click();
      await said(page, 'Taken back.');
      await rows.nth(before - 1).waitFor();
      expect(await rows.count()).toBe(before);
    });

    test('are walked through by keyboard', async () => {
      const { open, page } = get().admin;
      await open(`/memories?user=${NORA}`);
      const links = page.locator('.list-body .row-link');
      await links.first().focus();
      await page.keyboard.press('ArrowDown');
      await page.locator('[data-index="1"]:focus-within').waitFor();
      const text = await links.nth(1).innerText();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: text }).waitFor();
    });
  });

  describe('one memory', () => {
    test('shows what it replaced, the message that it rests on, and what was believed before', async () => {
      const { open, page } = get().admin;
      await open(`/memories?user=${NORA}&q=Bergen`);
      await rowOf(page, /lives in Bergen/)
        .getByRole('link')
        .first()
        .click();
      await page.getByRole('heading', { level: 1, name: /lives in Bergen/ }).waitFor();
      await page.locator('.message.source', { hasText: 'I moved to Bergen last weekend' }).waitFor();
      await page.locator('.message:not(.source)', { hasText: 'Trondheim' }).waitFor();
      const believed = page.locator('.believed');
      await believed.getByText(/lives in Bergen/).waitFor();
      await page.getByLabel('Show').selectOption('valid');
      await page.getByRole('slider', { name: 'As of' }).press('Home');
      await page.getByRole('button', { name: 'To the next change' }).click();
      await believed.getByText(/lives in Trondheim/).waitFor();
      expect(page.url()).toContain('as_of=2026-03');
      expect(await page.locator('.span').count()).toBe(2);
      await page.getByRole('button', { name: 'Back to now' }).click();
      await believed.getByText(/lives in Bergen/).waitFor();
      await page.getByRole('link', { name: 'the one before' }).first().click();
      await page.getByRole('link', { name: 'show it' }).click();
      await page.getByRole('heading', { level: 1, name: /lives in Bergen/ }).waitFor();
    });
  });
}
