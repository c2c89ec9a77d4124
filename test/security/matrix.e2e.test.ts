import { type Operation, OPERATIONS, type Permission, PERMISSIONS } from '@factmill/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AccessStand, ADMIN_KEY, bearer, type Credential, startAccessStand } from './access-stand.ts';
import { type Planted, SAMPLES, takesUser, toCall } from './operation-samples.ts';
import {
  GATEWAY_ADDRESSES,
  GATEWAY_ROUTES,
  OPERATING_ROUTES,
  type UndocumentedRoute,
} from './undocumented-routes.ts';

/** Someone who asks; what they may do is derived from this, never written down per route. */
type Identity = Readonly<{
  name: string;
  credential: Credential;
  permissions: readonly Permission[];
  tenant: 'ours' | 'theirs';
  /** The user of requests that name none. */
  user: string | null;
  isLocked: boolean;
}>;

const OF_AN_APPLICATION: readonly Permission[] = ['memory.read', 'memory.write', 'chat'];
const EVERYTHING_OF_A_USER = PERMISSIONS.filter(
  (name) => !['memory.read_all', 'audit.read', 'admin', 'operator'].includes(name),
);

let stand: AccessStand;
let admin: string;
let ada: Planted;
let bob: Planted;
let strangers: readonly Identity[];
let locked: Identity;
let outsiders: readonly Identity[];
let insiders: readonly Identity[];

const stranger = (name: string, credential: Credential): Identity => ({
  name,
  credential,
  permissions: [],
  tenant: 'ours',
  user: null,
  isLocked: false,
});

beforeAll(async () => {
  stand = await startAccessStand();
  admin = await stand.makeKey({ permissions: ['admin'] });
  [ada, bob] = [await stand.plant(admin, 'ada'), await stand.plant(admin, 'bob')];
  const identity = async (name: string, key: Parameters<AccessStand['makeKey']>[0]): Promise<Identity> => ({
    name,
    credential: bearer(await stand.makeKey(key)),
    permissions: key.permissions ?? [],
    tenant: key.tenant === 'theirs' ? 'theirs' : 'ours',
    user: key.userId ?? null,
    isLocked: key.userLocked === true,
  });
  const expired = await stand.makeKey({ permissions: PERMISSIONS, expiresAt: new Date('2020-01-01') });
  const revoked = await stand.makeKey({ permissions: PERMISSIONS });
  await stand.database.query('update api_keys set revoked_at = now() where id = $1::text', [
    revoked.slice(3, 19),
  ]);
  strangers = [
    stranger('no key', {}),
    stranger('unknown key', bearer(`fm_${'0'.repeat(16)}_${'x'.repeat(43)}`)),
    stranger('wrong secret', bearer(`${admin.slice(0, 20)}${'x'.repeat(43)}`)),
    stranger('malformed key', { 'x-api-key': 'fm_short' }),
    stranger('foreign key', bearer('sk-somebody-elses')),
    stranger('expired key', bearer(expired)),
    stranger('revoked key', bearer(revoked)),
  ];
  locked = await identity('locked to another user', {
    permissions: EVERYTHING_OF_A_USER,
    userId: 'bob',
    userLocked: true,
  });
  outsiders = [
    await identity('other tenant', { tenant: 'theirs', permissions: ['admin'] }),
    locked,
    await identity('operator', { permissions: ['operator'] }),
  ];
  insiders = [
    ...(await Promise.all(
      PERMISSIONS.filter((name) => name !== 'operator').map((name) =>
        identity(`only ${name}`, { permissions: [name] }),
      ),
    )),
    await identity('application', { permissions: OF_AN_APPLICATION }),
    await identity('with a user', { permissions: OF_AN_APPLICATION, userId: 'bob' }),
    await identity('reads all', { permissions: ['memory.read', 'memory.write', 'memory.read_all'] }),
    await identity('admin and operator', { permissions: ['admin', 'operator'] }),
  ];
});
afterAll(() => stand.close());

const may = ({ permissions }: Identity, permission: Permission) =>
  permissions.includes(permission) || (permission !== 'operator' && permissions.includes('admin'));

type Variant = 'plain' | 'names ada' | 'all users';

function variantsOf(operation: Operation): Variant[] {
  return [
    'plain',
    ...(takesUser(operation) ? (['names ada'] as const) : []),
    ...(operation.acrossUsers === undefined ? [] : (['all users'] as const)),
  ];
}

/** Ways into something of a name that another tenant has too: the conversation, or what there is of a user, is made. */
const POSTS_MESSAGES = 'post /v1/conversations/{id}/messages';
const MAKES_ITS_OWN: readonly string[] = [POSTS_MESSAGES, 'post /v1/users/{id}/import'];

/** What an operation on ada's things has to answer; `served` is any success, or a conflict of states. */
function expectedOf(who: Identity, operation: Operation, variant: Variant): 401 | 403 | 404 | 'served' {
  if (strangers.includes(who)) return 401;
  if (!may(who, operation.permission)) return 403;
  if (variant === 'names ada' && who.isLocked) return 403;
  const isForAll =
    variant === 'all users' ||
    (variant === 'plain' && operation.acrossUsers === 'by_default' && who.user === null);
  if (isForAll && (who.isLocked || !may(who, 'memory.read_all'))) return 403;
  if (!operation.path.includes('{id}') || (who.tenant === 'ours' && !who.isLocked)) return 'served';
  const key = `${operation.method} ${operation.path}`;
  return MAKES_ITS_OWN.includes(key) && who.tenant === 'theirs' ? 'served' : 404;
}

/** Whether an answer has nothing of ada's: by whom, and what was asked for. */
function seesNothingOfAda(who: Identity, operation: Operation, variant: Variant): boolean {
  if (who.tenant === 'theirs' || who.isLocked || !may(who, operation.permission)) return true;
  return variant === 'plain' && who.user !== null && !operation.path.includes('{id}');
}

const ofAda = ({ secret, memories, extractions }: Planted) => [secret, memories, extractions];

/** Calls everything as someone and gives what was not as expected; reads first, deletions late. */
async function wrongAnswers(who: Identity, target: Planted, url = stand.gatewayUrl, operations = OPERATIONS) {
  const order = ['get', 'post', 'put', 'patch', 'delete'];
  const placeOf = (operation: Operation) =>
    `${operation.method} ${operation.path}` === POSTS_MESSAGES
      ? order.length
      : order.indexOf(operation.method);
  const sorted = operations.toSorted((left, right) => placeOf(left) - placeOf(right));
  const wrong: string[] = [];
  for (const operation of sorted) {
    for (const variant of variantsOf(operation)) {
      const { method, path, body } = toCall(operation, target, {
        ...(variant === 'names ada' ? { user: target.userId } : {}),
        allUsers: variant === 'all users',
      });
      const { status, text } = await stand.call(`${url}${path}`, who.credential, method, body);
      const expected = expectedOf(who, operation, variant);
      const isRight =
        expected === 'served' ? isServed(operation, status) : status === expected && text.includes('"code":');
      const leaked =
        seesNothingOfAda(who, operation, variant) && ofAda(target).some((part) => text.includes(part));
      if (isRight && !leaked) continue;
      wrong.push(
        `${who.name}: ${method} ${operation.path} (${variant}): ${status}, not ${expected}${leaked ? ', LEAK' : ''}`,
      );
    }
  }
  return wrong;
}

/** Writes may meet what an earlier one has left: a conflict, or something that is gone. */
function isServed({ method, status: declared }: Operation, status: number): boolean {
  if (method === 'get' || status < 300) return status === declared || status === 200;
  return status === 404 || status === 409 || status === 503;
}

/** All that is kept of ada, as the database has it. */
async function keptOf({ userId }: Planted): Promise<string> {
  const rows = await Promise.all(
    [
      `select id, content, value, topic, updated_at, deleted_at, archived_at from memories where user_id = $1::text and`,
      `select id, title, project, metadata, last_seq, policy from conversations where user_id = $1::text and`,
      `select id, content from messages where conversation_id in (select id from conversations where user_id = $1::text) and`,
      `select id, title, content, updated_at from documents where user_id = $1::text and`,
      `select id, state, generation, attempts from extractions where user_id = $1::text and`,
      `select content, updated_at from summaries where user_id = $1::text and`,
      `select id, url, types, disabled_at from webhooks where $1::text <> '' and url not like '%invalid/' and`,
      `select id, revoked_at from api_keys where $1::text <> '' and name like 'secret%' and`,
    ].map((of) =>
      stand.database.query(
        `select to_jsonb(r) as row from (${of} tenant_id = (select id from tenants where name = 'ours')) r order by 1`,
        [userId],
      ),
    ),
  );
  return JSON.stringify(rows.map((found) => found.rows));
}

test('every operation with a body has a sample', () => {
  const without = OPERATIONS.filter(
    ({ method, path, body }) => body !== undefined && !(`${method} ${path}` in SAMPLES),
  );
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

describe('whoever has no business there', () => {
  test('is refused everywhere, sees nothing of ada and changes nothing', async () => {
    const before = await keptOf(ada);
    const wrong = await Promise.all([...strangers, ...outsiders].map((who) => wrongAnswers(who, ada)));
    expect(wrong.flat()).toEqual([]);
    expect(await keptOf(ada)).toBe(before);
    for (const part of ofAda(ada)) expect(before).toContain(part);
  });

  test('the same at the port of retrieval', async () => {
    const served = OPERATIONS.filter(({ path }) => ['/v1/memories/search', '/v1/context'].includes(path));
    const everybody = [...strangers, ...outsiders, ...insiders];
    const wrong = await Promise.all(
      everybody.map((who) => wrongAnswers(who, ada, stand.retrievalUrl, served)),
    );
    expect(wrong.flat()).toEqual([]);
  });

  test('a locked key does reach its own user, by every read', async () => {
    const { credential } = locked;
    for (const operation of OPERATIONS.filter(
      ({ method, permission }) => method === 'get' && permission === 'memory.read',
    )) {
      const { path } = toCall(operation, bob, takesUser(operation) ? { user: 'bob' } : {});
      const { status, text } = await stand.call(`${stand.gatewayUrl}${path}`, credential, 'GET');
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain(ada.secret);
    }
    const list = await stand.call(`${stand.gatewayUrl}/v1/memories`, credential, 'GET');
    expect(list.text).toContain(bob.secret);
  });

  test('cannot tell what belongs to others from what does not exist', async () => {
    const theirs = await stand.plant(admin, 'carol');
    const nothing: Planted = {
      ...theirs,
      memories: theirs.documents,
      documents: 'absent',
      extractions: theirs.memories,
      conversations: 'absent',
      'api-keys': 'f'.repeat(16),
      users: 'absent',
      erasures: theirs.memories,
      compressions: theirs.memories,
      webhooks: theirs.memories,
      retention: theirs.memories,
      'legal-holds': theirs.memories,
      replays: theirs.memories,
    };
    const withId = OPERATIONS.filter(
      ({ method, path }) => path.includes('{id}') && !MAKES_ITS_OWN.includes(`${method} ${path}`),
    );
    for (const who of outsiders) {
      for (const operation of withId) {
        const bodies = await Promise.all(
          [theirs, nothing].map(async (target) => {
            const { method, path, body } = toCall(operation, target);
            const { status, text, headers } = await stand.call(
              `${stand.gatewayUrl}${path}`,
              who.credential,
              method,
              body,
            );
            const { request_id: _id, ...problem } = JSON.parse(text) as Record<string, unknown>;
            return { status, problem, names: [...headers.keys()] };
          }),
        );
        expect([who.name, operation.path, bodies[0]]).toEqual([who.name, operation.path, bodies[1]]);
      }
    }
  });
});

describe('a locked key', () => {
  test('does not get or keep another user’s by a body, an id of theirs, a chat or the tool', async () => {
    const before = await keptOf(ada);
    const call = (path: string, body: object, more: Credential = {}) =>
      stand.call(`${stand.gatewayUrl}${path}`, { ...locked.credential, ...more }, 'POST', body);
    const note = { content: 'x' };
    const said = [{ role: 'user', content: 'Where do I live?' }];
    const tool = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory', arguments: { action: 'list' } },
    };
    for (const [path, body, status] of [
      ['/v1/memories/batch', { memories: [note, { ...note, user_id: 'ada' }] }, 403],
      ['/v1/conversations', { id: ada.conversations }, 404],
      ['/v1/extractions', { conversation_id: ada.conversations, messages: said }, 404],
      ['/v1/documents', { id: ada.documents, content: 'x' }, 404],
      ['/v1/documents', { conversation_id: ada.conversations, content: 'x' }, 404],
      ['/v1/tools/memory', { action: 'list', user_id: 'ada' }, 403],
      ['/v1/chat/completions', { model: 'm', messages: said, user: 'ada' }, 403],
      ['/v1/chat/completions', { model: 'm', messages: said, user_id: 'ada', memory_id: 'x' }, 403],
      ['/v1/chat/completions', { model: 'm', messages: said, memory_id: ada.conversations }, 200],
      [
        '/v1/context',
        { query: 'Where do I live?', conversation_id: ada.conversations, include_turns: true },
        200,
      ],
      [
        '/v1/memories/search',
        { query: ada.secret, scopes: [ada.conversations, 'global'], include_turns: true },
        200,
      ],
      ['/v1/memories/search', { query: ada.secret, all_users: true, user_id: 'bob' }, 403],
      ['/v1/extractions/replay', { all_users: true }, 403],
    ] as const) {
      const answer = await call(path, body);
      expect([path, body, answer.status]).toEqual([path, body, status]);
      for (const part of ofAda(ada)) expect(answer.text).not.toContain(part);
    }
    const named = await call('/mcp', tool, { 'x-user-id': 'ada' });
    expect(named.text).toMatch(/locked to one user/);
    expect(named.text).not.toContain(ada.secret);
    expect((await call('/mcp', tool)).text).toContain(bob.secret);
    expect(stand.upstreamSaw.join()).not.toContain(ada.secret);
    expect(await keptOf(ada)).toBe(before);
  });
});

test('each permission opens what the contract says, and nothing else', async () => {
  const wrong: string[] = [];
  for (const who of insiders)
    wrong.push(...(await wrongAnswers(who, await stand.plant(admin, `ada ${who.name}`))));
  expect(wrong).toEqual([]);
});

describe('routes outside of the contract', () => {
  const everybody = () => [
    ...strangers,
    ...outsiders,
    ...insiders,
    { ...stranger('ADMIN_API_KEY', bearer(ADMIN_KEY)), permissions: PERMISSIONS },
  ];
  /** A queue and ids that Bull Board does not know: what is let through ends as not found. */
  const addressOf = ({ path, example }: UndocumentedRoute) => example ?? path.replaceAll(/:\w+/g, 'none');
  const methodsOf = ({ method }: UndocumentedRoute) => (method === 'ALL' ? ['POST'] : [method]);

  async function check(url: string, routes: readonly UndocumentedRoute[], who: Identity): Promise<string[]> {
    const wrong: string[] = [];
    for (const route of routes) {
      for (const method of methodsOf(route)) {
        const body = route.body ?? (method === 'GET' ? undefined : {});
        const { status, text } = await stand.call(`${url}${addressOf(route)}`, who.credential, method, body);
        const isOpen = route.needs === 'anybody' || route.needs.some((name) => may(who, name));
        const refusal = route.needs !== 'anybody' && strangers.includes(who) ? 401 : 403;
        const isRight = isOpen ? ![401, 403, 500].includes(status) : status === refusal;
        const leaks =
          !who.permissions.some((name) => name === 'admin' || name.startsWith('memory.')) &&
          text.includes(ada.secret);
        if (!isRight || leaks)
          wrong.push(`${who.name}: ${method} ${addressOf(route)}: ${status}${leaks ? ' LEAK' : ''}`);
      }
    }
    return wrong;
  }

  test('are open to whom they are declared for, at every port', async () => {
    const wrong = await Promise.all(
      everybody().flatMap((who) => [
        check(stand.gatewayUrl, [...GATEWAY_ROUTES, ...GATEWAY_ADDRESSES], who),
        check(stand.retrievalUrl, OPERATING_ROUTES, who),
        check(stand.extractorUrl, OPERATING_ROUTES, who),
      ]),
    );
    expect(wrong.flat()).toEqual([]);
  });

  test('what is not there says so to whoever has a key, and never asks the model provider', async () => {
    stand.upstreamSaw.length = 0;
    const paths = ['/v1/queue/waiting'];
    const beside = ['/v1/mem0', '/admin', '/v1//memories', '/v1/%2fmemories'];
    for (const who of everybody()) {
      for (const path of [...paths, ...beside]) {
        const { status } = await stand.call(`${stand.gatewayUrl}${path}`, who.credential, 'GET');
        expect([who.name, path, status]).toEqual([who.name, path, strangers.includes(who) ? 401 : 404]);
      }
      const { status, headers } = await stand.call(
        `${stand.gatewayUrl}/v1/memories`,
        who.credential,
        'OPTIONS',
      );
      expect([who.name, status]).toEqual([who.name, strangers.includes(who) ? 401 : 405]);
      expect(headers.has('allow')).toBe(status === 405);
    }
    expect(stand.upstreamSaw).toEqual([]);
  });
});
