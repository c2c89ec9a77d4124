import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PERMISSIONS } from '@factmill/contracts';
import { type Answer, type Call, type GatewayUnderTest, send, startGateway } from '../gateway.fixture.ts';

/** What the browser of a person keeps and sends. */
type Browser = Readonly<{
  cookie: string;
  call: (method: string, path: string, call?: Call, url?: string) => Promise<Answer>;
}>;

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const NOTE = { content: 'A note.', user_id: 'ada' };
const HOUR_MS = 3_600_000;

let now = new Date();
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

let retrieval: Server;
let forwarded: unknown;
let gateway: GatewayUnderTest;
let shared: Record<string, string>;
beforeAll(async () => {
  retrieval = createServer((request, response) => {
    forwarded = request.headers.cookie;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
  });
  await new Promise<void>((resolve) => retrieval.listen(0, '127.0.0.1', resolve));
  const { port } = retrieval.address() as AddressInfo;
  const own = { RETRIEVAL_URL: `http://127.0.0.1:${port}`, ALLOWED_ORIGINS: 'https://app.example.com' };
  gateway = await startGateway(own, () => now);
  shared = { ...own, DATABASE_URL: gateway.config.storage.databaseUrl ?? '' };
});
afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => retrieval.close(resolve));
});

function signIn(key: string | null, url = gateway.url, headers: Record<string, string> = {}) {
  return send(url, 'POST', '/console/session', { key, headers: { ...OWN_PAGE, ...headers } });
}

async function browserOf(key: string, url = gateway.url): Promise<Browser> {
  const answer = await signIn(key, url);
  expect(answer.status).toBe(200);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const token = cookie.split('=')[1] ?? '';
  return {
    cookie,
    call: (method, path, call = {}, at = url) =>
      send(at, method, path, {
        ...call,
        key: null,
        headers: { ...OWN_PAGE, ...call.headers, cookie: cookieAt(at, token) },
      }),
  };
}

/** The cookie of a session as a browser sends it to this address. */
function cookieAt(url: string, token: string): string {
  return `factmill_session_${new URL(url).port}=${token}`;
}

const problemOf = ({ status, body }: Answer) => [status, (body as { code?: string } | null)?.code];
const keyIdOf = (key: string) => key.slice(3, 19);

describe('a session', () => {
  test('stands for its key, in a cookie that scripts and other sites do not get', async () => {
    const key = await gateway.makeKey({ permissions: ['admin'], userId: 'ada', name: 'Ada’s key' });
    const answer = await signIn(key);
    const session = {
      key_id: keyIdOf(key),
      key_name: 'Ada’s key',
      permissions: PERMISSIONS.filter((name) => name !== 'operator'),
      user_id: 'ada',
      user_locked: false,
      expires_at: new Date(now.getTime() + 12 * HOUR_MS).toISOString(),
      idle_seconds: 3_600,
    };
    const said = { signed_in: true, auth: 'required', writable: true, queue_board: null, session };
    expect(answer).toMatchObject({ status: 200, body: said });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^factmill_session_\d+=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    const browser = await browserOf(key);
    expect(await browser.call('GET', '/console/session')).toMatchObject({ status: 200, body: said });
    expect((await browser.call('GET', '/v1/api-keys')).status).toBe(200);
    expect((await browser.call('POST', '/v1/memories', { body: NOTE })).status).toBe(201);
  });

  test('goes by https only where the page came by https', async () => {
    const host = new URL(gateway.url).host;
    const answer = await signIn(await gateway.makeKey({}), gateway.url, { origin: `https://${host}` });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-factmill_session_\d+=[\w-]{43};.* Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('is in the browser beside those of other instances on the same host', async () => {
    const other = await gateway.another({});
    const [here, there] = [
      await browserOf(await gateway.makeKey({ name: 'here', permissions: ['admin'] })),
      await browserOf(await gateway.makeKey({ name: 'there', permissions: ['admin'] }), other.url),
    ];
    // Browsers send the cookies of all ports of a host to each of them.
    const cookie = `theme=dark; ${there.cookie}; ${here.cookie}`;
    const nameAt = async (url: string) =>
      (await send(url, 'GET', '/console/session', { key: null, headers: { cookie } })).body.session.key_name;
    expect([await nameAt(gateway.url), await nameAt(other.url)]).toEqual(['here', 'there']);
    const out = { key: null, headers: { ...OWN_PAGE, cookie } };
    const ended = await send(other.url, 'DELETE', '/console/session', out);
    const port = new URL(other.url).port;
    expect(ended.headers.getSetCookie().map((set) => set.split('=')[0])).toEqual([
      `factmill_session_${port}`,
      `__Host-factmill_session_${port}`,
    ]);
    expect(await nameAt(gateway.url)).toBe('here');
  });

  test('is stored without anything that opens it, and is in the audit', async () => {
    const key = await gateway.makeKey({ tenant: 'audited', permissions: ['admin'] });
    const browser = await browserOf(key);
    const { rows } = await gateway.database.query<{ row: string }>(
      `select row_to_json(s)::text as row from console_sessions s where key_id = $1::text`,
      [keyIdOf(key)],
    );
    expect(rows).toHaveLength(1);
    const token = Buffer.from(browser.cookie.split('=')[1] ?? '');
    expect(rows[0]?.row).not.toContain(token.toString('hex'));
    expect((await browser.call('DELETE', '/console/session')).status).toBe(204);
    const audit = await gateway.call('GET', '/v1/audit', { key });
    expect(audit.body.data).toMatchObject([
      { action: 'session.ended', actor: `api-key:${keyIdOf(key)}` },
      { action: 'session.started', actor: `api-key:${keyIdOf(key)}` },
    ]);
  });

  test('may do what its key may, and searches too', async () => {
    const reader = await browserOf(await gateway.makeKey({ permissions: ['memory.read'], userId: 'ada' }));
    expect(problemOf(await reader.call('POST', '/v1/memories', { body: NOTE }))).toEqual([403, 'forbidden']);
    expect(problemOf(await reader.call('GET', '/v1/users'))).toEqual([403, 'forbidden']);
    const search = await reader.call('POST', '/v1/memories/search', { body: { query: 'note' } });
    expect([search.status, forwarded]).toEqual([200, reader.cookie.replace(/_\d+=/, '=')]);
  });

  test('is no key where the console has nothing to do', async () => {
    const browser = await browserOf(await gateway.makeKey({ permissions: ['admin', 'operator'] }));
    for (const [method, path] of [
      ['POST', '/v1/chat/completions'],
      ['POST', '/v1/tools/memory'],
      ['GET', '/v1/tools/memory'],
      ['POST', '/v1/import'],
      ['POST', '/mcp'],
      ['GET', '/admin/queues'],
    ] as const) {
      const answer = await browser.call(method, path, method === 'POST' ? { body: {} } : {});
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });
});

describe('nobody’s request', () => {
  test('is told that nobody is signed in, and gets nothing else', async () => {
    const asked = await gateway.call('GET', '/console/session', { key: null });
    expect(asked).toMatchObject({
      status: 200,
      body: { signed_in: false, session: null, queue_board: null },
    });
    expect(asked.headers.getSetCookie()).toEqual([]);
    expect(problemOf(await signIn(null))).toEqual([401, 'unauthorized']);
    expect(problemOf(await signIn('fm_0123456789abcdef_' + 'x'.repeat(43)))).toEqual([401, 'unauthorized']);
    const cookie = cookieAt(gateway.url, 'x'.repeat(43));
    const guessed = { key: null, headers: { cookie } };
    expect(problemOf(await gateway.call('GET', '/v1/memories', guessed))).toEqual([401, 'session_ended']);
    const stale = await gateway.call('GET', '/console/session', guessed);
    expect(stale).toMatchObject({ status: 200, body: { signed_in: false } });
    expect(stale.headers.getSetCookie().join()).toMatch(
      /factmill_session_\d+=; Path=\/; Expires=Thu, 01 Jan 1970/,
    );
  });

  test('is limited: wrong keys and guessed sessions alike', async () => {
    const strict = await gateway.another({ AUTH_FAILURES_PER_MINUTE: '2' });
    const wrong = (at: number) => `fm_0123456789abcdef_${String(at).repeat(43)}`;
    const statuses: number[] = [];
    for (const at of [1, 2, 3]) statuses.push((await signIn(wrong(at), strict.url)).status);
    expect(statuses).toEqual([401, 401, 429]);
    const cookie = cookieAt(strict.url, 'x'.repeat(43));
    const guessed = await send(strict.url, 'GET', '/v1/memories', { key: null, headers: { cookie } });
    expect(guessed.status).toBe(429);
  });
});

describe('changes by a session', () => {
  test.each<[string, Record<string, string>]>([
    ['says nothing', {}],
    ['comes from a subdomain', { 'sec-fetch-site': 'same-site' }],
    ['comes from an allowed origin', { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' }],
    ['comes from an allowed origin, of an old browser', { origin: 'https://app.example.com' }],
  ])('are refused when the request %s', async (_case, headers) => {
    const { cookie } = await browserOf(await gateway.makeKey({}));
    const call = { key: null, body: NOTE, headers: { ...headers, cookie } };
    expect(problemOf(await gateway.call('POST', '/v1/memories', call))).toEqual([403, 'origin_not_allowed']);
  });

  test('are refused while the console is read-only; reading, searching and signing out are not', async () => {
    const key = await gateway.makeKey({ userId: 'ada' });
    const { url } = await gateway.another({ CONSOLE_WRITABLE: 'false' });
    const browser = await browserOf(key, url);
    expect((await browser.call('GET', '/console/session')).body).toMatchObject({ writable: false });
    expect(problemOf(await browser.call('POST', '/v1/memories', { body: NOTE }))).toEqual([
      403,
      'console_read_only',
    ]);
    expect((await browser.call('POST', '/v1/memories/search', { body: { query: 'note' } })).status).toBe(200);
    expect((await browser.call('GET', '/v1/memories')).status).toBe(200);
    expect((await send(url, 'POST', '/v1/memories', { key, body: NOTE })).status).toBe(201);
    expect((await browser.call('DELETE', '/console/session')).status).toBe(204);
    expect(problemOf(await browser.call('GET', '/v1/memories'))).toEqual([401, 'session_ended']);
  });
});

describe('a session ends', () => {
  const isAlive = async (browser: Browser, url?: string) =>
    (await browser.call('GET', '/v1/memories?user_id=ada', {}, url)).status === 200;

  test.each<[string, string]>([
    ['is revoked', 'revoked_at = now()'],
    ['is gone', 'id = id'],
    ['has a new secret and the old one ended', `secret_sha256 = '\\x00', previous_sha256 = null`],
  ])('within ten seconds after its key %s', async (how, change) => {
    const key = await gateway.makeKey({});
    const browser = await browserOf(key);
    expect(await isAlive(browser)).toBe(true);
    await gateway.database.query(
      how === 'is gone'
        ? 'delete from api_keys where id = $1::text'
        : `update api_keys set ${change} where id = $1::text`,
      [keyIdOf(key)],
    );
    pass(10_000);
    expect(problemOf(await browser.call('GET', '/v1/memories'))).toEqual([401, 'session_ended']);
  });

  test.each(['revoked_at = now()', 'expires_at = now()'])(
    'and the key that was in use a moment ago begins no other one (%s)',
    async (change) => {
      const key = await gateway.makeKey({});
      expect(await isAlive(await browserOf(key))).toBe(true);
      await gateway.database.query(`update api_keys set ${change} where id = $1::text`, [keyIdOf(key)]);
      pass(1_000);
      expect(problemOf(await signIn(key))).toEqual([401, 'unauthorized']);
    },
  );

  test('with the secret that it was made with, and has the permissions that the key has now', async () => {
    const key = await gateway.makeKey({ permissions: ['memory.read'] });
    const browser = await browserOf(key);
    const until = new Date(now.getTime() + 60_000).toISOString();
    await gateway.database.query(
      `update api_keys set previous_sha256 = secret_sha256, secret_sha256 = '\\x00', previous_until = $2::timestamptz,
         permissions = '{admin}' where id = $1::text`,
      [keyIdOf(key), until],
    );
    pass(10_000);
    expect((await browser.call('GET', '/v1/api-keys')).status).toBe(200);
    expect((await browser.call('GET', '/console/session')).body.session.expires_at).toBe(until);
    pass(50_000);
    expect(await isAlive(browser)).toBe(false);
  });

  test('when its key expires', async () => {
    const expiresAt = new Date(now.getTime() + 30_000);
    const browser = await browserOf(await gateway.makeKey({ expiresAt }));
    pass(29_000);
    expect(await isAlive(browser)).toBe(true);
    pass(1_000);
    expect(await isAlive(browser)).toBe(false);
  });

  test('after an hour without a request, and after twelve in any case', async () => {
    const [idle, busy] = [
      await browserOf(await gateway.makeKey({})),
      await browserOf(await gateway.makeKey({})),
    ];
    for (let hour = 0; hour < 12; hour += 1) {
      expect([hour, await isAlive(busy)]).toEqual([hour, true]);
      if (hour === 2) expect(await isAlive(idle)).toBe(false);
      pass(HOUR_MS - 1);
    }
    pass(12);
    expect(await isAlive(busy)).toBe(false);
  });

  test('and with it the stream of events that it has open', async () => {
    const key = await gateway.makeKey({ permissions: ['admin'] });
    const { cookie } = await browserOf(key);
    const response = await fetch(`${gateway.url}/v1/events?after=now`, {
      headers: { accept: 'text/event-stream', cookie },
    });
    expect(response.status).toBe(200);
    await gateway.database.query('update api_keys set revoked_at = now() where id = $1::text', [
      keyIdOf(key),
    ]);
    pass(10_000);
    expect(await response.text()).toMatch(/^retry: /);
  });

  test('on all gateways, which take each other’s sessions; another administrator’s key ends its own', async () => {
    const other = await startGateway(
      { ...shared, ADMIN_API_KEY: 'another-key-of-the-administrator' },
      () => now,
    );
    try {
      const browser = await browserOf(await gateway.makeKey({}));
      expect([await isAlive(browser), await isAlive(browser, other.url)]).toEqual([true, true]);
      const admin = await browserOf('administrators-key-for-tests');
      expect([await isAlive(admin), await isAlive(admin, other.url)]).toEqual([true, false]);
      await browser.call('DELETE', '/console/session');
      expect(await isAlive(browser)).toBe(false);
      pass(10_000);
      expect(await isAlive(browser, other.url)).toBe(false);
    } finally {
      await other.close();
    }
  });
});

test('without keys nobody signs in, and a session of another instance does no harm', async () => {
  const open = await startGateway({ ...shared, AUTH: 'none', CONSOLE_WRITABLE: 'false' });
  try {
    const headers = { ...OWN_PAGE, cookie: cookieAt(open.url, 'x'.repeat(43)) };
    const call = (method: string, path: string, more: Call = {}) =>
      open.call(method, path, { key: null, headers, ...more });
    const asked = await call('GET', '/console/session');
    expect(asked.body).toMatchObject({
      signed_in: true,
      auth: 'none',
      queue_board: '/admin/queues',
      session: { key_id: null, expires_at: null, idle_seconds: null },
    });
    expect((await call('GET', '/v1/memories?user_id=ada')).status).toBe(200);
    expect((await signIn(null, open.url)).headers.getSetCookie()).toEqual([]);
    // Nobody has a session to refuse here: what holds the console back is that it is a page of ours.
    expect(problemOf(await call('POST', '/v1/memories', { body: NOTE }))).toEqual([403, 'console_read_only']);
    expect((await call('POST', '/v1/memories', { body: NOTE, headers: {} })).status).toBe(201);
  } finally {
    await open.close();
  }
});
