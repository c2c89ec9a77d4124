import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase } from '@factmill/testkit';
import { expect, test } from '@jest/globals';
import { createPool } from '../pool/create-pool.ts';
import { insertApiKey, listApiKeys } from '../queries/operators/api-keys.ts';
import { DEFAULT_TENANT_ID } from '../queries/operators/tenants.ts';
import { migrate } from './migrate.ts';
import { SCHEMA_DIRECTORY } from './schema-files.ts';

const logger = { info: () => undefined, warn: () => undefined };
const MIGRATION = '0021_key_permissions.sql';

test('keys from before chat and upstream existed keep what their applications use, and become no operators', async () => {
  const before = await mkdtemp(join(tmpdir(), 'factmill-migrations-'));
  const database = await createEmptyDatabase();
  const { connectionString } = database;
  const pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger });
  try {
    await mkdir(join(before, 'migrations'));
    const names = await readdir(join(SCHEMA_DIRECTORY, 'migrations'));
    for (const name of names.filter((migration) => migration < MIGRATION)) {
      await cp(join(SCHEMA_DIRECTORY, 'migrations', name), join(before, 'migrations', name));
    }
    await migrate(connectionString, { logger, directory: before });
    const stored = {
      application: ['memory.read', 'memory.write'],
      reader: ['memory.read_all'],
      admin: ['admin'],
      queues: ['queue.read', 'queue.write'],
    };
    for (const [name, permissions] of Object.entries(stored)) {
      await pool.query(
        `insert into api_keys (id, tenant_id, secret_sha256, name, permissions)
         values ($1::text, $2::uuid, '\\x00', $1::text, $3::text[])`,
        [name, DEFAULT_TENANT_ID, permissions],
      );
    }
    await migrate(connectionString, { logger });
    const keys = await listApiKeys(pool, DEFAULT_TENANT_ID);
    expect(Object.fromEntries(keys.map(({ name, permissions }) => [name, permissions]))).toEqual({
      application: ['memory.read', 'memory.write', 'chat', 'upstream'],
      reader: ['memory.read_all', 'chat', 'upstream'],
      admin: ['admin'],
      queues: ['queue.read', 'queue.write'],
    });
    expect(keys.map(({ userLocked }) => userLocked)).toEqual([false, false, false, false]);

    // Whatever asks: the database keeps no lock that does not hold.
    const key = {
      tenantId: DEFAULT_TENANT_ID,
      secretSha256: Buffer.alloc(32),
      expiresAt: null,
      userLocked: true,
    };
    for (const [userId, permission] of [
      [null, 'memory.read'],
      ['ada', 'admin'],
      ['ada', 'operator'],
      ['ada', 'memory.read_all'],
    ] as const) {
      const locked = { ...key, id: 'locked', name: 'locked', userId, permissions: [permission] };
      await expect(insertApiKey(pool, locked)).rejects.toThrow(/database/i);
    }
  } finally {
    await pool.close();
    await database.drop();
    await rm(before, { recursive: true });
  }
});
