// npm run screenshots: plays the demo on a fresh installation, and takes the pictures of docs/console.md and the README.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@factmill/client';
import { createScriptedModel, freePort, startProcess, waitFor } from '@factmill/testkit';
import type { Page } from 'playwright-core';
import { findChromium } from '../../scripts/services/provision.mjs';
import { startBrowser } from '../support/browser.ts';
import { entryOf } from '../support/service-process.ts';
import { toIndexedPng } from './indexed-png.ts';

const PICTURES = fileURLToPath(new URL('../../docs/console/', import.meta.url));
const DEMO = fileURLToPath(new URL('../../services/standalone/src/demo.ts', import.meta.url));
const NORA = 'demo-nora';
const SIZE = { width: 1200, height: 760 };

type Picture = Readonly<{
  name: string;
  path: string;
  waitFor: string;
  prepare?: (page: Page) => Promise<void>;
}>;

/** What pictures are of: the demo's memory that replaced another, and its latest extraction. */
type Ids = Readonly<{ memory: string; extraction: string }>;

/** Each view at its best. */
function picturesOf(ids: Ids): readonly Picture[] {
  return [
    { name: 'users', path: '/users', waitFor: '.list-row .row-link' },
    { name: 'user', path: `/users/${NORA}`, waitFor: '.facts' },
    { name: 'memories', path: `/memories?user=${NORA}`, waitFor: '.list-row .row-link' },
    {
      name: 'memory',
      path: `/memories/${ids.memory}?as_of=2026-03-20T12:00:00Z&axis=valid`,
      waitFor: '.message.source',
    },
    {
      name: 'search',
      path: `/search?user=${NORA}&query=Where+do+I+live%3F&run=1`,
      waitFor: '.answer pre',
    },
    { name: 'extractions', path: `/extractions?user=${NORA}`, waitFor: '.list-body .list-row' },
    { name: 'extraction', path: `/extractions/${ids.extraction}`, waitFor: '.steps li' },
    { name: 'conversation', path: '', waitFor: '.became' },
    { name: 'health', path: '/health', waitFor: '.plot canvas' },
    { name: 'administration', path: '/administration?part=data', waitFor: '.form-grid' },
    {
      name: 'first-memory',
      path: '/first-memory',
      waitFor: '.first-run',
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Send the message' }).click();
        await page.getByRole('link', { name: 'Ask for it' }).waitFor();
      },
    },
  ];
}

async function main(): Promise<void> {
  process.env['TEST_CHROMIUM'] ??= (await findChromium()) ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'factmill-pictures-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = (env: Record<string, string>) =>
    startProcess({
      entry: entryOf('standalone'),
      env: {
        DATA_DIR: join(folder, 'data'),
        GATEWAY_PORT: String(port),
        RETRIEVAL_PORT: '0',
        EXTRACTOR_PORT: '0',
        ...env,
      },
      cwd: folder,
      readyWhen: /Stop with Ctrl-C/,
      timeoutMs: 150_000,
    });
  const model = await createScriptedModel();
  let running = await start({});
  const browser = await startBrowser();
  try {
    const flags = ['--conditions=factmill-source', '--disable-warning=ExperimentalWarning'];
    await promisify(execFile)(process.execPath, [...flags, DEMO, url], { cwd: folder });
    await mkdir(PICTURES, { recursive: true });
    const context = await browser.newContext({
      viewport: SIZE,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await takeAll(page, url);
    // The rules find the same whatever the preset: a replay by a model has something to compare.
    await running.kill('SIGINT');
    await running.exit;
    running = await start({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted-model' });
    await takeReplay(page, url);
  } finally {
    await browser.close();
    await model.close();
    await running.kill('SIGINT');
    await running.exit;
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeAll(page: Page, url: string): Promise<void> {
  const client = createClient({ baseUrl: url, userId: NORA });
  const [memories, extractions, conversations] = await Promise.all([
    client.memories.list({ q: 'Bergen' }),
    client.extractions.list({ user_id: NORA }),
    client.conversations.list(),
  ]);
  const memory = memories.data.find(({ content }) => content.includes('lives in Bergen'))?.id ?? '';
  const extraction = extractions.data.find(({ counts }) => counts.added > 0)?.id ?? '';
  const conversation = `/conversations/${conversations.data[0]?.id ?? ''}?user=${NORA}`;
  for (const picture of picturesOf({ memory, extraction })) {
    await take(page, url, picture.name === 'conversation' ? { ...picture, path: conversation } : picture);
  }
}

/** What a model would have made of the same conversation. */
async function takeReplay(page: Page, url: string): Promise<void> {
  const client = createClient({ baseUrl: url, userId: NORA });
  const { id } = await client.replays.start({ user_id: NORA });
  if (id === null) throw new Error('the replay has not started');
  await waitFor(async () => (await client.replays.get(id)).state === 'done', {
    describe: 'the end of the replay',
  });
  await take(page, url, { name: 'replay', path: `/replays/${id}`, waitFor: '.rows tbody tr' });
}

async function take(
  page: Page,
  url: string,
  { name, path, waitFor: shown, prepare }: Picture,
): Promise<void> {
  await page.goto(`${url}/console${path}`);
  await page.locator(shown).first().waitFor();
  await prepare?.(page);
  // The stream of events keeps the network busy for good.
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  const pixels = await readPixels(page, await page.screenshot());
  await writeFile(join(PICTURES, `${name}.png`), toIndexedPng(pixels, SIZE.width, SIZE.height));
  process.stdout.write(`${name}.png\n`);
}

/** The pixels of a picture; the browser that took it reads it. */
async function readPixels(page: Page, picture: Buffer): Promise<Uint8Array> {
  const base64 = await page.evaluate<string>(`(async () => {
    const bytes = Uint8Array.fromBase64(${JSON.stringify(picture.toString('base64'))});
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return new Uint8Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer).toBase64();
  })()`);
  return Buffer.from(base64, 'base64');
}

await main();
