import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createPool, migrate } from '@factmill/database';
import { VERSION } from '@factmill/runtime';
import {
  createEmptyDatabase,
  createScriptedModel,
  freePort,
  type ScriptedModel,
  startProcess,
  testRedisUrl,
} from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { examineInstallation } from './examine-installation.ts';

const { database, connectionString, serviceUrl, beforeClose } = await openTestDatabase(
  { createPool, migrate },
  { max: 1 },
);
const nothing = { storage: 'postgres', queue: 'redis', extraction: 'extractive', embedding: 'local' };
let model: ScriptedModel;
let gone: string;
let health: object = {};
let pressure: object = {};
let pressureStatus = 200;
let clockOffsetMs = 0;
const gateway = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('date', new Date(Date.now() + clockOffsetMs).toUTCString());
  if (request.url?.startsWith('/v1/queue/pressure') === true) {
    response.statusCode = pressureStatus;
    response.end(JSON.stringify(pressure));
  } else response.end(JSON.stringify(health));
});
beforeAll(async () => {
  model = await createScriptedModel();
  gone = `redis://127.0.0.1:${await freePort()}`;
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
});
beforeClose(async () => {
  await model.close();
  await new Promise((resolve) => gateway.close(resolve));
});

const url = () => `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: connectionString,
  REDIS_URL: testRedisUrl(),
  LLM_BASE_URL: model.url,
  LLM_MODEL: 'scripted-model',
  EMBEDDING_PROVIDER: 'none',
  ...more,
});

/** States and advice by part; the worst of a part counts. */
async function states(address: string | undefined, env: Readonly<Record<string, string>>) {
  const findings = await examineInstallation(address, env);
  for (const { state, found, advice } of findings) {
    expect(found).not.toMatch(/:\/\/|Error:| {4}at /);
    if (state === 'warning') expect(advice).toMatch(/[.;]$/);
  }
  return Object.fromEntries(findings.map(({ part, state }) => [part, state]));
}

test('a user whom no policy holds is a fault while API keys are required', async () => {
  const rolesOf = async (more: Readonly<Record<string, string>>) =>
    (await states(undefined, environment(more)))['roles'];
  expect(await rolesOf({ AUTH: 'required' })).toBe('failed');
  expect(await rolesOf({ AUTH: 'none' })).toBe('warning');
  expect(await rolesOf({ AUTH: 'required', DATABASE_URL: serviceUrl })).toBe('ok');
});

test('directly: every store, the schema, the roles, the clocks and the models', async () => {
  expect(await states(undefined, environment())).toMatchObject({
    Postgres: 'ok',
    connections: 'ok',
    schema: 'ok',
    pg_trgm: 'ok',
    'clock of Postgres': 'ok',
    backlog: 'ok',
    Redis: 'ok',
    'chat model': 'ok',
    'embedding model': 'ok',
  });
});

describe('what is wrong is said, and does not hide the rest', () => {
  test('stores that do not answer, and a database without a schema', async () => {
    const empty = await createEmptyDatabase();
    const found = await states(
      undefined,
      environment({ DATABASE_URL: empty.connectionString, REDIS_URL: gone }),
    );
    await empty.drop();
    expect(found).toMatchObject({ Postgres: 'ok', schema: 'failed', backlog: 'failed', Redis: 'failed' });
    expect(await states(undefined, environment({ DATABASE_READ_URL: connectionString }))).toMatchObject({
      Postgres: 'ok',
      replica: 'failed',
    });
    expect(
      await states(undefined, environment({ DATABASE_URL: gone.replace('redis', 'postgres') })),
    ).toMatchObject({
      Postgres: 'failed',
      Redis: 'ok',
      'chat model': 'ok',
    });
  });

  test('a model that refuses the key, and a breaker that is open', async () => {
    model.setReply(({ endpoint }) => (endpoint === 'chat' ? { status: 401 } : undefined));
    await database.query(
      `insert into provider_breakers (provider, opened_at, next_probe_at) values ('llm:x', now(), now())`,
    );
    expect(await states(undefined, environment())).toMatchObject({
      'chat model': 'failed',
      breaker: 'warning',
      backlog: 'warning',
    });
    model.setReply(() => undefined);
    await database.query('delete from provider_breakers');
  });

  test('settings with a bad value', async () => {
    expect(await states(undefined, environment({ DATABASE_POOL_MAX: 'ten' }))).toEqual({
      settings: 'failed',
    });
  });
});

describe('by the API', () => {
  const well = { status: 'ok', version: VERSION, ...nothing };
  const quiet = {
    oldest_waiting_seconds: 0,
    waiting: 0,
    active: 0,
    deferred: 0,
    wanted_slots: 0,
    mean_seconds: null,
    paused: false,
  };

  test.each([
    ['all is well', {}, {}, { gateway: 'ok', version: 'ok', backlog: 'ok' }],
    ['another version', { version: '0.0.1' }, {}, { version: 'warning' }],
    ['a part is away', { status: 'degraded', impaired: ['retrieval'] }, {}, { retrieval: 'failed' }],
    ['nobody takes what waits', {}, { waiting: 3, oldest_waiting_seconds: 100 }, { backlog: 'failed' }],
    ['too few', {}, { waiting: 3, active: 9, oldest_waiting_seconds: 400 }, { backlog: 'warning' }],
    ['it just came', {}, { waiting: 3, oldest_waiting_seconds: 1 }, { backlog: 'ok' }],
    ['something else answers', { version: 7 }, {}, { gateway: 'failed' }],
  ])('%s', async (_name, ofHealth, ofPressure, expected) => {
    health = { ...well, ...ofHealth };
    pressure = { ...quiet, ...ofPressure };
    expect(await states(url(), {})).toMatchObject(expected);
  });

  test('a clock that is wrong, and a key that may not see the queue', async () => {
    health = well;
    clockOffsetMs = 3_600_000;
    pressureStatus = 403;
    pressure = { code: 'forbidden', detail: 'This API key lacks the permission queue.read.' };
    expect(await states(url(), {})).toEqual({
      gateway: 'ok',
      version: 'ok',
      'clock of the gateway': 'warning',
      backlog: 'warning',
    });
    clockOffsetMs = 0;
  });
});

test('the command ends with 1 when something failed, and prints JSON', async () => {
  const child = await startProcess({
    entry: fileURLToPath(new URL('../main.ts', import.meta.url)),
    args: ['doctor', '--json'],
    env: environment({ REDIS_URL: gone }),
    // A developer's .env may be in the folder of the repository.
    cwd: tmpdir(),
  });
  const { code } = await child.exit;
  const printed = JSON.parse(child.output()) as { ok: boolean; findings: object[] };
  expect(code).toBe(1);
  expect(printed.ok).toBe(false);
  expect(printed.findings).toContainEqual(expect.objectContaining({ part: 'Redis', state: 'failed' }));
});
