import { afterEach, describe, expect, test } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFindProcesses } from './find-processes.ts';
import { rankProcesses } from './rank-processes.ts';
import { createRetrievalClient, type RetrievalClient } from './retrieval-client.ts';

const URLS = ['http://a:8081', 'http://b:8081', 'http://c:8081'];
const USERS = Array.from({ length: 600 }, (_, n) => ({ tenantId: 't', userId: `user-${n}` }));
const homeOf = (urls: readonly string[]) => USERS.map((user) => rankProcesses(urls, user)[0]);

describe('the process of a user', () => {
  test('is the same for every gateway, and each process has about as many users', () => {
    const home = homeOf(URLS);
    expect(homeOf(URLS.toReversed())).toEqual(home);
    for (const url of URLS) {
      const users = home.filter((one) => one === url).length;
      expect(users).toBeGreaterThan(150);
      expect(users).toBeLessThan(250);
    }
  });

  test('changes only for the users of a process that goes, and they go to their second best', () => {
    const left = URLS.slice(1);
    const expected = USERS.map((user) => rankProcesses(URLS, user).find((url) => url !== URLS[0]));
    expect(homeOf(left)).toEqual(expected);
    for (const user of USERS) {
      const [best, second] = rankProcesses(URLS, user);
      expect(rankProcesses(left, user)[0]).toBe(best === URLS[0] ? second : best);
    }
  });
});

describe('the processes behind a name', () => {
  const address = (text: string, family = 4): LookupAddress => ({ address: text, family });

  /** What is found by the second call, the first of which had the name looked up. */
  async function found(url: string, answers: readonly LookupAddress[] | Error): Promise<readonly string[]> {
    const asked: string[] = [];
    const find = createFindProcesses([url], {
      now: () => 0,
      lookup: async (name) => {
        asked.push(name);
        if (answers instanceof Error) throw answers;
        return answers;
      },
    });
    expect(find()).toEqual([url]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.length).toBeLessThanOrEqual(1);
    return find();
  }

  test('are its addresses, of one family', async () => {
    const two = [address('10.0.0.2'), address('10.0.0.1')];
    const expected = ['http://10.0.0.1:8081', 'http://10.0.0.2:8081'];
    expect(await found('http://retrieval:8081', two)).toEqual(expected);
    expect(await found('http://retrieval:8081', [address('fd00::1', 6), ...two])).toEqual(expected);
    expect(await found('http://retrieval:8081/x', [address('fd00::1', 6), address('fd00::2', 6)])).toEqual([
      'http://[fd00::1]:8081/x',
      'http://[fd00::2]:8081/x',
    ]);
  });

  test.each([
    ['http://retrieval:8081', [address('10.0.0.1')]],
    ['http://retrieval:8081', new Error('ENOTFOUND')],
    ['https://retrieval:8081', [address('10.0.0.1'), address('10.0.0.2')]],
    ['http://localhost:8081', [address('127.0.0.1'), address('127.0.0.2')]],
    ['http://127.0.0.1:8081', [address('127.0.0.1'), address('127.0.0.2')]],
  ])('%s stays as it is', async (url, answers) => {
    expect(await found(url, answers)).toEqual([url]);
  });
});

describe('calls', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await close(server);
  });
  async function close(server: Server): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  async function start(status = 200): Promise<{ url: string; server: Server; calls: () => number }> {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, server, calls: () => calls };
  }
  const post = (client: RetrievalClient, userId: string) =>
    client.post({
      path: '/v1/context',
      owner: { tenantId: 't', userId },
      headers: {},
      body: {},
      signal: AbortSignal.timeout(60_000),
    });

  test('go to the process of the user, to another one while that is away, and back', async () => {
    const started = [await start(), await start()] as const;
    const urls = started.map(({ url }) => url);
    let clock = 0;
    const client = createRetrievalClient({ urls, now: () => clock });
    const [best] = rankProcesses(urls, { tenantId: 't', userId: 'ada' });
    const [home, other] = started[0].url === best ? started : [started[1], started[0]];
    for (let n = 0; n < 3; n += 1) expect((await post(client, 'ada')).status).toBe(200);
    expect([home.calls(), other.calls()]).toEqual([3, 0]);

    const { port } = home.server.address() as AddressInfo;
    await close(home.server);
    expect((await post(client, 'ada')).status).toBe(200);
    expect((await post(client, 'ada')).status).toBe(200);
    expect(other.calls()).toBe(2);

    await new Promise<void>((resolve) => home.server.listen(port, '127.0.0.1', resolve));
    await post(client, 'ada');
    expect(other.calls()).toBe(3);
    clock += 2_001;
    await post(client, 'ada');
    expect([home.calls(), other.calls()]).toEqual([4, 3]);
    expect(await client.isReady(AbortSignal.timeout(60_000))).toBe(true);
  });

  test('an answer that is no success is one all the same; without any process there is none', async () => {
    const refusing = await start(503);
    const client = createRetrievalClient({ urls: [refusing.url], now: () => 0 });
    expect(await post(client, 'ada')).toMatchObject({ ok: false, status: 503 });
    expect(await client.isReady(AbortSignal.timeout(60_000))).toBe(false);
    await close(servers.pop() as Server);
    await expect(post(client, 'ada')).rejects.toThrow('fetch failed');
  });

  test('end with the signal, and ask no other process then', async () => {
    const [one, two] = [await start(), await start()];
    const client = createRetrievalClient({ urls: [one.url, two.url], now: () => 0 });
    const owner = { tenantId: 't', userId: 'ada' };
    const gone = { path: '/v1/context', owner, headers: {}, body: {}, signal: AbortSignal.abort() } as const;
    await expect(client.post(gone)).rejects.toMatchObject({ name: 'AbortError' });
    expect([one.calls(), two.calls()]).toEqual([0, 0]);
  });
});
