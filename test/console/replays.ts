import { describe, expect, test } from '@jest/globals';
import type { ConsoleStand } from './console-stand.ts';
import type { Stands } from './first-memory.ts';

const RHEA = 'rhea';
const TURNS = ['I live in Lisbon.', 'I work as a cook.', 'I am vegetarian.'];

/** Memories as an older prompt had worded them: one otherwise, one not at all, one of something else. */
async function storeAsBefore(stand: ConsoleStand): Promise<void> {
  for (const [index, content] of TURNS.entries()) {
    const { extraction } = await stand.admin.conversations.post('rhea-chat', {
      user_id: RHEA,
      extract: 'now',
      messages: [{ id: `rhea-${index}`, role: 'user', content }],
    });
    if (extraction !== null) await stand.admin.extractions.waitFor(extraction.id);
  }
  await stand.query(
    `update memories set content = replace(content, 'Lisbon', 'Porto'), value = 'Porto'
     where user_id = $1 and content like '%Lisbon%'`,
    [RHEA],
  );
  await stand.query(
    `update memories set content = 'Likes soup.', key = 'soup', content_hash = sha256('Likes soup.')
     where user_id = $1 and content like '%cook%'`,
    [RHEA],
  );
}

export function testReplays(get: Stands): void {
  describe('a replay', () => {
    const served = async () =>
      (await get().stand.admin.memories.list({ user_id: RHEA })).data.map(({ content }) => content).join();

    test('is estimated, started, compared by kind of change, applied and taken back', async () => {
      const { admin, stand } = get();
      const { open, page } = admin;
      await storeAsBefore(stand);
      await open(`/replays?user=${RHEA}`);
      await page.getByText('Nothing was replayed yet.').waitFor();
      await page.getByRole('button', { name: 'Start a replay' }).click();
      await page.getByRole('button', { name: 'Estimate the cost' }).click();
      await page.getByText('3 of 1 users').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
      await page.locator('.badge', { hasText: 'done' }).waitFor();

      const counts = page.getByRole('group', { name: 'Memories' });
      await counts.getByRole('button', { name: /^same/ }).waitFor();
      expect(await counts.getByRole('button').allInnerTexts()).toEqual([
        expect.stringMatching(/^added\s+1$/),
        expect.stringMatching(/^changed\s+1$/),
        expect.stringMatching(/^gone\s+1$/),
        expect.stringMatching(/^same\s+\d$/),
      ]);
      const rows = page.getByRole('region', { name: 'Differences' }).locator('tbody tr');
      expect(await rows.count()).toBe(3);
      await counts.getByRole('button', { name: /^changed/ }).click();
      await rows.nth(1).waitFor({ state: 'detached' });
      expect(page.url()).toContain('change=changed');
      expect(await rows.locator('td').nth(1).locator('del').first().innerText()).toContain('Porto');
      expect(await rows.locator('td').nth(2).locator('ins').first().innerText()).toContain('Lisbon');

      await page.getByRole('button', { name: 'Apply…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Apply' }).click();
      await page.locator('.badge', { hasText: 'applied' }).waitFor();
      expect(await served()).toMatch(/Lisbon/);
      expect(await served()).not.toMatch(/Porto|soup/);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('.badge', { hasText: 'undone' }).waitFor();
      expect(await served()).toMatch(/Porto/);
      await page.getByRole('button', { name: 'Delete the record…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Nothing was replayed yet.').waitFor();
    });

    test('is thrown away, and its record stays in the list', async () => {
      const { admin, stand } = get();
      const { open, page } = admin;
      const { id } = await stand.admin.replays.start({ user_id: RHEA });
      await open(`/replays/${id}`);
      await page.locator('.badge', { hasText: 'done' }).waitFor();
      await page.getByRole('button', { name: 'Discard…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
      await page.getByText('It was discarded.').waitFor();
      await page.getByRole('link', { name: 'Replays' }).click();
      await page.getByRole('row').filter({ hasText: RHEA }).getByText('discarded').waitFor();
      expect(await served()).toMatch(/Porto/);
    });
  });
}
