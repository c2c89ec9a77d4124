import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawEnvironment } from '@factmill/config';
import { assertRedisReady } from '@factmill/queue';
import { createCertificates, startRedisCluster, startRedisSentinels } from '@factmill/testkit';
import { afterEach, expect, test } from '@jest/globals';
import { openExtractorUnderTest } from './extractor.fixture.ts';

type Certificates = Awaited<ReturnType<typeof createCertificates>>;
type Stand = Readonly<{ env: RawEnvironment; sentinelPassword?: string; close: () => Promise<void> }>;

/** Needs percent-encoding in an address, and none in a file. */
const PASSWORD = 'p@ss/word';
/** The rights of docs/operations/postgres-and-redis.md; only this user may log in with this password. */
const userOf = (pattern: string) => [
  '--user',
  'queue',
  'on',
  `>${PASSWORD}`,
  pattern,
  '+@all',
  '-@admin',
  '-@dangerous',
  '+info',
];

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openCluster(dir: string, certificates: Certificates): Promise<Stand> {
  const { url, close } = await startRedisCluster({ dir, certificates, args: userOf('~{ours}:*') });
  return {
    env: { REDIS_MODE: 'cluster', REDIS_URL: url.replace('//', '//queue@'), QUEUE_PREFIX: 'ours' },
    close,
  };
}

async function openSentinels(dir: string, certificates: Certificates): Promise<Stand> {
  const args = userOf('~ours:*');
  const { url, master, sentinelPassword, close } = await startRedisSentinels({ dir, certificates, args });
  return {
    env: {
      REDIS_MODE: 'sentinel',
      REDIS_URL: url.replace(/\/\/.*@/, '//queue@'),
      REDIS_SENTINEL_MASTER: master,
      QUEUE_PREFIX: 'ours',
    },
    sentinelPassword,
    close,
  };
}

test.each([
  ['a cluster of six', openCluster],
  ['three Sentinels', openSentinels],
])(
  '%s over TLS, with certificates, a user of few rights and passwords from files',
  async (_name, openStand) => {
    const dir = await mkdtemp(join(tmpdir(), 'factmill-redis-'));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    const secrets = join(dir, 'secrets');
    await mkdir(secrets);
    const certificates = await createCertificates(secrets);
    const stand = await openStand(dir, certificates);
    closers.push(stand.close);

    const file = async (name: string, text: string) => {
      const path = join(secrets, name);
      await writeFile(path, `${text}\n`, { mode: 0o600 });
      return path;
    };
    const env = {
      ...stand.env,
      REDIS_PASSWORD_FILE: await file('redis-password', PASSWORD),
      ...(stand.sentinelPassword === undefined
        ? {}
        : { REDIS_SENTINEL_PASSWORD_FILE: await file('sentinel-password', stand.sentinelPassword) }),
      REDIS_TLS_CA_FILE: certificates.ca.certFile,
      REDIS_TLS_CERT_FILE: certificates.client.certFile,
      REDIS_TLS_KEY_FILE: certificates.client.keyFile,
    };
    const under = await openExtractorUnderTest({ env });
    closers.push(under.close);
    const { redis } = under.config.storage;
    if (redis === null) throw new Error('there is no Redis');
    await assertRedisReady(redis, { logger: under.logger });
    await under.start();
    const id = await under.extract([{ content: 'I live in Lisbon.' }]);
    expect(await under.ledger(id)).toMatchObject({ state: 'done', attempts: 1 });
    expect(under.log()).not.toContain(PASSWORD);

    // Without a certificate, or with another authority, nobody gets in.
    const { ca, client } = certificates;
    for (const tls of [{ ca: ca.cert }, { cert: client.cert, key: client.key }]) {
      await expect(assertRedisReady({ ...redis, tls }, { logger: under.logger })).rejects.toMatchObject({
        message: expect.stringContaining('check REDIS_TLS_CA'),
      });
    }
    const wrong = { ...redis, url: redis.url.replace(encodeURIComponent(PASSWORD), 'wrong') };
    expect(wrong.url).not.toBe(redis.url);
    await expect(assertRedisReady(wrong, { logger: under.logger })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  },
);
