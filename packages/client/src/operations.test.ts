import { type Operation, OPERATIONS as CONTRACT } from '@factmill/contracts';
import { describe, expect, test } from '@jest/globals';
import { collect } from './collect.fixture.ts';
import { type Client, createClient } from './create-client.ts';
import { OPERATIONS } from './operations.ts';

type Sent = Readonly<{ method: string; url: URL; headers: Headers; body: unknown }>;

const ID = '0199f3a0-0000-7000-8000-000000000001';
const HOUR = '2026-11-21T10:00:00Z';
const said = [{ role: 'user' as const, content: 'I live in Lisbon.' }];

/** Every method of the client, called with as much as it takes. */
const CALLS: Readonly<Record<string, (client: Client) => unknown>> = {
  'conversations.create': ({ conversations }) => conversations.create({ title: 'Home', project: 'p' }),
  'conversations.list': ({ conversations }) => conversations.list({ project: 'p', limit: 5, cursor: 'c' }),
  'conversations.listAll': ({ conversations }) => collect(conversations.listAll({ project: 'p' })),
  'conversations.get': ({ conversations }) => conversations.get('a b/c?d'),
  'conversations.patch': ({ conversations }) => conversations.patch('c', { title: null }),
  'conversations.delete': ({ conversations }) => conversations.delete('c'),
  'conversations.messages': ({ conversations }) => conversations.messages('c', { superseded: false }),
  'conversations.allMessages': ({ conversations }) => collect(conversations.allMessages('c')),
  'conversations.post': ({ conversations }) =>
    conversations.post('c', { messages: said, extract: 'now', regenerated: false }),
  'conversations.flush': ({ conversations }) => conversations.flush('c'),
  'extractions.create': ({ extractions }) => extractions.create({ messages: said, preset: 'standard' }),
  'extractions.list': ({ extractions }) => extractions.list({ state: 'failed', since: HOUR }),
  'extractions.listAll': ({ extractions }) => collect(extractions.listAll()),
  'extractions.get': ({ extractions }) => extractions.get(ID),
  'extractions.timeline': ({ extractions }) => extractions.timeline(ID),
  'extractions.answers': ({ extractions }) => extractions.answers(ID),
  'extractions.counts': ({ extractions }) => extractions.counts({ since: HOUR }),
  'extractions.series': ({ extractions }) => extractions.series({ interval: 'day' }),
  'extractions.waitFor': ({ extractions }) => extractions.waitFor(ID),
  'extractions.replay': ({ extractions }) => extractions.replay(ID),
  'extractions.replayAll': ({ extractions }) => extractions.replayAll({ state: 'dropped', until: HOUR }),
  'memories.create': ({ memories }) => memories.create({ key: 'home', value: 'Lisbon', tags: ['a'] }),
  'memories.batch': ({ memories }) => memories.batch({ memories: [{ content: 'Bees.' }] }),
  'memories.import': ({ memories }) =>
    memories.import({ source: 'openclaw', items: [{ id: '1', content: 'Bees.' }] }),
  'memories.list': ({ memories }) =>
    memories.list({ tier: 1, offset: 20, sort_by: 'importance', order: 'asc', q: 'a&b=c' }),
  'memories.listAll': ({ memories }) => collect(memories.listAll({ tag: 'a' })),
  'memories.get': ({ memories }) => memories.get(ID),
  'memories.patch': ({ memories }) => memories.patch(ID, { importance: 1 }),
  'memories.delete': ({ memories }) => memories.delete(ID, { purge: true }),
  'memories.deleteByKey': ({ memories }) => memories.deleteByKey({ key: 'home', category: 'general' }),
  'memories.clear': ({ memories }) => memories.clear({ confirm: 'maya' }),
  'memories.history': ({ memories }) => memories.history(ID),
  'memories.sources': ({ memories }) => memories.sources(ID),
  'memories.neighbours': ({ memories }) => memories.neighbours(ID, { limit: 5 }),
  'memories.archive': ({ memories }) => memories.archive(ID),
  'memories.restore': ({ memories }) => memories.restore(ID),
  'memories.search': ({ memories }) => memories.search({ query: 'home', filters: { tags: ['a'] } }),
  'memories.stats': ({ memories }) => memories.stats(),
  'documents.put': ({ documents }) => documents.put({ content: 'The bins go out on Tuesdays.' }),
  'documents.list': ({ documents }) => documents.list({ limit: 1 }),
  'documents.listAll': ({ documents }) => collect(documents.listAll()),
  'documents.get': ({ documents }) => documents.get('house-rules'),
  'documents.delete': ({ documents }) => documents.delete('house-rules'),
  context: ({ context }) => context({ query: 'Where?', format: 'section' }),
  profile: ({ profile }) => profile(),
  'summary.get': ({ summary }) => summary.get({ conversation_id: 'c' }),
  'summary.put': ({ summary }) => summary.put({ content: 'Maya lives in Lisbon.' }),
  'summary.delete': ({ summary }) => summary.delete(),
  'users.list': ({ users }) => users.list({ prefix: 'team a/', contains: 'eve', limit: 5 }),
  'users.listAll': ({ users }) => collect(users.listAll()),
  'users.get': ({ users }) => users.get('a b/c'),
  'users.patch': ({ users }) => users.patch('ada', { memory: false, preset: null }),
  'users.erase': ({ users }) => users.erase('a b/c'),
  'users.erasure': ({ users }) => users.erasure(ID),
  'users.export': ({ users }) => users.export('a b/c', { format: 'markdown' }),
  'users.import': ({ users }) => users.import('a b/c', '{}\n'),
  'tenant.stats': ({ tenant }) => tenant.stats(),
  'tenant.export': ({ tenant }) => tenant.export(),
  'tenant.import': ({ tenant }) => tenant.import('{}\n'),
  'audit.list': ({ audit }) => audit.list({ action: 'user.erased', limit: 5 }),
  'audit.listAll': ({ audit }) => collect(audit.listAll()),
  'audit.verify': ({ audit }) => audit.verify({ number: 3, hash: 'ab'.repeat(32) }),
  'retention.get': ({ retention }) => retention.get(),
  'retention.set': ({ retention }) => retention.set({ messages_days: 30, audit_days: null }),
  'retention.run': ({ retention }) => retention.run({ dry_run: true }),
  'retention.runs': ({ retention }) => retention.runs({ limit: 5 }),
  'retention.allRuns': ({ retention }) => collect(retention.allRuns()),
  'retention.receipt': ({ retention }) => retention.receipt(ID),
  'legalHolds.place': ({ legalHolds }) => legalHolds.place(),
  'legalHolds.list': ({ legalHolds }) => legalHolds.list({ limit: 5 }),
  'legalHolds.listAll': ({ legalHolds }) => collect(legalHolds.listAll()),
  'legalHolds.lift': ({ legalHolds }) => legalHolds.lift(ID),
  'replays.start': ({ replays }) => replays.start({ preset: 'standard', dry_run: true }),
  'replays.list': ({ replays }) => replays.list({ limit: 5 }),
  'replays.listAll': ({ replays }) => collect(replays.listAll()),
  'replays.get': ({ replays }) => replays.get(ID),
  'replays.diff': ({ replays }) => replays.diff(ID, { change: 'gone', limit: 5 }),
  'replays.allOfDiff': ({ replays }) => collect(replays.allOfDiff(ID)),
  'replays.diffText': ({ replays }) => replays.diffText(ID),
  'replays.apply': ({ replays }) => replays.apply(ID),
  'replays.undo': ({ replays }) => replays.undo(ID),
  'replays.discard': ({ replays }) => replays.discard(ID),
  'replays.delete': ({ replays }) => replays.delete(ID),
  'tools.definition': ({ tools }) => tools.definition(),
  'tools.call': ({ tools }) => tools.call({ action: 'save', key: 'home', value: 'Lisbon' }),
  'apiKeys.create': ({ apiKeys }) => apiKeys.create({ name: 'app', permissions: ['memory.read'] }),
  'apiKeys.list': ({ apiKeys }) => apiKeys.list(),
  'apiKeys.listAll': ({ apiKeys }) => collect(apiKeys.listAll()),
  'apiKeys.rotate': ({ apiKeys }) => apiKeys.rotate('0123456789abcdef', { overlap_seconds: 60 }),
  'apiKeys.revoke': ({ apiKeys }) => apiKeys.revoke('0123456789abcdef'),
  'queue.pressure': ({ queue }) => queue.pressure({ target_wait_seconds: 10 }),
  usage: ({ usage }) => usage({ since: '2026-11-01', group_by: 'user,day' }),
  'tenants.create': ({ tenants }) => tenants.create({ name: 'acme', default_preset: 'tiered' }),
  'tenants.list': ({ tenants }) => tenants.list({ limit: 5 }),
  'tenants.listAll': ({ tenants }) => collect(tenants.listAll()),
  'tenants.get': ({ tenants }) => tenants.get(ID),
  'tenants.patch': ({ tenants }) => tenants.patch(ID, { limits: { key_per_second: 5 } }),
  'settings.list': ({ settings }) => settings.list(),
  'settings.set': ({ settings }) => settings.set('queue.limit', 60),
  'settings.unset': ({ settings }) => settings.unset('queue.limit'),
  'compressions.start': ({ compressions }) =>
    compressions.start({ kind: 'daily', date: '2026-05-10', dry_run: true }),
  'compressions.list': ({ compressions }) => compressions.list({ limit: 5 }),
  'compressions.listAll': ({ compressions }) => collect(compressions.listAll()),
  'compressions.get': ({ compressions }) => compressions.get(ID),
  'vectors.count': ({ vectors }) => vectors.count({ model: 'm' }),
  'vectors.backfill': ({ vectors }) => vectors.backfill(),
  'vectors.rebuild': ({ vectors }) => vectors.rebuild(),
  'vectors.dropOld': ({ vectors }) => vectors.dropOld(),
  'events.list': ({ events }) =>
    events.list({ after: '7-1', types: ['memory.created', 'user.erased'], wait: 5 }),
  'events.stream': ({ events }) => events.stream({ after: '7-1', types: ['memory.created'] }).next(),
  'webhooks.create': ({ webhooks }) =>
    webhooks.create({ url: 'https://hooks.example.com/', types: ['memory.created'] }),
  'webhooks.list': ({ webhooks }) => webhooks.list(),
  'webhooks.get': ({ webhooks }) => webhooks.get(ID),
  'webhooks.patch': ({ webhooks }) => webhooks.patch(ID, { enabled: true, types: null }),
  'webhooks.delete': ({ webhooks }) => webhooks.delete(ID),
  'webhooks.rotateSecret': ({ webhooks }) => webhooks.rotateSecret(ID),
  'webhooks.test': ({ webhooks }) => webhooks.test(ID),
  'webhooks.deliveries': ({ webhooks }) => webhooks.deliveries(ID, { state: 'pending', limit: 5 }),
  'webhooks.replay': ({ webhooks }) => webhooks.replay(ID, { after: '7-1', until: '9-2' }),
  'session.get': ({ session }) => session.get(),
  'session.create': ({ session }) => session.create('fm_key'),
  'session.end': ({ session }) => session.end(),
  'chat.complete': ({ chat }) => chat.complete({ model: 'm', messages: said, memory_id: 'c' }),
  'chat.stream': ({ chat }) => collect(chat.stream({ model: 'm', messages: said })),
};

/** Of the console, which is no part of the contract for programs. */
const SESSIONS = ['GET', 'POST', 'DELETE'].map((method) => `${method} /console/session`);

/** A client whose requests are kept; each is answered with something that fits every method. */
function recording(userId?: string): { client: Client; sent: Sent[] } {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://factmill.test/base/',
    apiKey: 'fm_key',
    userId,
    fetch: (url, init) => {
      const { method = '', body } = init ?? {};
      const json: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
      sent.push({ method, url: new URL(url as string), headers: new Headers(init?.headers), body: json });
      const isStream = (json as { stream?: boolean } | undefined)?.stream === true;
      return Promise.resolve(
        isStream
          ? new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
          : Response.json({ data: [], next_cursor: null, state: 'done' }),
      );
    },
  });
  return { client, sent };
}

function operationOf({ method, url }: Sent): Operation | undefined {
  const path = url.pathname.replace(/^\/base/, '');
  const fits = (operation: Operation) =>
    operation.method === method.toLowerCase() &&
    new RegExp(`^${operation.path.replace('{id}', '[^/]+')}$`).test(path);
  // The most literal one: `/v1/extractions/replay` is no id.
  return CONTRACT.filter(fits).sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

function methodNames(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'function' ? [prefix + name] : methodNames(member as object, `${prefix}${name}.`),
  );
}

describe('the client', () => {
  test('has a method for every operation of the contract, and none for anything else but chats and sessions', () => {
    const described = CONTRACT.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const offered = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(offered)].sort()).toEqual(
      [...described, 'POST /v1/chat/completions', ...SESSIONS].sort(),
    );
  });

  test('has no method that these tests leave out', () => {
    expect(methodNames(recording().client).sort()).toEqual(Object.keys(CALLS).sort());
  });

  test('reaches every operation', async () => {
    const { client, sent } = recording();
    for (const call of Object.values(CALLS)) await call(client);
    expect(new Set(sent.map(operationOf))).toEqual(new Set([...CONTRACT, undefined]));
  });

  test.each(Object.entries(CALLS))('%s sends what the contract takes, for its user', async (name, call) => {
    const { client, sent } = recording('maya');
    await call(client);
    expect(sent).toHaveLength(1);
    const [request] = sent as [Sent];
    expect(request.headers.get('authorization')).toBe('Bearer fm_key');
    if (name.startsWith('chat.')) {
      expect(request.url.pathname).toBe('/base/v1/chat/completions');
      expect(request.body).toMatchObject({ user: 'maya', stream: name === 'chat.stream' });
      return;
    }
    if (name.startsWith('session.')) {
      expect(SESSIONS).toContain(`${request.method} ${request.url.pathname.replace('/base', '')}`);
      expect(request).toMatchObject({ body: undefined, url: { search: '' } });
      return;
    }
    const operation = operationOf(request);
    const query = Object.fromEntries(request.url.searchParams);
    expect(operation?.query?.parse(query)).toEqual(
      operation?.query === undefined ? undefined : expect.anything(),
    );
    if (operation?.query === undefined && name !== 'memories.restore') expect(query).toEqual({});
    const sends = operation?.body ?? operation?.bodyType;
    expect(request.body === undefined).toBe(sends === undefined);
    operation?.body?.parse(request.body);
    const user = query['user_id'] ?? (request.body as Record<string, unknown> | undefined)?.['user_id'];
    const isOfOneUser =
      !/^(?:apiKeys|audit|legalHolds|queue|retention|settings|tenants?|users|vectors|webhooks)\.|^usage$|^tools.definition$|^extractions\.(?:answers|get|replay|timeline|waitFor)$|^compressions\.get$|^replays\.(?!start|list)/.test(
        name,
      );
    expect(user).toBe(isOfOneUser ? 'maya' : undefined);
    expect(request.headers.get('content-type')).toBe(
      request.body === undefined ? null : (operation?.bodyType ?? 'application/json'),
    );
    expect(request.headers.has('idempotency-key')).toBe(operation?.idempotent === true);
  });

  test('the call’s user overrides the client’s; `all_users` names none', async () => {
    const { client, sent } = recording('maya');
    await client.memories.list({ user_id: 'noah' });
    await client.memories.search({ query: 'x', user_id: 'noah' });
    await client.memories.list({ all_users: true });
    await client.memories.search({ query: 'x', all_users: true });
    await client.chat.complete({ model: 'm', messages: said, user: 'noah' });
    await client.chat.complete({ model: 'm', messages: said, user_id: 'noah' });
    expect(sent.map(({ url, body }) => [url.search, body])).toEqual([
      ['?user_id=noah', undefined],
      ['', { query: 'x', user_id: 'noah' }],
      ['?all_users=true', undefined],
      ['', { query: 'x', all_users: true }],
      ['', { model: 'm', messages: said, user: 'noah', stream: false }],
      ['', { model: 'm', messages: said, user_id: 'noah', stream: false }],
    ]);
  });

  test('ids stay inside their segment of the path; what no path can name is refused', async () => {
    const { client, sent } = recording();
    await client.conversations.get('a b/../c?d#e%2f');
    expect(sent[0]?.url.pathname).toBe('/base/v1/conversations/a%20b%2F..%2Fc%3Fd%23e%252f');
    for (const id of ['', '.', '..']) {
      await expect(client.memories.delete(id)).rejects.toThrow('An id is not empty');
    }
    expect(sent).toHaveLength(1);
  });

  test('a base URL that is none is refused at once', () => {
    expect(() => createClient({ baseUrl: 'factmill' })).toThrow('Invalid URL');
    expect(() => createClient({ baseUrl: 'ftp://factmill.test' })).toThrow('http');
  });
});
