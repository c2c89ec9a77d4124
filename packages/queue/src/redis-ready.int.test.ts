import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type OwnRedis, startRedis, testRedisUrl } from '@factmill/testkit';
import { Redis } from 'ioredis';
import { createLogRecorder } from './log-recorder.fixture.ts';
import { assertRedisReady } from './index.ts';

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
  await client.call(...command);
  client.disconnect();
}

const check = (url: string) => assertRedisReady(url, createLogRecorder());

test('a Redis set as it should be passes, silently', async () => {
  const log = createLogRecorder();
  await assertRedisReady(testRedisUrl(), log);
  await assertRedisReady(redis.url, log);
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
