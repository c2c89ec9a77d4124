import { randomUUID } from 'node:crypto';
import { newMemory } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { insertMemories } from '../memories/memory-writes.ts';
import { purge } from './purge.ts';
import { readSettings, writeSetting } from './settings.ts';
import { DEFAULT_TENANT_ID } from './tenants.ts';

const { database } = await openTestDatabase(
  { createPool, migrate },
  { truncate: ['memories', 'memory_versions', 'idempotency_keys'] },
);

async function note(change: string): Promise<string> {
  const memory = newMemory(DEFAULT_TENANT_ID, 'maya', randomUUID());
  await insertMemories(database, [memory], { actor: 'test', extractionId: null });
  await database.query(`update memories set ${change} where id = $1::uuid`, [memory.id]);
  return memory.id;
}

test('expired and long-deleted memories go with their history; everything else stays', async () => {
  await note(`expires_at = now() - interval '1 second'`);
  await note(`deleted_at = now() - interval '31 days'`);
  const kept = [
    await note(`expires_at = now() + interval '1 hour'`),
    await note(`deleted_at = now() - interval '29 days'`),
    await note(`valid_to = now() - interval '1 year'`),
    await note(`archived_at = now() - interval '1 year'`),
  ];
  expect(await purge(database, { deletedRetentionDays: 30, limit: 100 })).toEqual({
    memories: 2,
    idempotencyKeys: 0,
  });
  const left = await database.query<{ id: string }>('select id from memories');
  expect(left.rows.map((row) => row.id).toSorted()).toEqual(kept.toSorted());
  const versions = await database.query<{ id: string }>('select memory_id as id from memory_versions');
  expect(versions.rows.map((row) => row.id).toSorted()).toEqual(kept.toSorted());
});

test('takes no more than its limit at a time', async () => {
  for (let n = 0; n < 5; n += 1) await note(`expires_at = now() - interval '1 second'`);
  const options = { deletedRetentionDays: 30, limit: 2 };
  const rounds = [
    await purge(database, options),
    await purge(database, options),
    await purge(database, options),
  ];
  expect(rounds.map((round) => round.memories)).toEqual([2, 2, 1]);
});

test('idempotency keys are forgotten after a week', async () => {
  await database.query(
    `insert into idempotency_keys (tenant_id, key, request_sha256, created_at)
     values ($1::uuid, 'old', '', now() - interval '8 days'), ($1::uuid, 'new', '', now())`,
    [DEFAULT_TENANT_ID],
  );
  expect((await purge(database, { deletedRetentionDays: 30, limit: 10 })).idempotencyKeys).toBe(1);
  const { rows } = await database.query('select key from idempotency_keys');
  expect(rows).toEqual([{ key: 'new' }]);
});

test('settings are kept, replaced and removed one by one', async () => {
  await writeSetting(database, 'retry.interval_ms', 100);
  await writeSetting(database, 'retry.interval_ms', 200);
  await writeSetting(database, 'retry.strategy', 'exponential');
  expect(await readSettings(database)).toEqual({ 'retry.interval_ms': 200, 'retry.strategy': 'exponential' });
  await writeSetting(database, 'retry.interval_ms', null);
  expect(await readSettings(database)).toEqual({ 'retry.strategy': 'exponential' });
});
