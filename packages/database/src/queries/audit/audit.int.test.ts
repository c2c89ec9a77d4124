import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { createPool } from '../../pool/create-pool.ts';
import type { Sql } from '../../pool/sql.ts';
import { migrate } from '../../migrate/migrate.ts';
import { DEFAULT_TENANT_ID as TENANT } from '../operators/tenants.ts';
import { appendAudit, audited } from './append-audit.ts';
import { listAudit, verifyAudit } from './read-audit.ts';

const { database } = await openTestDatabase(
  { createPool, migrate },
  { max: 8, truncate: ['audit_records', 'audit_chains'] },
);

const entry = {
  tenantId: TENANT,
  actor: 'api-key:0123456789abcdef',
  requestId: null,
  action: 'memory.restored',
  target: { kind: 'memory', id: '0199f3a0-0000-7000-8000-000000000001' },
  userId: 'maya-quokka',
} as const;

const everything = {
  tenantId: TENANT,
  action: null,
  actor: null,
  userId: null,
  since: null,
  until: null,
  before: null,
  limit: 100,
};

/** Lets `harm` write past the trigger, says what verifying then finds, and undoes it all. */
async function foundAfter(harm: string, known: Readonly<{ number: number; hash: string }> | null = null) {
  const undone = new Error('undone');
  let problem: unknown = 'not verified';
  await database
    .transaction(async (tx) => {
      await tx.query('alter table audit_records disable trigger audit_records_keep');
      await tx.query(harm);
      ({ problem } = await verifyAudit(tx, TENANT, known));
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return problem;
}

/** Hashes everything anew, as somebody would who wants to hide a change. */
const REWRITE = `do $$ declare r audit_records; h bytea := decode(repeat('00', 32), 'hex'); begin
  for r in select * from audit_records order by number loop
    r.prev_hash := h;
    h := audit_hash(r);
    update audit_records set prev_hash = r.prev_hash, hash = h where number = r.number;
  end loop;
  update audit_chains set last_hash = h;
end $$`;

describe('the audit', () => {
  let last: { number: number; hash: string };
  beforeEach(async () => {
    for (let n = 0; n < 6; n += 1) await appendAudit(database, { ...entry, counts: { n } });
    ({ last } = await verifyAudit(database, TENANT, null));
  });

  test('is in order as it was written, and names no user', async () => {
    expect(await verifyAudit(database, TENANT, last)).toMatchObject({
      intact: true,
      records: 6,
      problem: null,
    });
    const { secret } = await database.one<{ secret: Buffer }>('select secret from audit_chains');
    const pseudonym = createHmac('sha256', secret).update(entry.userId).digest('hex');
    const records = await listAudit(database, { ...everything, userId: entry.userId });
    expect(records.map(({ number, user_pseudonym }) => [number, user_pseudonym])).toEqual(
      [6, 5, 4, 3, 2, 1].map((number) => [number, pseudonym]),
    );
    expect(JSON.stringify(await listAudit(database, everything))).not.toContain('quokka');
    expect(await listAudit(database, { ...everything, userId: 'maya' })).toEqual([]);
  });

  test.each([
    ['a count', `update audit_records set counts = '{"n": 9}' where number = 3`, 3, 'changed'],
    ['a time', `update audit_records set at = at + interval '1 second' where number = 1`, 1, 'changed'],
    ['an actor that is now nobody', `update audit_records set actor = '' where number = 6`, 6, 'changed'],
    [
      'a change with its own hash made anew',
      `update audit_records set reason = 'x' where number = 3;
       update audit_records r set hash = audit_hash(r) where number = 3`,
      4,
      'changed',
    ],
    ['one in the middle', 'delete from audit_records where number = 4', 4, 'removed'],
    ['the first', 'delete from audit_records where number = 1', 1, 'removed'],
    ['the last two', 'delete from audit_records where number > 4', 5, 'removed'],
    [
      'two that have changed places',
      `update audit_records set number = case number when 2 then 50 else 2 end where number in (2, 5);
       update audit_records set number = 5 where number = 50`,
      2,
      'changed',
    ],
    ['everything', 'delete from audit_records', 1, 'removed'],
  ])('finds %s', async (_what, harm, number, kind) => {
    expect(await foundAfter(harm)).toEqual({ number, kind });
  });

  test('hashed anew as a whole is found by who has kept a record of it', async () => {
    const harm = `update audit_records set actor = 'x' where number = 2; ${REWRITE}`;
    expect(await foundAfter(harm)).toBeNull();
    expect(await foundAfter(harm, last)).toEqual({ number: 6, kind: 'changed' });
  });

  test.each([
    'update audit_records set actor = actor',
    'delete from audit_records',
    'delete from audit_records where number = 1',
  ])('refuses %j', async (statement) => {
    await expect(database.query(statement)).rejects.toThrow('SQLSTATE 55000');
  });

  test('has what was committed, once and in order, however many write at once', async () => {
    const append = (n: number) =>
      audited(
        database,
        (tx: Sql) => tx.query('select 1'),
        () => {
          if (n % 4 === 0) throw new Error('undone');
          return { ...entry, counts: { n } };
        },
      ).catch(() => undefined);
    await Promise.all(Array.from({ length: 24 }, (_, n) => append(n)));
    const verified = await verifyAudit(database, TENANT, last);
    expect(verified).toMatchObject({ intact: true, records: 6 + 18, last: { number: 24 } });
  });
});
