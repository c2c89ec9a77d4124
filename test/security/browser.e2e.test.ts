import { freePort, type RunningProcess, startProcess } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { type PageServer, startPageServer } from '../support/page-server.ts';
import { entryOf } from '../support/service-process.ts';

const SECRET = 'Her locker code word is quetzal.';
let folder: string;
let site: PageServer;
/** Stands where the chat provider would; nothing of a page may reach it. */
let upstream: PageServer;
let factmill: RunningProcess;
let browser: Browser;
let ports: { gateway: number; retrieval: number; extractor: number };
let gateway: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-browser-'));
  [site, upstream, browser] = await Promise.all([startPageServer(), startPageServer(), startBrowser()]);
  ports = { gateway: await freePort(), retrieval: await freePort(), extractor: await freePort() };
  gateway = `http://127.0.0.1:${ports.gateway}`;
  // As `npm start`, with what an attacker would like: a chat upstream with a key, memory on, a writable board.
  factmill = await startProcess({
    entry: entryOf('standalone'),
    env: {
      DATA_DIR: join(folder, 'data'),
      GATEWAY_PORT: String(ports.gateway),
      RETRIEVAL_PORT: String(ports.retrieval),
      EXTRACTOR_PORT: String(ports.extractor),
      EMBEDDING_PROVIDER: 'none',
      CHAT_BASE_URL: `http://127.0.0.1:${upstream.port}/v1`,
      CHAT_API_KEY: 'sk-operators-own',
      CHAT_MEMORY: 'true',
      BULL_BOARD_WRITABLE: 'true',
      ALLOWED_ORIGINS: `http://app.example:${site.port}`,
    },
    cwd: folder,
    readyWhen: /Stop with Ctrl-C/,
    timeoutMs: 90_000,
  });
  await call('POST', '/v1/memories', { user_id: 'maya', content: SECRET });
});

afterAll(async () => {
  await browser.close();
  await factmill.kill('SIGTERM');
  await Promise.all([site.close(), upstream.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, text: await response.text() };
}

async function pageAt(url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

/** What a script of the page gets from a request: what it can read of it, or that it can read nothing. */
function fetchIn(page: Page, url: string, init: RequestInit = {}): Promise<string> {
  const request = `${JSON.stringify(url)}, ${JSON.stringify(init)}`;
  return page.evaluate<string>(`fetch(${request}).then(
    async (answer) => answer.type + ' ' + answer.status + ' ' + (await answer.text()),
    (error) => 'failed: ' + error,
  )`);
}

/** What a page can read of another that it frames. */
function readFrame(page: Page, url: string): Promise<string> {
  return page.evaluate<string>(`new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = ${JSON.stringify(url)};
    frame.onload = () => resolve(frame.contentDocument?.body.innerText ?? 'not readable');
    document.body.append(frame);
  })`);
}

/** Sends a body as a form of the page does: any text, without a preflight. */
function submitForm(page: Page, url: string, name: string, value: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = 'sink';
    document.body.append(frame);
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'text/plain', target: 'sink', action: ${JSON.stringify(url)} });
    const field = document.createElement('input');
    Object.assign(field, { name: ${JSON.stringify(name)}, value: ${JSON.stringify(value)} });
    form.append(field);
    document.body.append(form);
    frame.onload = () => resolve(null);
    form.submit();
  })`);
}

/** All users and everything that is kept of them, and what reached the upstream. */
async function everything(): Promise<string> {
  const lists = ['memories?all_users=true', 'conversations?user_id=maya', 'conversations?user_id=evil'];
  const kept = await Promise.all(lists.map(async (path) => (await call('GET', `/v1/${path}`)).text));
  const paused = (await call('GET', '/admin/queues/api/queues')).text.includes('"isPaused":true');
  return JSON.stringify({ kept, paused, upstream: upstream.requests() });
}

const CHAT = JSON.stringify({
  model: 'm',
  user: 'evil',
  messages: [{ role: 'user', content: 'I live in Evilville' }],
});
const MEMORY = JSON.stringify({ user_id: 'evil', content: 'Planted.' });
const MCP = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'memory', arguments: { action: 'save', content: 'Planted.' } },
});

/** Requests that a page may send without asking, or asks for by a preflight. */
const WRITES: [string, (base: typeof ports) => string, RequestInit][] = [
  ['a chat as text', (at) => `${at.gateway}/v1/chat/completions`, { method: 'POST', body: CHAT }],
  ['a chat as JSON', (at) => `${at.gateway}/v1/chat/completions`, asJson(CHAT)],
  ['a memory as text', (at) => `${at.gateway}/v1/memories`, { method: 'POST', body: MEMORY }],
  ['a memory as JSON', (at) => `${at.gateway}/v1/memories`, asJson(MEMORY)],
  ['a tool call over MCP as text', (at) => `${at.gateway}/mcp`, { method: 'POST', body: MCP }],
  ['a tool call over MCP as JSON', (at) => `${at.gateway}/mcp`, asJson(MCP)],
  ['a flush without a body', (at) => `${at.gateway}/v1/conversations/evil/flush`, { method: 'POST' }],
  ['a replay without a body', (at) => `${at.gateway}/v1/extractions/replay`, { method: 'POST' }],
  ['a deletion', (at) => `${at.gateway}/v1/memories?user_id=maya&key=x`, { method: 'DELETE' }],
  ['a path of the upstream', (at) => `${at.gateway}/v1/fine_tuning/jobs`, { method: 'POST', body: '{}' }],
  ['a read of the upstream', (at) => `${at.gateway}/v1/models`, {}],
  ['the queue board', (at) => `${at.gateway}/admin/queues/api/queues/extraction/pause`, { method: 'PUT' }],
  ['a search at retrieval', (at) => `${at.retrieval}/v1/memories/search`, asJson('{"query":"locker"}')],
];

function asJson(body: string): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': 'application/json' } };
}

describe.each([
  ['a page of another site', () => `http://evil.example:${site.port}/`],
  ['a page of another port', () => `http://127.0.0.1:${site.port}/`],
])('%s', (_name, address) => {
  let page: Page;
  beforeAll(async () => {
    page = await pageAt(address());
  });
  afterAll(() => page.close());

  test.each(WRITES)('does nothing by %s', async (_what, urlOf, init) => {
    const before = await everything();
    const url = `http://127.0.0.1:${urlOf(ports)}`;
    for (const mode of ['cors', 'no-cors'] as const) {
      expect(await fetchIn(page, url, { ...init, mode, credentials: 'include' })).toMatch(
        /^failed|^opaque 0 $/,
      );
    }
    expect(await everything()).toBe(before);
  });

  test('reads nothing, by any element or request', async () => {
    for (const [port, path] of [
      [ports.gateway, '/v1/memories?user_id=maya'],
      [ports.gateway, '/health'],
      [ports.retrieval, '/health'],
      [ports.extractor, '/metrics'],
    ] as const) {
      expect(await fetchIn(page, `http://127.0.0.1:${port}${path}`)).toMatch(/^failed/);
    }
    expect(await readFrame(page, `${gateway}/v1/memories?user_id=maya`)).not.toContain('quetzal');
  });

  test('plants nothing by a form or a beacon', async () => {
    const before = await everything();
    const chats = `${gateway}/v1/chat/completions`;
    await page.evaluate(`navigator.sendBeacon(${JSON.stringify(chats)}, ${JSON.stringify(CHAT)})`);
    await submitForm(page, chats, `${CHAT.slice(0, -1)},"x":"`, '"}');
    expect(await everything()).toBe(before);
  });
});

describe('a host name that was rebound to this machine', () => {
  test.each(['gateway', 'retrieval', 'extractor'] as const)(
    'reads and writes nothing at %s',
    async (service) => {
      const before = await everything();
      const address = `http://rebound.example:${ports[service]}/page`;
      const page = await browser.newPage();
      // The page itself came from the attacker's server, before the name was rebound.
      await page.route(address, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<body></body>' }),
      );
      await page.goto(address);
      // Its own origin, so the browser lets it read the answer: a refusal.
      for (const [path, init] of [
        ['/v1/memories?user_id=maya', {}],
        ['/v1/memories', asJson(MEMORY)],
        ['/v1/memories/search', asJson('{"user_id":"maya","query":"locker"}')],
        ['/mcp', asJson(MCP)],
        ['/admin/queues/api/queues', {}],
        ['/health', {}],
        ['/metrics', {}],
      ] as const) {
        expect(await fetchIn(page, path, init)).toMatch(/^basic 403 .*"host_not_allowed"/);
      }
      await page.close();
      expect(await everything()).toBe(before);
    },
  );
});

describe('pages that may call', () => {
  test('the reference page, which tries a request out', async () => {
    const page = await pageAt(`${gateway}/docs`);
    await page.locator('.opblock-summary-path').first().waitFor();
    expect(await fetchIn(page, '/v1/memories?user_id=maya')).toContain('quetzal');
    await page.close();
  });

  test('the queue board', async () => {
    const page = await pageAt(`${gateway}/admin/queues`);
    await page.getByText('extraction').first().waitFor();
    await page.close();
  });

  test('a page of a configured origin', async () => {
    const page = await pageAt(`http://app.example:${site.port}/`);
    expect(await fetchIn(page, `${gateway}/v1/memories?user_id=maya`)).toMatch(/^cors 200 .*quetzal/);
    expect(
      await fetchIn(page, `${gateway}/v1/memories`, asJson('{"user_id":"ana","content":"Likes figs."}')),
    ).toMatch(/^cors 201 /);
    await page.close();
  });
});
