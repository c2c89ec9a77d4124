import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Response } from 'playwright-core';
import type { Console, ConsoleStand } from './console-stand.ts';

export type Stands = () => Readonly<{ stand: ConsoleStand; admin: Console }>;

const DIST = fileURLToPath(new URL('../../packages/console/dist/', import.meta.url));
/** What the first page may cost, compressed. */
const FIRST_LOAD_BYTES = 250_000;

/** @param afterwards stores what the other parts look at */
export function testFirstMemory(get: Stands, afterwards: () => Promise<void>): void {
  describe('a new installation', () => {
    afterAll(afterwards);

    test('shows a first memory two clicks after its start page', async () => {
      const { stand, admin } = get();
      const { page } = admin;
      await page.goto(`${stand.url}/`);
      await page.getByRole('link', { name: 'Console' }).first().click();
      await page.getByRole('button', { name: 'Send the message' }).click();
      await page.getByRole('link', { name: /Lisbon/ }).waitFor();
      await page.getByText('done').first().waitFor();
      await page.getByRole('link', { name: 'Ask for it' }).click();
      await page
        .getByRole('table')
        .getByText(/Lisbon/)
        .first()
        .waitFor();
    });

    test(`costs at most ${FIRST_LOAD_BYTES} bytes until the first page is there`, async () => {
      const { stand, admin } = get();
      const loaded: Response[] = [];
      const context = await stand.browser.newContext({ storageState: await admin.context.storageState() });
      const page = await context.newPage();
      page.on('response', (response) => loaded.push(response));
      await page.goto(`${stand.url}/console/users`);
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      const files = loaded.filter((response) => response.url().includes('/console/assets/'));
      const sent = await Promise.all(
        files.map(async (response) => ({
          name: new URL(response.url()).pathname.split('/').at(-1) ?? '',
          bytes: (await response.request().sizes()).responseBodySize,
          encoding: response.headers()['content-encoding'] ?? 'none',
        })),
      );
      await context.close();
      expect(sent.length).toBeGreaterThan(2);
      // What the browser got, and what one gets that takes gzip only.
      const sizes = sent.map(({ name, bytes, encoding }) => {
        const zipped = statSync(join(DIST, 'assets', `${name}.gz`), { throwIfNoEntry: false });
        // Browsers may want brotli by https only.
        expect([name, encoding]).toEqual([
          name,
          zipped === undefined ? 'none' : expect.stringMatching(/^(?:br|gzip)$/),
        ]);
        return { bytes, zipped: zipped?.size ?? bytes };
      });
      const all = (of: 'bytes' | 'zipped') => sizes.reduce((sum, size) => sum + size[of], 0);
      expect(all('zipped')).toBeLessThan(FIRST_LOAD_BYTES);
      expect(all('bytes')).toBeLessThan(FIRST_LOAD_BYTES);
    });
  });
}
