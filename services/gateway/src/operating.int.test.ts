import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATIONS, PERMISSIONS } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADMIN_KEY, type GatewayUnderTest, said, startGateway } from './gateway.fixture.ts';

let gateway: GatewayUnderTest;
let retrieval: Server;
let retrievalIs: 'ready' | 'missing' | 'hanging' = 'ready';
beforeAll(async () => {
  retrieval = createServer((_request, response) => {
    if (retrievalIs !== 'hanging') response.writeHead(retrievalIs === 'ready' ? 200 : 503).end();
  });
  await new Promise<void>((resolve) => retrieval.listen(0, '127.0.0.1', resolve));
  const { port } = retrieval.address() as AddressInfo;
  gateway = await startGateway({ RETRIEVAL_URL: `http://127.0.0.1:${port}` });
  await gateway.call('POST', '/v1/extractions', {
    body: { user_id: 'ada', messages: [said('I live in Utrecht.')] },
  });
});
afterAll(async () => {
  await gateway.close();
  retrieval.closeAllConnections();
  await new Promise((resolve) => retrieval.close(resolve));
});

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` });

describe('Bull Board', () => {
  const board = (method: string, path: string, headers: Record<string, string> = {}, of = gateway) =>
    of.call(method, `/admin/queues${path}`, { key: null, headers });

  test('asks a browser for the key', async () => {
    for (const headers of [{}, basic('wrong')]) {
      const answer = await board('GET', '/', headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
    expect((await board('GET', '/api/queues')).status).toBe(401);
  });

  test('shows the queues to operators, and loads nothing from elsewhere', async () => {
    const reader = await gateway.makeKey({ permissions: ['operator'] });
    const page = await board('GET', '/', basic(reader));
    expect(page.status).toBe(200);
    expect(page.headers.has('www-authenticate')).toBe(false);
    expect(page.text).toContain('Factmill queues');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toContain('http');
    const scripts = [...page.text.matchAll(/src="([^"]+\.js)"/g)].map((match) => match[1] ?? '');
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      const path = new URL(script, `${gateway.url}/admin/queues/`).pathname;
      expect((await gateway.call('GET', path, { key: null, headers: basic(reader) })).status).toBe(200);
    }
    const queues = await board('GET', '/api/queues', basic(reader));
    expect(queues.body.queues.map((queue: { name: string }) => queue.name)).toEqual([
      'extraction',
      'compression',
      'maintenance',
    ]);
    expect(queues.body.queues[0].counts.waiting).toBe(1);
    expect(queues.text).not.toContain('Utrecht');
  });

  test('is closed to all others, administrators of a tenant among them', async () => {
    const others = PERMISSIONS.filter((permission) => permission !== 'operator');
    const key = await gateway.makeKey({ tenant: 'another', permissions: others });
    expect((await board('GET', '/', basic(key))).status).toBe(403);
    expect((await board('GET', '/api/queues', basic(key))).status).toBe(403);
  });

  test('is read-only, also for operators, unless opted in', async () => {
    const operator = await gateway.makeKey({ permissions: ['operator'] });
    const pause = '/api/queues/extraction/pause';
    for (const key of [operator, ADMIN_KEY]) {
      expect((await board('PUT', pause, basic(key))).status).toBe(405);
    }
    const open = await startGateway({ BULL_BOARD_WRITABLE: 'true' });
    try {
      const admin = await open.makeKey({ permissions: ['admin', 'queue.read', 'queue.write'] });
      expect((await board('PUT', pause, basic(admin), open)).status).toBe(403);
      const may = await open.makeKey({ permissions: ['operator'] });
      expect((await board('PUT', pause, basic(may), open)).status).toBe(200);
    } finally {
      await open.close();
    }
  });
});

describe('the reference', () => {
  test('is a page whose every file comes from here', async () => {
    const page = await gateway.call('GET', '/docs', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    const loaded = files.filter((file) => !file.startsWith('data:'));
    expect(loaded).toHaveLength(3);
    for (const file of loaded) {
      expect(file).toMatch(/^\/docs\//);
      const asset = await gateway.call('GET', file, { key: null });
      expect(asset.status).toBe(200);
      expect(asset.text.length).toBeGreaterThan(50);
      expect(asset.headers.get('content-type')).toMatch(/javascript|css/);
    }
    expect((await gateway.call('GET', '/docs/start.js', { key: null })).text).not.toMatch(/https?:/);
  });

  test('does not hand out other files', async () => {
    for (const path of [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/%00',
    ]) {
      const answer = await gateway.call('GET', path, { key: null });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
  });

  test('shows the document of every operation', async () => {
    const answer = await gateway.call('GET', '/openapi.json', { key: null });
    expect(answer.body.openapi).toBe('3.1.0');
    for (const { method, path } of OPERATIONS) expect(answer.body.paths[path][method]).toBeDefined();
  });
});

describe('operations', () => {
  test('/health says how it is set up, and no secret', async () => {
    const answer = await gateway.call('GET', '/health', { key: null });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        service: 'gateway',
        auth: 'required',
        storage: 'postgres',
        queue: 'redis',
        extraction: 'extractive',
      },
    });
    expect(answer.text).not.toMatch(/redis:|postgres:|127\.0\.0\.1|administrators/);
    expect((await gateway.call('GET', '/healthz', { key: null })).body).toEqual({ alive: true, reasons: [] });
    expect((await gateway.call('GET', '/readyz', { key: null })).body).toEqual({ ready: true, missing: [] });
  });

  test.each(['missing', 'hanging'] as const)(
    '/health says that it is degraded while retrieval is %s, and it serves all the same',
    async (state) => {
      const health = () => gateway.call('GET', '/health', { key: null });
      const becomes = (status: string) =>
        waitFor(async () => (await health()).body.status === status, { describe: `health to be ${status}` });
      await becomes('ok');
      retrievalIs = state;
      await becomes('degraded');
      expect((await health()).body).toMatchObject({ impaired: ['retrieval'] });
      const ready = await gateway.call('GET', '/readyz', { key: null });
      expect(ready).toMatchObject({ status: 200, body: { ready: true, missing: [] } });
      retrievalIs = 'ready';
      await becomes('ok');
    },
  );

  test('/metrics has every counter at 0, and counts what is accepted', async () => {
    const metrics = async () => (await gateway.call('GET', '/metrics', { key: null })).text;
    const valueOf = (text: string, name: string) => {
      const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    const before = await metrics();
    for (const name of ['enqueue_missed', 'extractions_dropped', 'chat_turns_lost'])
      expect(valueOf(before, `factmill_${name}_total`)).toBe(0);
    expect(before).toMatch(/^factmill_database_connections\{[^}]*state="waiting"[^}]*\} 0/m);
    const body = { user_id: 'ada', messages: [said('I sing.', { id: 'a' }), said('I dance.', { id: 'b' })] };
    const post = (sent: unknown) =>
      gateway.call('POST', '/v1/conversations/counted/messages', { body: sent });
    await post(body);
    await post({ ...body, messages: [said('I swim.', { id: 'a' })] });
    const name = 'factmill_messages_accepted_total';
    expect(valueOf(await metrics(), name)).toBe((valueOf(before, name) ?? Number.NaN) + 2);
  });

  test('/metrics has the service’s own measurements, with bounded labels', async () => {
    await gateway.call('GET', '/v1/memories/01930000-0000-7000-8000-00000000000a');
    const { status, text } = await gateway.call('GET', '/metrics', { key: null });
    expect(status).toBe(200);
    expect(text).toMatch(
      /factmill_http_request_duration_seconds_bucket\{[^}]*route="\/v1\/extractions\/?"[^}]*status="202"/,
    );
    expect(text).toContain('route="/v1/memories/:id"');
    expect(text).not.toMatch(/01930000|Utrecht|"ada"/);
  });
});
