import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type GatewayUnderTest, send, startGateway } from '../gateway.fixture.ts';

const PAGE = '<!doctype html><script type="module" src="/console/assets/index-4f2a.js"></script>';

const LARGE = 'export const large = true;\n'.repeat(100);

let folder: string;
let gateway: GatewayUnderTest;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'assets', 'index-4f2a.js'), 'export {};');
  await writeFile(join(folder, 'assets', 'large-5b3c.js'), LARGE);
  await writeFile(join(folder, 'assets', 'large-5b3c.js.br'), brotliCompressSync(LARGE));
  await writeFile(join(folder, 'assets', 'large-5b3c.js.gz'), gzipSync(LARGE));
  await writeFile(join(folder, 'secret.txt'), 'beside the assets');
  gateway = await startGateway({ LLM_MODEL: '<b>"model"</b>', LLM_BASE_URL: 'http://127.0.0.1:9/v1' });
  ({ url } = await gateway.another({}, folder));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, at = url): Promise<Answer> => send(at, 'GET', path, { key: null });

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe('the console', () => {
  test.each([
    '/console',
    '/console/',
    '/console/users/ada',
    '/console/memories?q=a%2Fb',
    '/console/nothing.js',
  ])('GET %s is the page, which nothing keeps and nothing frames', async (path) => {
    const page = await get(path);
    expect([page.status, page.text]).toEqual([200, PAGE]);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toBe(POLICY);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('its files are kept for good; what is no file of it is not there, and not kept', async () => {
    const asset = await get('/console/assets/index-4f2a.js');
    expect([asset.status, asset.text]).toEqual([200, 'export {};']);
    expect(asset.headers.get('content-type')).toContain('javascript');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const path of ['gone-1a2b.js', '', '..%2fsecret.txt', '%2e%2e/secret.txt', '%00']) {
      const missing = await get(`/console/assets/${path}`);
      expect([path, missing.headers.get('cache-control'), missing.text.includes('beside')]).toEqual([
        path,
        'no-store',
        false,
      ]);
      if (!path.startsWith('%2e')) expect([path, missing.status >= 400]).toEqual([path, true]);
    }
  });

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate', null],
    ['identity', null],
  ])('its files go out compressed: for a browser that takes %s as %s', async (accepted, encoding) => {
    const headers = { 'accept-encoding': accepted };
    const ask = (name: string) => send(url, 'GET', `/console/assets/${name}`, { key: null, headers });
    const asset = await ask('large-5b3c.js');
    expect([asset.status, asset.text, asset.headers.get('content-encoding')]).toEqual([200, LARGE, encoding]);
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(asset.headers.get('vary')).toMatch(/\bAccept-Encoding\b/);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    // What is not there compressed goes out as it is.
    const small = await ask('index-4f2a.js?as=before');
    expect([small.text, small.headers.get('content-encoding')]).toEqual(['export {};', null]);
  });

  test('says so in a sentence when it is not built', async () => {
    const { url: unbuilt } = await gateway.another({}, join(folder, 'nowhere'));
    const page = await get('/console', unbuilt);
    expect([page.status, page.text]).toEqual([
      503,
      expect.stringMatching(/^The console is not built\. .*\n$/),
    ]);
    await expect(get('/', unbuilt)).resolves.toMatchObject({ status: 200 });
  });

  test('is off with CONSOLE=false, and so are its sessions', async () => {
    const { url: off } = await gateway.another({ CONSOLE: 'false' }, folder);
    for (const path of ['/console', '/console/', '/console/session', '/console/assets/index-4f2a.js']) {
      await expect(get(path, off)).resolves.toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const key = await gateway.makeKey({});
    const signedIn = await send(url, 'POST', '/console/session', { key });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const ask = (at: string) =>
      send(at, 'GET', '/v1/memories?user_id=ada', { key: null, headers: { cookie } });
    expect([(await ask(url)).status, (await ask(off)).status]).toEqual([200, 401]);
    expect((await get('/', off)).text).not.toContain('/console');
  });
});

describe('the start page', () => {
  test('tells everybody how this installation is set up, and only operators how much waits', async () => {
    const page = await get('/');
    expect(page).toMatchObject({ status: 200 });
    expect(page.headers.get('content-security-policy')).toBe(POLICY);
    for (const text of ['<dd>postgres</dd>', '<dd>redis</dd>', 'href="/console"', 'href="/docs"'])
      expect(page.text).toContain(text);
    expect(page.text).toContain('<dd>&lt;b&gt;&quot;model&quot;&lt;/b&gt;</dd>');
    expect(page.text).not.toMatch(/Extractions|127\.0\.0\.1/);
    expect((await get('/start.css')).headers.get('content-type')).toContain('text/css');
    const asOf = async (key?: string) => (await send(url, 'GET', '/', key === undefined ? {} : { key })).text;
    expect(await asOf()).toContain('<dd>0 wait; 0 running</dd>');
    expect(await asOf(await gateway.makeKey({ permissions: ['admin'] }))).not.toContain('Extractions');
  });
});
