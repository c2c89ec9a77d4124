import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@factmill/config';
import { createPool, type DatabasePool, migrate, startEmbedded, writeSetting } from '@factmill/database';
import { createQueues, queueConfigOf, type Queues } from '@factmill/queue';
import { createDisposables, openAuthenticator, openDatabase } from '@factmill/runtime';
import { createLogger, startTelemetry, type Telemetry } from '@factmill/telemetry';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createGateway, type Gateway } from '../create-gateway.ts';

const silent = createLogger({ service: 'gateway', level: 'silent' });
const disposables = createDisposables();

let folder: string;
let connectionString: string;
let database: DatabasePool;
let queues: Queues;
let telemetry: Telemetry;

const config = loadConfig({ HOST: '127.0.0.1', GATEWAY_PORT: '0', AUTH: 'none', SHUTDOWN_GRACE_MS: '0' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-embedded-accepting-'));
  const embedded = disposables.add(await startEmbedded({ dataDir: folder, logger: silent }));
  ({ connectionString } = embedded);
  const storage = { connectionString, embedded: true };
  await migrate(connectionString, { logger: silent });
  database = disposables.add(openDatabase(config, storage, 'gateway', silent));
  queues = disposables.add(
    await createQueues(queueConfigOf(config, storage), { logger: silent, clock: Date.now }),
  );
  telemetry = disposables.add(await startTelemetry({ service: 'gateway', version: '0', otlpEndpoint: null }));
});

afterAll(async () => {
  await disposables.close();
  await rm(folder, { recursive: true });
});

const start = (own: Queues = queues): Promise<Gateway> =>
  createGateway({
    config,
    logger: silent,
    telemetry,
    database,
    queues: own,
    authenticator: openAuthenticator(config, database),
  });

async function post(gateway: Gateway, path: string): Promise<{ id: string }> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ada', messages: [{ role: 'user', content: 'I keep bees.' }] }),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as { id: string };
}

test('an answer waits for the one statement of a search that runs, and for no other', async () => {
  const gateway = await start();
  const searching = createPool({
    connectionString,
    max: 3,
    applicationName: 'factmill-retrieval',
    logger: silent,
  });
  const searched = { times: 0, stopped: false };
  const search = async () => {
    while (!searched.stopped) {
      // About 100 ms of the one session.
      await searching.query('select sum(sqrt(n)) from generate_series(1, 300000) as n');
      searched.times += 1;
    }
  };
  const searches = [search(), search(), search()];
  try {
    for (const path of ['/v1/extractions', '/v1/conversations/c1/messages']) {
      const waitedFor: number[] = [];
      for (let round = 0; round < 15; round += 1) {
        const before = searched.times;
        await post(gateway, path);
        waitedFor.push(searched.times - before);
      }
      const median = waitedFor.toSorted((a, b) => a - b)[7] ?? Number.NaN;
      expect({ path, waitedFor, isOne: median <= 1 }).toEqual({ path, waitedFor, isOne: true });
    }
  } finally {
    searched.stopped = true;
    await Promise.all(searches);
    await searching.close();
    await gateway.close();
  }
});

/** The queue, but nothing gets into it before `open` is called. */
function heldQueues(): Readonly<{ held: Queues; asked: Promise<void>; open: () => void }> {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held: Queues = {
    ...queues,
    enqueue: async (entries) => {
      asked.resolve();
      await gate.promise;
      await queues.enqueue(entries);
    },
  };
  return { held, asked: asked.promise, open: gate.resolve };
}

test('an answer does not wait for the queue, closing does', async () => {
  const { held, open } = heldQueues();
  const gateway = await start(held);
  const { id } = await post(gateway, '/v1/extractions');
  const closed = gateway.close();
  open();
  await closed;
  expect(await queues.missing('extract', [`${id}_0`])).toEqual([]);
});

test('with a limit set, an answer waits for the queue, which is never deeper than the limit', async () => {
  await writeSetting(database, 'queue.limit', 1);
  const { held, asked, open } = heldQueues();
  const gateway = await start(held);
  let isAnswered = false;
  const answer = post(gateway, '/v1/extractions').finally(() => (isAnswered = true));
  await asked;
  // The gateway answers something else meanwhile, so it has had its turn.
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expect(isAnswered).toBe(false);
  open();
  await answer;
  expect((await queues.counts()).extraction.waiting).toBe(1);
  await gateway.close();
});
