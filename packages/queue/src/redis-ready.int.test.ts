import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RedisAddress } from '@factmill/redis';
import {
  createCertificates,
  freePort,
  type OwnRedis,
  startRedis,
  testRedisUrl,
  waitFor,
} from '@factmill/testkit';
import { Redis } from 'ioredis';
import { createLogRecorder } from './log-recorder.fixture.ts';
import { assertRedisReady } from './index.ts';
import { extractJob, openQueueAt } from './queue.fixture.ts';

let folder: string;
let redis: OwnRedis;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
  redis = await startRedis({ dir: folder });
});
afterAll(async () => {
  await redis.kill();
  await rm(folder, { recursive: true });
});

async function onServer(...command: [string, ...string[]]): Promise<void> {
  const client = new Redis(redis.url);
  await client.call(...command).finally(() => client.disconnect());
}

const check = (url: string, more: Partial<RedisAddress> = {}) =>
  assertRedisReady({ url, ...more }, createLogRecorder());

test('a Redis set as it should be passes, silently', async () => {
  const log = createLogRecorder();
  await assertRedisReady({ url: testRedisUrl() }, log);
  await assertRedisReady({ url: redis.url }, log);
  expect(log.lines).toEqual([]);
});

test('a policy that evicts is refused with the way to fix it', async () => {
  await onServer('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(check(redis.url)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/allkeys-lru.*maxmemory-policy noeviction/),
  });
  await onServer('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
});

test('an unreachable server, a wrong password and a strange address are told apart, without the secret', async () => {
  await onServer('ACL', 'SETUSER', 'known', 'on', '>right', '~*', '+@all');
  const cases = [
    ['redis://:s3cret@127.0.0.1:1', 'queue_unavailable', /cannot be reached.*ECONNREFUSED/],
    [`redis://known:s3cret@127.0.0.1:${redis.port}`, 'config_invalid', /refuses the user name or password/],
  ] as const;
  for (const [url, code, sentence] of cases) {
    const error = await check(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(sentence) });
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
  }
  await check(`redis://known:right@127.0.0.1:${redis.port}`);
});

test('a user who may not run INFO is told so', async () => {
  await onServer('ACL', 'SETUSER', 'narrow', 'on', '>right', '~*', '+@all', '-info');
  await expect(check(`redis://narrow:right@127.0.0.1:${redis.port}`)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/INFO/),
  });
});

/** A job goes into the queue and is taken from it. */
async function works(address: RedisAddress, keyPrefix: string): Promise<void> {
  const q = await openQueueAt({ ...address, backend: 'redis', keyPrefix });
  try {
    await waitFor(() => q.queues.enqueue([extractJob('one_1')]).then(() => true), { describe: 'the queue' });
    await q.work(async () => ({ kind: 'done' }));
    await waitFor(async () => (await q.queues.counts()).extraction.completed === 1, { describe: 'the job' });
  } finally {
    await q.close();
  }
}

test('a user with the rights that the documentation lists is enough', async () => {
  const rights = ['~ours:*', '+@all', '-@admin', '-@dangerous', '+info'];
  await onServer('ACL', 'SETUSER', 'queue', 'on', '>right', ...rights);
  const url = `redis://queue:right@127.0.0.1:${redis.port}`;
  await check(url);
  await works({ url }, 'ours');
});

test('a mode that is not that of the server is refused with the right one', async () => {
  await expect(check(redis.url, { mode: 'cluster' })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('REDIS_MODE=single'),
  });
  await expect(check(redis.url, { mode: 'sentinel' })).rejects.toMatchObject({
    message: expect.stringContaining('Sentinel'),
  });
});

test('TLS with an authority and a certificate of our own; what is missing is named', async () => {
  const dir = join(folder, 'tls');
  await mkdir(dir);
  const { ca, server, client } = await createCertificates(dir);
  const port = await freePort();
  const secured = await startRedis({
    dir,
    args: [
      '--tls-port',
      String(port),
      '--tls-ca-cert-file',
      ca.certFile,
      '--tls-cert-file',
      server.certFile,
      '--tls-key-file',
      server.keyFile,
    ],
  });
  try {
    const url = `rediss://127.0.0.1:${port}`;
    const { cert, key } = client;
    await check(url, { tls: { ca: ca.cert, cert, key } });
    await works({ url, tls: { ca: ca.cert, cert, key } }, 'tls');
    for (const tls of [{ cert, key }, { ca: ca.cert }]) {
      await expect(check(url, { tls })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/^The TLS connection with Redis fails \(\w+\); check REDIS_TLS_CA/),
      });
    }
  } finally {
    await secured.kill();
  }
});
